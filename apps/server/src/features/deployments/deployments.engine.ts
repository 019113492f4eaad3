import type { InstanceCheck, LogEntry, Takeover, TakeoverPlan, TakeoverWay } from '@app/contract'
import { type Driver, DriverError } from '@app/drivers'
import type { Logger } from 'pino'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { lacksDescriptors, outOfDescriptors } from '../../platform/descriptors.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { newId } from '../../platform/ids.ts'
import type { JobDefinition, Jobs, StepContext } from '../../platform/jobs/jobs.ts'
import { stackProperties } from '../catalogue/index.ts'
import {
  type Addresses,
  checkModulesOf,
  findWhole,
  instanceEvent,
  instanceRef,
  type InstanceRow,
  type Instances,
  type Lifecycle,
  type Operation,
  personOf,
  rememberInstalled,
  starts,
  up,
  updateInstance,
  type WholeInstance,
} from '../instances/index.ts'
import { dropSnapshots, type Held, type Snapshots } from '../snapshots/index.ts'
import { createBeside, type Passes } from './beside.ts'
import { conditionOf, nameOfKept } from './deployments.condition.ts'
import type { Brought, Kind } from './deployments.kinds.ts'
import { dropParts, keepParts, packParts, readParts } from './deployments.parts.ts'
import { type DeploymentRow, findDeployment, insertDeployment, updateDeployment } from './deployments.store.ts'
import { changesOf } from './deployments.view.ts'
import { standing } from './deployments.standing.ts'
import { kept, noteBefore, readBefore } from './flows.before.ts'
import { FlowsRefused, type Verdict } from './flows.verdict.ts'
import { withModules } from './functions.ts'
import { gate, serving } from './gate.ts'
import { createPlanner } from './takeover.plan.ts'

export interface EngineDependencies {
  database: Database
  bus: Bus
  clock: Clock
  log: Logger
  jobs: Jobs
  driver: Driver
  addresses: Addresses
  lifecycle: Lifecycle
  snapshots: Snapshots
  launch: Instances['launch']
  /** How long new contents must run without a crash. */
  steadySeconds: number
}

interface Work<Memo> extends Operation {
  deployment: string
  /** How the instance did when it was asked for; absent in one that an earlier version of the platform began. */
  condition?: string
  memo: Memo
}

/** The report of the step that stops the instance, where it goes on serving instead. */
const stays: Record<Exclude<TakeoverWay, 'restart'>, string> = {
  beside: 'Keeps serving until the new version is up',
  held: 'Keeps serving; the new version starts with its inputs closed',
  'stop-first': 'Keeps serving until the new version is loaded',
}

/** How many lines of its log are kept of a start that failed. */
const logLines = 20

/**
 * Declares a kind of deployment. Returns what begins one: it is on record from then on, is worked off by a job that goes
 * on after a kill at any point, and puts back what was there when the new does not come up.
 */
export function createEngine(deps: EngineDependencies) {
  const { database, bus, clock, jobs, driver, lifecycle, snapshots } = deps
  const runs = (row: WholeInstance) => row.wanted === 'running'
  const beside = createBeside(deps)
  const complete = (row: WholeInstance, brings: Brought) => withModules({ driver, read: database.read }, row, brings)
  const planFor = createPlanner(deps)

  return function define<Input, Memo>(kind: Kind<Input, Memo>) {
    type Context = StepContext<Work<Memo>>

    async function deployment({ payload }: Context): Promise<DeploymentRow> {
      const row = await findDeployment(database.read, payload.deployment)
      if (!row) throw new DriverError('gone', 'The instance was deleted in the meantime')
      return row
    }
    async function parts(context: Context, which: 'incoming' | 'outgoing'): Promise<Brought> {
      const json = (await deployment(context))[which]
      if (json === null) throw new DriverError('gone', 'It is of an earlier version of the platform; ask for it again')
      return readParts(database.read, json)
    }

    /** How it takes over, as it was decided before anything was touched. */
    async function planOf(context: Context): Promise<TakeoverPlan | undefined> {
      const { takeover } = await deployment(context)
      return takeover === null ? undefined : (JSON.parse(takeover) as Takeover)
    }

    async function incoming(context: Context, row: WholeInstance): Promise<Brought> {
      const { held, ...more } = await parts(context, 'incoming')
      return complete(row, { held: kind.settle?.(row, held) ?? held, ...more })
    }

    /** Whatever cannot be had is found out here, before anything is touched. */
    async function fetchAll(context: Context): Promise<void> {
      const { subject, payload, jobId, report } = context
      await database.transact((tx) => updateDeployment(tx, payload.deployment, { job_id: jobId }))
      const now = await lifecycle.instance(subject)
      const brings = await incoming(context, now)
      const row = standing(now, brings)
      const stack = stackProperties({ properties: row.stack_properties })
      if (!(await driver.hasStack(stack))) await driver.installStack(stack, report)
      report({ text: `Node-RED ${stack.nodered}` })
      // It runs without some of its modules already, which is no reason to refuse what does not touch them.
      if (now.modules_fault !== null && !bringsModules(now, brings)) await lifecycle.installModules(subject, report)
      else await driver.prepareModules(lifecycle.modulesOf(row), report)
    }

    /** Does it change which modules the instance has, or what they run on? */
    function bringsModules(row: WholeInstance, brings: Brought): boolean {
      const [before, after] = [row, standing(row, brings)].map(lifecycle.modulesOf)
      return JSON.stringify(before) !== JSON.stringify(after)
    }

    async function stop(context: Context): Promise<void> {
      const { subject, payload, report } = context
      await noteBefore(deps, payload.deployment, subject)
      const now = await lifecycle.instance(subject)
      if (!runs(now)) return report({ text: 'It does not run' })
      const brings = await incoming(context, now)
      const plan = await planFor(now, { row: standing(now, brings), flows: brings.held.flows })
      const takeover = plan ? JSON.stringify(plan satisfies Takeover) : null
      await database.transact((tx) => updateDeployment(tx, payload.deployment, { takeover }))
      if (plan && plan.way !== 'restart') return report({ text: stays[plan.way] })
      if (plan) report({ text: plan.why })
      // What shows as deploying does so to the end.
      if (kind.state !== 'deploying')
        await database.transact(async (tx) => {
          const row = await updateInstance(tx, subject, { in_flight: 'restarting' })
          if (row) await bus.publish(tx, instanceEvent(row, clock.now()))
        })
      await driver.stop(subject)
    }

    async function replace(context: Context) {
      const { subject, payload } = context
      const { actor, memo, condition } = payload
      const row = await lifecycle.instance(subject)
      const brings = await incoming(context, row)
      const outgoing = await packParts(await inPlaceOf(row, brings))
      const label = kind.keeps?.(memo)
      const keep =
        label && (await snapshots.takeAutomatic(row, nameOfKept(label.name, clock.now(), condition), label.description))
      const put = await putting(subject, brings, { ...kind.origin(memo), by: personOf(actor) })
      return async (tx: Tx) => {
        const before = await keep?.(tx)
        await keepParts(tx, outgoing)
        await put(tx)
        // They were made ready in the first step.
        if (bringsModules(row, brings)) await updateInstance(tx, subject, { modules_fault: null })
        await updateDeployment(tx, payload.deployment, { before_id: before?.id ?? null, outgoing: outgoing.parts })
      }
    }

    async function start(context: Context) {
      const { subject, payload } = context
      const row = await lifecycle.instance(subject)
      let verdict: Verdict = { faults: [] }
      if (runs(row)) {
        const { state, reason, flows_before } = await deployment(context)
        if (state === 'returning') await bringBack(context, reason ?? '')
        const since = (await lastLines(subject, 1))[0]?.ts
        const flows = {
          before: readBefore(flows_before),
          refusesErrors: row.on_errors === 'refuse' || (await kind.refusesErrors?.(payload.memo, subject)) === true,
        }
        const plan = await planOf(context)
        const way = beside.wayIn(row, plan, async (counts) => {
          const takeover = plan ? JSON.stringify({ ...plan, ...counts } satisfies Takeover) : null
          await database.transact((tx) => updateDeployment(tx, payload.deployment, { takeover }))
        })
        const passes: Passes = async (judged, how) => {
          const { host, ...standard } = standardOf(row)
          if (how === 'briefly') {
            await gate(deps, { judged, host, steadyMs: 0, ...flows, refusesErrors: false })
            return
          }
          const steadyMs = how === 'half' ? standard.steadyMs / 2 : standard.steadyMs
          verdict = await gate(deps, { judged, host, ...standard, steadyMs, ...flows })
        }
        try {
          if (!(await way?.enter(passes))) {
            // After a kill it may be up already, or may have ended.
            if (way || (await driver.status(subject)).state === 'stopped') await lifecycle.begin(context)
            await passes(serving(driver, subject))
          }
        } catch (error) {
          const said = error instanceof DriverError ? error.message : 'Something went wrong on the server.'
          const fault = lacksDescriptors(error) ? outOfDescriptors : said
          if (!(error instanceof DriverError)) deps.log.error({ err: error, instance: subject }, 'not deployed')
          const faults = error instanceof FlowsRefused ? error.faults : []
          const why = await putBack(context, { fault, faults }, since)
          if (await way?.back(await lifecycle.instance(subject))) throw new DriverError('put_back', why)
          await bringBack(context, why)
        }
      }
      const status = await driver.status(subject)
      await rememberInstalled(deps, await lifecycle.instance(subject))
      return async (tx: Tx) => {
        await end(tx, context, row, { state: 'done', ...verdict })
        const flows_stopped = status.flowsStopped ? JSON.stringify(status.flowsStopped) : null
        const since = status.lastStartTime ?? clock.now()
        const started = { last_start_at: since, observed: status.state, reason: null, flows_stopped }
        const versions = status.versions ? { versions: JSON.stringify(status.versions) } : {}
        await lifecycle.land(tx, subject, runs(row) ? { ...started, ...versions } : { asleep: row.asleep })
      }
    }

    /**
     * Writes what was there before in the place of what did not come up; on record, so that a kill changes nothing.
     * Returns what the deployment has failed with.
     */
    async function putBack(
      context: Context,
      { fault, faults }: { fault: string; faults: Verdict['faults'] },
      since: string | undefined,
    ): Promise<string> {
      const { subject, payload } = context
      const log = await linesSince(subject, since)
      const reason = `${kind.subject(payload.memo)} did not come up, and what was there before is back. ${fault}`
      const put = await putting(subject, await parts(context, 'outgoing'), { kind: 'rollback' })
      await database.transact(async (tx) => {
        await put(tx)
        await updateDeployment(tx, payload.deployment, {
          state: 'returning',
          reason,
          log: JSON.stringify(log),
          ...kept({ faults }),
        })
      })
      return reason
    }

    /** Starts what was put back. @throws DriverError always, since the deployment has failed. */
    async function bringBack(context: Context, reason: string): Promise<never> {
      const { subject, report } = context
      report({ text: 'It did not come up; what was there before is put back' })
      await driver.stop(subject)
      try {
        await lifecycle.installModules(subject, report)
        await lifecycle.begin(context)
        await up(driver, subject)
      } catch (error) {
        if (!(error instanceof DriverError)) throw error
        throw new DriverError('not_back', `${reason} It does not come up either: ${error.message}`)
      }
      throw new DriverError('put_back', reason)
    }

    /** The row and the audit log say how it ended; what it kept for the way back goes. */
    async function end(
      tx: Tx,
      { payload: { actor, memo, deployment: id } }: Pick<Context, 'payload'>,
      row: WholeInstance,
      result: ({ state: 'done' } & Verdict) | { state: 'failed'; reason: string },
    ): Promise<void> {
      const one = await findDeployment(tx, id)
      if (!one) return
      await dropParts(tx, one)
      // What it holds is there again.
      const isBack = one.state === 'returning' && one.before_id !== null
      const outcome = result.state === 'done' ? { state: result.state, ...kept(result) } : result
      const over = { incoming: null, outgoing: null, flows_before: null, ended_at: clock.now() }
      await updateDeployment(tx, id, { ...outcome, ...over })
      if (isBack) await dropSnapshots(tx, row.id, one.before_id!)
      const error = result.state === 'failed' ? { error: { code: `${kind.kind}_failed`, message: result.reason } } : {}
      await kind.record(tx, { actor, memo, place: lifecycle.place(row), project: instanceRef(row), error })
    }

    const failed: JobDefinition<Work<Memo>>['failed'] = async (tx, { subject, payload }, reason) => {
      const row = await findWhole(tx, subject)
      if (!row) return
      await end(tx, { payload }, row, { state: 'failed', reason })
      await lifecycle.land(tx, subject, { asleep: row.asleep })
    }

    jobs.define<Work<Memo>>({
      kind: `deployment.${kind.kind}`,
      title: kind.title,
      lane: starts,
      // What was there before is in its place again by then.
      once: true,
      steps: [
        { name: 'Download Node-RED and modules', run: fetchAll },
        { name: 'Stop Node-RED', run: stop },
        { name: 'Replace flows and settings', run: replace },
        { name: 'Start and health-check', run: start },
      ],
      failed,
    })

    /** @throws Failure for what is wrong with the input; invalid_state while something else is done to the instance. */
    return async (actor: Actor, instance: InstanceRow, input: Input, install?: Brought['install']): Promise<void> => {
      const plan = await kind.read(instance, input, actor)
      const { what, snapshotId, source, memo, guard } = plan
      const row = await lifecycle.instance(instance.id)
      const asked: Brought = { ...plan.brings, ...(install ? { install } : {}) }
      const brings = await complete(row, asked)
      if (brings.held.settings !== undefined) checkModulesOf(row, brings.held.settings, 'modules')
      const changes = changesOf(await snapshots.compare(row, brings))
      // Which modules its functions need is asked again when it is put there.
      const packed = await packParts(asked)
      const work: Work<Memo> = { actor, deployment: newId(), condition: await conditionOf(driver, row), memo }
      const flight = { state: kind.state, kind: `deployment.${kind.kind}`, from: 'any' as const }
      await deps.launch(instance, flight, work, async (tx) => {
        await guard?.(tx)
        await keepParts(tx, packed)
        await insertDeployment(tx, {
          id: work.deployment,
          instance_id: instance.id,
          kind: kind.kind,
          state: 'running',
          job_id: null,
          actor_name: actor.kind === 'user' ? actor.name : 'Forge Platform',
          snapshot_id: snapshotId ?? null,
          snapshot_name: what,
          source_id: source?.id ?? null,
          source_name: source?.name ?? null,
          before_id: null,
          changes: JSON.stringify(changes),
          takeover: null,
          reason: null,
          log: null,
          incoming: packed.parts,
          outgoing: null,
          flows_before: null,
          faults: null,
          warning: null,
          created_at: clock.now(),
          ended_at: null,
        })
      })
    }
  }

  /** What the instance has in the place of what is brought. */
  async function inPlaceOf(row: WholeInstance, { held, ground }: Brought): Promise<Brought> {
    const now = await snapshots.held(row)
    const names = Object.keys(held) as (keyof Held)[]
    return {
      held: Object.fromEntries(names.map((name) => [name, now[name]])),
      ...(ground
        ? {
            ground: {
              type_id: row.type_id,
              stack_id: row.stack_id,
              properties: row.stack_properties,
              label: row.stack_label || row.stack_name,
            },
          }
        : {}),
    }
  }

  /** Makes contents ready; what is returned puts them in the place of what the instance holds. */
  async function putting(id: string, { held, ground }: Brought, origin: Parameters<Snapshots['replacement']>[2]) {
    const put = await snapshots.replacement(id, held, origin)
    return async (tx: Tx): Promise<void> => {
      if (ground) await updateInstance(tx, id, { type_id: ground.type_id, stack_id: ground.stack_id })
      await put(tx)
    }
  }

  function standardOf({ name, health_check }: WholeInstance) {
    return {
      host: new URL(deps.addresses.instanceUrl(name)).host,
      steadyMs: deps.steadySeconds * 1_000,
      ...(health_check === null ? {} : { check: JSON.parse(health_check) as InstanceCheck }),
    }
  }

  /** Those of the start that failed; the last ones of before where it did not come to write any. */
  async function linesSince(id: string, since: string | undefined): Promise<LogEntry[]> {
    const lines = await lastLines(id, logLines)
    const own = lines.filter(({ ts }) => since === undefined || BigInt(ts) > BigInt(since))
    return own.length > 0 ? own : lines
  }

  async function lastLines(id: string, limit: number): Promise<LogEntry[]> {
    try {
      return await driver.logs(id, { limit })
    } catch {
      return []
    }
  }
}
