import { type Extras, type InstanceImport, type InstancePatch, okay, type RouteIdOf } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Handlers } from '../../platform/http/context.ts'
import { fail } from '../../platform/http/failure.ts'
import type { Audit } from '../audit/index.ts'
import type { LogRoute } from '../logs/index.ts'
import type { Action, InstanceRow, Instances } from './instances.service.ts'

/** Brings an instance other contents, or another ground to stand on. */
export interface Deploying {
  /** @throws Failure invalid_request, invalid_credentials_secret, invalid_state. */
  importFiles(actor: Actor, instance: InstanceRow, files: InstanceImport, extras?: Extras): Promise<void>
  /** @throws Failure not_found, invalid_state. */
  restore(actor: Actor, instance: InstanceRow, versionId: string, extras?: Extras): Promise<void>
  /** @throws Failure invalid_stack, invalid_project_type, invalid_state. */
  changeStack(actor: Actor, instance: InstanceRow, to: { type: string; stack: string }, extras?: Extras): Promise<void>
  /** @throws Failure not_found, invalid_source_project, outdated, invalid_state. */
  push(
    actor: Actor,
    instance: InstanceRow,
    source: Omit<NonNullable<InstancePatch['sourceProject']>, keyof Extras>,
    extras?: Extras,
  ): Promise<void>
}

export function instanceHandlers(
  instances: Instances,
  audit: Audit,
  deploying: Deploying,
): Handlers<Exclude<RouteIdOf<'instance'>, LogRoute>> {
  const act =
    (action: Action) =>
    async ({ actor, instance }: { actor: Actor; instance: InstanceRow }) => {
      await instances.act(actor, instance, action)
      return okay
    }
  return {
    async 'instance.listOfTeam'({ actor, team, reach }, { query }) {
      const list = await instances.ofTeam({ teamId: team.id, reach }, query)
      if (actor.kind !== 'instance' && actor.kind !== 'device') return list
      return { ...list, projects: list.projects.map(({ id, name }) => ({ id, name })) }
    },
    'instance.openOfTeam': async ({ team }, { query }) => instances.open({ teamId: team.id, reach: 'all' }, query),
    'instance.create': async ({ actor, application }, { body }) => instances.create(actor, application.team, body),
    'instance.get': async ({ instance }) => instances.get(instance.id),
    async 'instance.update'({ actor, role, instance }, { body }) {
      const { name, hostname, stack, projectType, sourceProject, install, allowStopped, ...rest } = body
      instances.keepAddress(instance, { name, hostname })
      if (sourceProject) {
        if (stack || projectType || Object.keys(rest).length > 0)
          throw fail('invalid_request', 'A push changes nothing else', { field: 'sourceProject' })
        const { id, options, seen, ...extras } = sourceProject
        await deploying.push(actor, instance, { id, options, seen }, extras)
        return {}
      }
      if (projectType && projectType !== instance.type_id) await instances.checkType(instance, projectType)
      if (projectType && !stack) throw fail('invalid_request', 'Choose a stack of this type', { field: 'stack' })
      const changed = await instances.update(actor, role, instance, rest)
      if (!stack) return changed
      const to = { type: projectType ?? instance.type_id, stack }
      await deploying.changeStack(actor, instance, to, { install, allowStopped })
      return {}
    },
    async 'instance.import'({ actor, instance }, { body }) {
      if (body.flows === undefined && body.credentials === undefined)
        throw fail('invalid_request', 'Send flows, credentials or both', { field: 'flows' })
      const { install, allowStopped, ...files } = body
      await deploying.importFiles(actor, instance, files, { install, allowStopped })
      return okay
    },
    'instance.move': async ({ actor, instance }, { body }) => instances.move(actor, instance, body.applicationId),
    async 'instance.delete'({ actor, instance }) {
      await instances.delete(actor, instance)
      return okay
    },
    'instance.start': act('start'),
    'instance.stop': act('stop'),
    'instance.restart': act('restart'),
    'instance.suspend': act('suspend'),
    'instance.restartStack': async (context) =>
      act(context.instance.wanted === 'suspended' ? 'start' : 'restart')(context),
    'instance.usage': async ({ instance }) => ({ usage: await instances.usage(instance.id) }),
    'instance.checkPaths': async ({ instance }) => ({ paths: await instances.checkPaths(instance.id) }),
    async 'instance.jobs'({ instance }) {
      const jobs = await instances.jobs(instance.id)
      return { count: jobs.length, jobs }
    },
    'instance.auditLog': async ({ instance, role }, { query }) =>
      audit.list({ type: 'project', id: instance.id }, query, { role }),
  }
}
