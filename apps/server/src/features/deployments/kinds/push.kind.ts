import { allows, type EnvEntry, type Foreseen, type PushOptions, type StackProperties } from '@app/contract'
import { pushOptions } from '@app/contract/constants'
import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import type { Actor } from '../../../platform/authz/actor.ts'
import type { Db, Tx } from '../../../platform/db/tables.ts'
import { fail } from '../../../platform/http/failure.ts'
import type { Audit } from '../../audit/index.ts'
import { ownSettings, stackProperties, type StoredSettings } from '../../catalogue/index.ts'
import type { Contents } from '../../contents/index.ts'
import { effectiveSettings } from '../../instance-settings/index.ts'
import { findWhole, type InstanceRow, type WholeInstance } from '../../instances/index.ts'
import type { Held, Snapshots } from '../../snapshots/index.ts'
import { drawn } from '../deployments.drawing.ts'
import { type Brought, type Kind, Named, type Plan } from '../deployments.kinds.ts'
import type { Known } from '../foresee.ts'

/** The input of a push: the source, its parts, and the state of both that the person had seen (`seen`). */
export interface PushInput {
  id: string
  options: PushOptions
  seen?: string | undefined
}
const PushMemo = z.object({ source: Named })
type PushMemo = z.infer<typeof PushMemo>

/** An instance and what it holds. */
interface Side {
  row: WholeInstance
  held: Held
}

export interface PushDependencies {
  read: Db
  audit: Audit
  contents: Contents
  snapshots: Snapshots
  /** The role of the caller on what belongs to an application; undefined when it does not exist for them. */
  roleOfCaller(actor: Actor, applicationId: string): Promise<number | undefined>
  /** With the modules that functions need. */
  complete(row: WholeInstance, brings: Brought): Promise<Brought>
  foresee(known: Known): Promise<Foreseen[]>
  /** With what lies in its folder on its list. */
  asInstalled(row: WholeInstance): Promise<WholeInstance>
  /** Does a stage refuse errors that is pushed to like this? */
  refusesErrors(sourceId: string, targetId: string): Promise<boolean>
}

/** Flows, credentials, modules and names of variables of one instance in the place of those of another [PIPE-18]. */
export function pushKind(deps: PushDependencies) {
  const { read, audit, contents, snapshots, roleOfCaller, asInstalled, complete, foresee, refusesErrors } = deps
  /** @throws Failure not_found, invalid_source_project; unauthorized where the caller may not change the source either. */
  async function sourceOf(actor: Actor, target: Pick<InstanceRow, 'id' | 'team_id'>, id: string) {
    const source = await findWhole(read, id)
    const role = source && (await roleOfCaller(actor, source.application_id))
    if (!source || role === undefined) throw fail('not_found')
    if (source.team_id !== target.team_id)
      throw fail('invalid_source_project', 'The source belongs to another team', { status: 403 })
    // A push brings what the source holds, its credentials too.
    if (!allows(role, 'project:edit'))
      throw fail('unauthorized', 'Your role in the application of the source does not allow this', { status: 403 })
    if (source.id === target.id)
      throw fail('invalid_source_project', 'An instance cannot be pushed to itself', { field: 'sourceProject' })
    return source
  }

  /** The new contents of the target. Credentials are sealed for it; without a difference they stay as they are. */
  function compose(source: Side, target: Side, options: PushOptions): Held {
    const { palette, env = [] } = contents.settingsOfCopy(source.row, target.row.id, options)
    const brought = { ...(options.nodes ? { modules: palette?.modules ?? [] } : {}), env }
    return {
      flows: (options.flows ? source : target).held.flows,
      credentials: options.flows && options.credentials ? sealed(source, target) : target.held.credentials,
      settings: JSON.stringify(joined(target.row, brought)),
    }
  }

  function sealed(source: Side, target: Side): string | null {
    const opened = ({ row, held }: Side) => (held.credentials === null ? {} : contents.open(row, held.credentials))
    const [plain, before] = [opened(source), opened(target)]
    if (JSON.stringify(plain) === JSON.stringify(before)) return target.held.credentials
    return Object.keys(plain).length === 0 ? null : contents.seal(target.row, plain)
  }

  async function plan(given: WholeInstance, target: WholeInstance, options: PushOptions) {
    const source = await asInstalled(given)
    const [from, to] = [await snapshots.held(source), await snapshots.held(target)]
    const held = compose({ row: source, held: from }, { row: target, held: to }, options)
    const ref = { id: source.id, name: source.name }
    return {
      brings: { held },
      what: source.name,
      source: ref,
      memo: { source: ref },
      now: to,
      /** Names what both hold. */
      seen: seenOf(from, to),
      async guard(tx: Tx) {
        const now = await findWhole(tx, target.id)
        if (!now) throw fail('not_found')
        if (seenOf(await snapshots.held(now, tx)) !== seenOf(to)) throw outdated(source, target)
      },
    }
  }

  const kind: Kind<PushInput, PushMemo> = {
    kind: 'push',
    title: 'Deploy from another instance',
    state: 'deploying',
    memo: PushMemo,

    /** @throws Failure not_found, invalid_source_project; outdated when either holds something else than was seen. */
    async read(instance, { id, options, seen }, actor): Promise<Plan<PushMemo>> {
      const [source, target] = [await sourceOf(actor, instance, id), await findWhole(read, instance.id)]
      if (!target) throw fail('not_found')
      const found = await plan(source, target, options)
      if (seen !== undefined && seen !== found.seen) throw outdated(source, target)
      return found
    },

    origin: () => ({ kind: 'push' }),
    keeps: ({ source }) => ({
      name: `Before push from “${source.name}”`,
      description: 'Contents before the push. Roll back to it to undo the push.',
    }),

    /** The parts composed when the push was asked for, with the settings that the target has by now. */
    settle: (target, { settings = '{}', ...held }) => {
      const { palette, env } = ownSettings({ settings })
      const brought = { ...(palette?.modules ? { modules: palette.modules } : {}), env: env ?? [] }
      return { ...held, settings: JSON.stringify(joined(target, brought)) }
    },

    refusesErrors: async ({ source }, targetId) => refusesErrors(source.id, targetId),

    async record(tx, { actor, memo, auditScope, project, error }) {
      const both = { project: memo.source, targetProject: project, ...error }
      await audit.record(tx, actor, 'project.imported', auditScope, { project, sourceProject: memo.source, ...error })
      await audit.record(tx, actor, 'project.copied', { ...auditScope, id: memo.source.id }, both)
    },
  }
  return {
    ...kind,

    /** The changes a pipeline would make to the target, and notes for the person. @throws Failure not_found. */
    async preview(sourceId: string, targetId: string) {
      const [source, target] = [await findWhole(read, sourceId), await findWhole(read, targetId)]
      if (!source || !target) throw fail('not_found')
      const { brings, now, seen } = await plan(source, target, pushOptions)
      const all = await complete(target, brings)
      const difference = await snapshots.compare(target, all, now)
      return {
        source: { id: source.id, name: source.name },
        target: { id: target.id, name: target.name },
        difference,
        ...(await drawn(now.flows, brings.held.flows, difference)),
        seen,
        notes: notesOn(source, target),
        brings: all,
        flows: now.flows,
        foreseen: await foresee({ row: target, now, brings: all, source: source.id }),
      }
    },
  }
}

const outdated = (source: { name: string }, target: { name: string }) =>
  fail('outdated', `“${source.name}” or “${target.name}” changed since you looked; look at the changes again`)

/** The settings of the target's own with what is brought: all modules, and variables that it does not have. */
function joined(
  target: WholeInstance,
  { modules, env }: { modules?: NonNullable<NonNullable<StoredSettings['palette']>['modules']>; env: EnvEntry[] },
): StoredSettings {
  const own = ownSettings(target)
  const effective = effectiveSettings(target)
  const names = new Set(effective.env?.map(({ name }) => name))
  const added = env.filter(({ name }) => !names.has(name))
  const sameModules = JSON.stringify(modules) === JSON.stringify(effective.palette?.modules ?? [])
  return {
    ...own,
    ...(modules === undefined || sameModules ? {} : { palette: { ...own.palette, modules } }),
    ...(added.length > 0 ? { env: [...(own.env ?? []), ...added] } : {}),
  }
}

function seenOf(...all: Held[]): string {
  const hash = createHash('sha256')
  for (const { flows, credentials, settings } of all) hash.update(JSON.stringify([flows, credentials, settings]))
  return hash.digest('base64url')
}

const stackOf = (row: WholeInstance): StackProperties => stackProperties({ properties: row.stack_properties })

/** Notes before a push, in sentences. */
function notesOn(source: WholeInstance, target: WholeInstance): string[] {
  const [from, to] = [stackOf(source).nodered, stackOf(target).nodered]
  return [
    ...(from === to
      ? []
      : [
          `“${source.name}” runs Node-RED ${from}, “${target.name}” ${to} and stays with it: nodes may do otherwise there.`,
        ]),
    ...(target.wanted === 'running'
      ? []
      : [`“${target.name}” does not run: it gets what is pushed and is not started.`]),
  ]
}
