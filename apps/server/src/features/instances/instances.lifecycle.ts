import { type Driver, DriverError, type ModulesSpec, type Report } from '@app/drivers'
import { availableParallelism } from 'node:os'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import { systemActor } from '../../platform/authz/actor.ts'
import { ActorSchema } from '../../platform/authz/actor.schema.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Services } from '../../platform/features/services.ts'
import type { Bus } from '../../platform/events/bus.ts'
import {
  defineJob,
  type JobDefinition,
  type Lane,
  type StepContext,
  type StepDefinition,
} from '../../platform/jobs/definition.ts'
import type { Jobs } from '../../platform/jobs/jobs.ts'
import { type Audit, teamScope } from '../audit/index.ts'
import { stackProperties } from '../catalogue/index.ts'
import { teamRef } from '../teams/index.ts'
import type { Tokens } from '../tokens/index.ts'
import { findDeleted } from './instances.deleted.store.ts'
import { findWhole, type WholeInstance } from './instances.lists.store.ts'
import { deleteInstance, type InstanceRow, updateInstance } from './instances.store.ts'
import type { Host } from '../hosting/index.ts'
import { createRunning } from './instances.running.ts'
import { untilStarted } from '@app/drivers/judging'
import { rememberInstalled } from './instances.modules.ts'
import type { Protection, Traffic } from '../instance-proxy/index.ts'
import { type Addresses, instanceEvent } from './instances.view.ts'
import { effectiveSettings } from '../instance-settings/index.ts'

export interface LifecycleDependencies {
  database: Database
  bus: Bus
  clock: Clock
  log: Logger
  jobs: Jobs
  audit: Audit
  tokens: Tokens
  driver: Driver
  vault: Vault
  addresses: Addresses
  /** Address of the platform as instances on this machine reach it. */
  platformUrl: string
  traffic: Traffic
  protection: Protection
  host: Host
  hooks: Services['hooks']
}

export type Lifecycle = ReturnType<typeof defineLifecycle>

/** The person behind every operation on an instance. */
export const Operation = z.object({
  actor: ActorSchema,
  /** The platform starts it after a crash; `safe`: without its flows. */
  again: z.exactOptional(z.object({ safe: z.boolean() })),
})
export type Operation = z.infer<typeof Operation>

export const instanceRef = ({ id, name }: Pick<InstanceRow, 'id' | 'name'>) => ({ id, name })
/** A start keeps a core busy: more of them at once end no sooner, and leave the console nothing. */
export const starts: Lane = { name: 'start', width: Math.max(2, availableParallelism()) }
/** Somebody waits for the answer of a waking instance, so it does not wait for what fifty others asked for. */
const wakes: Lane = { name: 'wake', width: starts.width }

/**
 * Defines the jobs that start, stop, restart, suspend and delete an instance. Returns them, and what other jobs on
 * instances are made of.
 */
export function defineLifecycle(deps: LifecycleDependencies) {
  const { database, bus, clock, jobs, audit, driver, hooks } = deps
  type Context = StepContext<Operation>

  async function instance(id: string): Promise<WholeInstance> {
    const row = await findWhole(database.read, id)
    if (!row) throw new DriverError('gone', 'The instance was deleted in the meantime')
    return row
  }
  function modulesOf(row: WholeInstance): ModulesSpec {
    const { palette } = effectiveSettings(row)
    const modules = Object.fromEntries((palette?.modules ?? []).map(({ name, version }) => [name, version]))
    return { id: row.id, stack: stackOf(row), modules, installScripts: palette?.installScripts === true }
  }
  const stackOf = (row: WholeInstance) => stackProperties({ properties: row.stack_properties })
  const auditScope = (row: { id: string; team_id: string }) => ({
    type: 'project' as const,
    id: row.id,
    team: row.team_id,
  })

  /** Ends the operation with a new wanted state and tells the browsers. */
  async function finish(tx: Tx, id: string, change: Partial<InstanceRow>): Promise<void> {
    const row = await updateInstance(tx, id, {
      asleep: 0,
      ...change,
      in_flight: null,
      in_flight_until: 0,
      updated_at: clock.now(),
    })
    if (row) await bus.publish(tx, instanceEvent(row, clock.now()))
  }

  const prepare: StepDefinition<Operation> = {
    name: 'Prepare Node-RED',
    async run({ subject, report }: Context) {
      const stack = stackOf(await instance(subject))
      if (!(await driver.hasStack(stack))) await driver.installStack(stack, report)
      report({ text: `Node-RED ${stack.nodered}` })
    },
  }

  const install: StepDefinition<Operation> = {
    name: 'Install modules',
    run: ({ subject, report }: Context) => installModules(subject, report),
  }

  /**
   * Makes the modules of an instance ready. Where they cannot be had, it goes on with those it has, and its state says
   * why. @throws DriverError when it has none to go on with.
   */
  async function installModules(id: string, report: Report): Promise<void> {
    const row = await instance(id)
    const fault = await faultOf(modulesOf(row), report)
    if (fault !== undefined) report({ text: 'Starts with the modules it has' })
    if ((fault ?? null) !== row.modules_fault)
      await database.transact(async (tx) => void (await updateInstance(tx, id, { modules_fault: fault ?? null })))
  }

  async function faultOf(spec: ModulesSpec, report: Report): Promise<string | undefined> {
    try {
      await driver.prepareModules(spec, report)
      return undefined
    } catch (error) {
      const passing = !(error instanceof DriverError) || error.code === 'interrupted'
      if (passing || !(await driver.canKeepModules(spec))) throw error
      return error.message
    }
  }

  const end: StepDefinition<Operation> = {
    name: 'Stop Node-RED',
    run: async ({ subject }: Context) => driver.stop(subject),
  }

  const begin: StepDefinition<Operation> = {
    name: 'Start Node-RED',
    run: async ({ subject, payload }: Context) => running.start(await instance(subject), payload.again),
  }
  const running = createRunning(deps, modulesOf)

  /** Two processes are restarted one after the other, by the step that follows. */
  const endAtOnce: StepDefinition<Operation> = {
    name: end.name,
    async run(context: Context) {
      if (running.canRoll(await instance(context.subject)))
        return context.report({ text: 'One process after the other' })
      await driver.stop(context.subject)
    },
  }
  const beginInTurn: StepDefinition<Operation> = {
    name: begin.name,
    async run({ subject, payload, report }: Context) {
      const row = await instance(subject)
      if (running.canRoll(row)) await running.roll(row, report)
      else await running.start(row, payload.again)
    },
  }

  function waitUntilStarted(
    change: Partial<InstanceRow>,
    event: 'project.started' | 'project.restarted' | undefined,
  ): StepDefinition<Operation> {
    return {
      name: 'Wait for Node-RED to answer',
      async run(context: Context) {
        const { subject, payload } = context
        const row = await instance(subject)
        // After a kill it may have gone down together with the server that had started it.
        if ((await driver.status(subject)).state === 'stopped') await begin.run(context)
        try {
          await untilStarted(driver, subject)
        } catch (error) {
          // A crashed process is gone, and its driver decides what follows.
          if ((await driver.status(subject)).state !== 'crashed') await driver.stop(subject)
          throw error
        }
        const status = await driver.status(subject)
        await rememberInstalled(deps, row)
        return async (tx) => {
          if (payload.again?.safe) await audit.record(tx, payload.actor, 'safe-mode', auditScope(row), {})
          else if (event) await audit.record(tx, payload.actor, event, auditScope(row), { project: instanceRef(row) })
          await finish(tx, subject, {
            ...change,
            observed: status.state,
            reason: status.reason ?? null,
            members: status.members ? JSON.stringify(status.members) : null,
            last_start_at: status.lastStartTime ?? clock.now(),
            versions: status.versions ? JSON.stringify(status.versions) : row.versions,
          })
          if (status.state === 'running') await hooks.run('instance.started', tx, subject)
          if (status.state === 'safe') await hooks.run('instance.start-failed', tx, subject, withoutFlows)
        }
      },
    }
  }

  function settle(
    name: string,
    change: Partial<InstanceRow>,
    event: 'project.stopped' | 'project.suspended' | undefined,
  ): StepDefinition<Operation> {
    return {
      name,
      async run({ subject, payload }: Context) {
        const row = await instance(subject)
        return async (tx) => {
          if (event) await audit.record(tx, payload.actor, event, auditScope(row), { project: instanceRef(row) })
          await finish(tx, subject, { ...change, observed: 'stopped', reason: null, members: null })
        }
      },
    }
  }

  const softDelete: StepDefinition<Operation> = {
    name: 'Mark as deleted',
    async run({ subject, payload }: Context) {
      const row = await findWhole(database.read, subject)
      if (!row) return
      return async (tx) => {
        const team = teamRef({ id: row.team_id, name: row.team_name, slug: row.team_slug })
        const body = { team, project: instanceRef(row) }
        const ofTeam = teamScope(row.team_id)
        await audit.record(tx, payload.actor, 'project.deleted', ofTeam, body)
        await audit.record(tx, payload.actor, 'project.deleted', { type: 'project', id: row.id }, body)
        await hooks.run('instance.deleted', tx, subject)
        await updateInstance(tx, subject, {
          deleted_at: clock.now(),
          deleted_by: payload.actor.kind === 'user' ? payload.actor.name : null,
          // Nobody can ask for this name, and the one it had is free again.
          name_key: `~${subject}`,
          in_flight: null,
          in_flight_until: 0,
          observed: 'stopped',
          reason: null,
          restart: null,
          client_id: null,
          client_secret_hash: null,
          members: null,
          access: null,
        })
        await gone(tx, row)
      }
    },
  }

  const erase: StepDefinition<Operation> = {
    name: 'Remove files and history',
    async run({ subject, payload }: Context) {
      // Should it be there again after all, nothing of it may go.
      if (await findWhole(database.read, subject)) return
      const row = await findDeleted(database.read, subject)
      await driver.remove(subject)
      if (!row) return
      return async (tx) => {
        const team = teamRef({ id: row.team_id, name: row.team_name, slug: row.team_slug })
        const ofTeam = teamScope(row.team_id)
        await audit.record(tx, payload.actor, 'project.removed', ofTeam, { team, project: instanceRef(row) })
        await hooks.run('instance.leaving', tx, subject)
        await deleteInstance(tx, subject)
        await hooks.run('instance.left', tx, row.application_id)
        await gone(tx, row)
      }
    },
  }

  /** It is in no list any more, and what was done to it before is over. */
  async function gone(tx: Tx, row: Pick<InstanceRow, 'id' | 'team_id' | 'application_id'>): Promise<void> {
    await jobs.forget(tx, row.id)
    await bus.publish(tx, {
      type: 'instance.deleted',
      team: row.team_id,
      application: row.application_id,
      id: row.id,
    })
  }

  /** `change`: what a failure leaves behind, beside an ended operation. */
  function failing(change: Partial<InstanceRow>, event: boolean): JobDefinition<Operation>['failed'] {
    return async (tx, { subject, payload }, message) => {
      const row = await findWhole(tx, subject)
      if (!row) return
      if (event)
        await audit.record(tx, payload?.actor ?? systemActor, 'project.start-failed', auditScope(row), {
          error: { code: 'start_failed', message },
        })
      if (event) await hooks.run('instance.start-failed', tx, subject, message)
      await finish(tx, subject, { ...change, reason: message })
    }
  }

  const wanted = { wanted: 'running' as const }
  const suspended = { wanted: 'suspended' as const }
  const operation = (
    kind: string,
    title: string,
    steps: StepDefinition<Operation>[],
    failed: JobDefinition<Operation>['failed'],
    lane?: Lane,
  ) => defineJob({ kind, title, payload: Operation, steps, failed, ...(lane ? { lane } : {}) })

  const operationJobs = [
    operation(
      'instance.create',
      'Create instance',
      [prepare, install, begin, waitUntilStarted(wanted, undefined)],
      failing(suspended, true),
      starts,
    ),
    operation(
      'instance.start',
      'Start instance',
      [prepare, install, begin, waitUntilStarted(wanted, 'project.started')],
      failing({}, true),
      starts,
    ),
    operation(
      'instance.restart',
      'Restart instance',
      [prepare, install, endAtOnce, beginInTurn, waitUntilStarted(wanted, 'project.restarted')],
      failing({}, true),
      starts,
    ),
    operation(
      'instance.stop',
      'Stop instance',
      [end, settle('Record the stop', { wanted: 'stopped' }, 'project.stopped')],
      failing({}, false),
    ),
    operation(
      'instance.suspend',
      'Suspend instance',
      [end, settle('Record the suspension', suspended, 'project.suspended')],
      failing({}, false),
    ),
    // Neither is somebody's doing, so neither is in the audit log: a quiet day would fill it.
    operation(
      'instance.sleep',
      'Fall asleep',
      [end, settle('Record the sleep', { ...suspended, asleep: 1 }, undefined)],
      failing({}, false),
    ),
    operation(
      'instance.wake',
      'Wake up',
      [prepare, install, begin, waitUntilStarted(wanted, undefined)],
      failing({ asleep: 1 }, true),
      wakes,
    ),
    operation('instance.delete', 'Delete instance', [end, softDelete], failing({}, false)),
    operation('instance.remove', 'Remove deleted instance', [end, erase], failing({}, false)),
  ]

  return {
    operationJobs,
    instance,
    modulesOf,
    installModules,
    auditScope,
    finish,
    prepare: prepare.run,
    begin: begin.run,
    running,
  }
}

export const bySystem: Operation = { actor: systemActor }

/** The start of an instance in safe mode, as the record of a deployment says it. */
export const withoutFlows = 'Node-RED was started without its flows'
