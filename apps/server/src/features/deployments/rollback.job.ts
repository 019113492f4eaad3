import type { LogEntry } from '@app/contract'
import { type Driver, DriverError } from '@app/drivers'
import type { Logger } from 'pino'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Bus } from '../../platform/events/bus.ts'
import type { JobDefinition, Jobs, StepContext } from '../../platform/jobs/jobs.ts'
import type { Audit } from '../audit/index.ts'
import {
  findWhole,
  instanceEvent,
  instanceRef,
  type Lifecycle,
  type Operation,
  personOf,
  starts,
  up,
  updateInstance,
  type WholeInstance,
} from '../instances/index.ts'
import { dropSnapshots, type Snapshots } from '../snapshots/index.ts'
import { createBeside } from './beside.ts'
import { type DeploymentRow, findDeployment, updateDeployment } from './deployments.store.ts'
import { steady } from './steady.ts'

export interface RollbackDependencies {
  database: Database
  bus: Bus
  clock: Clock
  log: Logger
  jobs: Jobs
  audit: Audit
  driver: Driver
  lifecycle: Lifecycle
  snapshots: Snapshots
  /** How long new contents must run without a crash. */
  steadySeconds: number
}

export interface Rollback extends Operation {
  deployment: string
  snapshot: { id: string; name: string }
}
type Context = StepContext<Rollback>

/** How many lines of its log are kept of a start that failed. */
const logLines = 20

/** Declares the job that puts a snapshot in the place of what an instance holds. */
export function defineRollback(deps: RollbackDependencies): void {
  const { database, bus, clock, jobs, audit, driver, lifecycle, snapshots } = deps
  const runs = (row: WholeInstance) => row.wanted === 'running'
  const beside = createBeside(deps)

  async function contents(instanceId: string, id: string | null) {
    const row = id === null ? undefined : await snapshots.find(instanceId, id)
    if (!row) throw new DriverError('gone', 'The snapshot was deleted in the meantime')
    return snapshots.read(row)
  }
  async function deployment({ payload }: Context): Promise<DeploymentRow> {
    const row = await findDeployment(database.read, payload.deployment)
    if (!row) throw new DriverError('gone', 'The instance was deleted in the meantime')
    return row
  }

  /** Whatever cannot be had of the snapshot is found out here, before anything is touched. */
  async function fetchModules(context: Context): Promise<void> {
    const { subject, payload, jobId, report } = context
    await database.transact((tx) => updateDeployment(tx, payload.deployment, { job_id: jobId }))
    const row = await lifecycle.instance(subject)
    const { settings } = await contents(subject, payload.snapshot.id)
    await lifecycle.prepare(context)
    await driver.prepareModules(lifecycle.modulesOf({ ...row, settings }), report)
  }

  async function stop({ subject, report }: Context): Promise<void> {
    const now = await lifecycle.instance(subject)
    if (!runs(now)) return report({ text: 'It does not run' })
    if (beside.mayTry(now)) return report({ text: 'It serves on until the other is up' })
    await database.transact(async (tx) => {
      const row = await updateInstance(tx, subject, { in_flight: 'restarting' })
      if (row) await bus.publish(tx, instanceEvent(row, clock.now()))
    })
    await driver.stop(subject)
  }

  async function replace({ subject, payload }: Context) {
    const held = await contents(subject, payload.snapshot.id)
    const keep = await snapshots.takeAutomatic(
      await lifecycle.instance(subject),
      `Before the rollback to “${payload.snapshot.name}”`,
      'What the instance held, kept by the platform so that the rollback can be undone.',
    )
    const replace = await snapshots.replacement(subject, held, personOf(payload.actor))
    return async (tx: Tx) => {
      const before = await keep(tx)
      await replace(tx)
      await updateDeployment(tx, payload.deployment, { before_id: before.id })
    }
  }

  async function start(context: Context) {
    const { subject, payload } = context
    const row = await lifecycle.instance(subject)
    if (runs(row)) {
      if ((await deployment(context)).state === 'returning') await bringBack(context)
      const servedBefore = beside.mayTry(row) ? (await driver.status(subject)).lastStartTime : undefined
      try {
        const isBeside = beside.mayTry(row)
        if (!isBeside || !(await beside.replace(row))) {
          // After a kill it may be up already, or may have ended.
          if (isBeside || (await driver.status(subject)).state === 'stopped') await lifecycle.begin(context)
          await up(driver, subject)
          await steady(driver, subject, deps.steadySeconds * 1_000)
        }
      } catch (error) {
        const fault = error instanceof DriverError ? error.message : 'Something went wrong on the server.'
        if (!(error instanceof DriverError)) deps.log.error({ err: error, instance: subject }, 'rollback not started')
        const before = (await driver.status(subject)).lastStartTime
        await putBack(context, fault)
        // What was there before has run on all the while.
        if (servedBefore !== undefined && before === servedBefore) throw await asPutBack(context)
        await bringBack(context)
      }
    }
    const status = await driver.status(subject)
    return async (tx: Tx) => {
      const body = { project: instanceRef(row), snapshot: payload.snapshot }
      await audit.record(tx, payload.actor, 'project.snapshot.rolled-back', lifecycle.place(row), body)
      await updateDeployment(tx, payload.deployment, { state: 'done', ended_at: clock.now() })
      const started = { last_start_at: status.lastStartTime ?? clock.now(), observed: status.state, reason: null }
      const versions = status.versions ? { versions: JSON.stringify(status.versions) } : {}
      await lifecycle.land(tx, subject, runs(row) ? { ...started, ...versions } : { asleep: row.asleep })
    }
  }

  /** Writes what was there before in the place of what did not come up; on record, so that a kill changes nothing. */
  async function putBack(context: Context, fault: string): Promise<void> {
    const { subject, payload } = context
    const before = await contents(subject, (await deployment(context)).before_id)
    const log = await lastLines(subject)
    const reason = `The snapshot did not come up, and what was there before is back. ${fault}`
    const replace = await snapshots.replacement(subject, before, undefined)
    await database.transact(async (tx) => {
      await replace(tx)
      await updateDeployment(tx, payload.deployment, { state: 'returning', reason, log: JSON.stringify(log) })
    })
  }

  /** Starts what was put back. @throws DriverError always, since the deployment has failed. */
  async function bringBack(context: Context): Promise<never> {
    const { subject, report } = context
    report({ text: 'It did not come up; what was there before is put back' })
    const { reason } = await deployment(context)
    await driver.stop(subject)
    try {
      await lifecycle.begin(context)
      await up(driver, subject)
    } catch (error) {
      if (!(error instanceof DriverError)) throw error
      throw new DriverError('not_back', `${reason} It does not come up either: ${error.message}`)
    }
    throw await asPutBack(context)
  }

  /** What the deployment has failed with, since what was there before is back. */
  async function asPutBack(context: Context): Promise<DriverError> {
    return new DriverError('put_back', (await deployment(context)).reason ?? '')
  }

  async function lastLines(id: string): Promise<LogEntry[]> {
    try {
      return await driver.logs(id, { limit: logLines })
    } catch {
      return []
    }
  }

  const failed: JobDefinition<Rollback>['failed'] = async (tx, { subject, payload }, message) => {
    const row = await findWhole(tx, subject)
    const one = await findDeployment(tx, payload.deployment)
    if (!row || !one) return
    const end = { state: 'failed' as const, reason: message, ended_at: clock.now() }
    await updateDeployment(tx, one.id, end)
    // What it holds is there again.
    if (one.state === 'returning' && one.before_id !== null) await dropSnapshots(tx, subject, one.before_id)
    const error = { code: 'rollback_failed', message }
    const body = { project: instanceRef(row), snapshot: payload.snapshot, error }
    await audit.record(tx, payload.actor, 'project.snapshot.rolled-back', lifecycle.place(row), body)
    await lifecycle.land(tx, subject, { asleep: row.asleep })
  }

  jobs.define<Rollback>({
    kind: 'deployment.rollback',
    title: 'Roll back',
    lane: starts,
    steps: [
      { name: 'Fetch what the snapshot needs', run: fetchModules },
      { name: 'Stop Node-RED', run: stop },
      { name: 'Replace flows, credentials, variables and settings', run: replace },
      { name: 'Start Node-RED and see that it stays up', run: start },
    ],
    failed,
  })
}
