import type { LogEntry } from '@app/contract'
import { DriverError } from '@app/drivers'
import type { Tx } from '../../platform/db/tables.ts'
import type { JobDefinition, StepContext } from '../../platform/jobs/jobs.ts'
import { findWhole, instanceRef, type Operation, personOf, starts, up, type WholeInstance } from '../instances/index.ts'
import { dropSnapshots, type Held } from '../snapshots/index.ts'
import { type DeploymentRow, findDeployment, updateDeployment } from './deployments.store.ts'
import type { pushKind, PushMemo } from './push.kind.ts'
import type { RollbackDependencies } from './rollback.job.ts'
import { steady } from './steady.ts'

export interface Push extends Operation {
  deployment: string
  memo: PushMemo
}
type Context = StepContext<Push>

/** How many lines of its log are kept of a start that failed. */
const logLines = 20

/** Declares the job that puts what another instance held in the place of what an instance holds. */
export function definePush(deps: RollbackDependencies, kind: ReturnType<typeof pushKind>): void {
  const { database, clock, jobs, driver, lifecycle, snapshots } = deps
  const runs = (row: WholeInstance) => row.wanted === 'running'

  async function contents(instanceId: string, id: string | null): Promise<Held> {
    const row = id === null ? undefined : await snapshots.find(instanceId, id)
    if (!row) throw new DriverError('gone', 'What was to be put in its place is gone')
    return snapshots.read(row)
  }
  /** What is brought, kept until it is there: the source may be gone. */
  const brought = async (context: Context) => contents(context.subject, (await deployment(context)).snapshot_id)

  async function deployment({ payload }: Context): Promise<DeploymentRow> {
    const row = await findDeployment(database.read, payload.deployment)
    if (!row) throw new DriverError('gone', 'The instance was deleted in the meantime')
    return row
  }

  /** Whatever cannot be had is found out here, before anything is touched. */
  async function fetchModules(context: Context): Promise<void> {
    const { subject, payload, jobId, report } = context
    await database.transact((tx) => updateDeployment(tx, payload.deployment, { job_id: jobId }))
    const row = await lifecycle.instance(subject)
    const { settings } = kind.settle(row, await brought(context))
    await lifecycle.prepare(context)
    await driver.prepareModules(lifecycle.modulesOf({ ...row, settings }), report)
  }

  async function stop({ subject, report }: Context): Promise<void> {
    if (!runs(await lifecycle.instance(subject))) return report({ text: 'It does not run' })
    await driver.stop(subject)
  }

  /** Its editor cannot deploy any more, so what it holds now is what comes back if need be. */
  async function replace(context: Context) {
    const { subject, payload } = context
    const row = await lifecycle.instance(subject)
    const held = kind.settle(row, await brought(context))
    const { name, description } = kind.keeps(payload.memo)
    const keep = await snapshots.takeAutomatic(row, name, description)
    const put = await snapshots.replacement(subject, held, { ...kind.origin(), by: personOf(payload.actor) })
    return async (tx: Tx) => {
      const before = await keep(tx)
      await put(tx)
      await updateDeployment(tx, payload.deployment, { before_id: before.id })
    }
  }

  async function start(context: Context) {
    const { subject, payload } = context
    const row = await lifecycle.instance(subject)
    if (runs(row)) {
      if ((await deployment(context)).state === 'returning') await bringBack(context)
      try {
        // After a kill it may be up already, or may have ended.
        if ((await driver.status(subject)).state === 'stopped') await lifecycle.begin(context)
        await up(driver, subject)
        await steady(driver, subject, deps.steadySeconds * 1_000)
      } catch (error) {
        const fault = error instanceof DriverError ? error.message : 'Something went wrong on the server.'
        if (!(error instanceof DriverError)) deps.log.error({ err: error, instance: subject }, 'push not started')
        await putBack(context, fault)
        await bringBack(context)
      }
    }
    const status = await driver.status(subject)
    const { snapshot_id } = await deployment(context)
    return async (tx: Tx) => {
      const { actor, memo } = payload
      await kind.record(tx, { actor, memo, place: lifecycle.place(row), project: instanceRef(row), error: {} })
      await updateDeployment(tx, payload.deployment, { state: 'done', ended_at: clock.now() })
      if (snapshot_id !== null) await dropSnapshots(tx, subject, snapshot_id)
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
    const { name } = payload.memo.source
    const reason = `What was pushed from “${name}” did not come up, and what was there before is back. ${fault}`
    const put = await snapshots.replacement(subject, before, kind.origin())
    await database.transact(async (tx) => {
      await put(tx)
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
    throw new DriverError('put_back', reason ?? '')
  }

  async function lastLines(id: string): Promise<LogEntry[]> {
    try {
      return await driver.logs(id, { limit: logLines })
    } catch {
      return []
    }
  }

  const failed: JobDefinition<Push>['failed'] = async (tx, { subject, payload }, message) => {
    const { actor, memo } = payload
    const row = await findWhole(tx, subject)
    const one = await findDeployment(tx, payload.deployment)
    if (!row || !one) return
    await updateDeployment(tx, one.id, { state: 'failed', reason: message, ended_at: clock.now() })
    if (one.snapshot_id !== null) await dropSnapshots(tx, subject, one.snapshot_id)
    // What it holds is there again.
    if (one.state === 'returning' && one.before_id !== null) await dropSnapshots(tx, subject, one.before_id)
    const error = { error: { code: 'push_failed', message } }
    await kind.record(tx, { actor, memo, place: lifecycle.place(row), project: instanceRef(row), error })
    await lifecycle.land(tx, subject, { asleep: row.asleep })
  }

  jobs.define<Push>({
    kind: 'deployment.push',
    title: 'Deploy from another instance',
    lane: starts,
    // What was there before is in its place again by then.
    once: true,
    steps: [
      { name: 'Fetch what it needs', run: fetchModules },
      { name: 'Stop Node-RED', run: stop },
      { name: 'Replace flows, credentials, modules and variables', run: replace },
      { name: 'Start Node-RED and see that it stays up', run: start },
    ],
    failed,
  })
}
