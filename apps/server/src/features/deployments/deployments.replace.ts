import { nodesIn } from '../flows/index.ts'
import { personOf } from '../../platform/authz/actor.ts'
import type { Takeover, TakeoverWay } from '@app/contract'
import type { Tx } from '../../platform/db/tables.ts'
import { DriverError } from '@app/drivers'
import { stackProperties } from '../catalogue/index.ts'
import { instanceEvent, updateInstance, type WholeInstance } from '../instances/index.ts'
import { conditionOf, nameOfKept } from './deployments.condition.ts'
import { createContents } from './deployments.contents.ts'
import type { Brought, Kind } from './deployments.kinds.ts'
import { keepParts, packParts } from './deployments.parts.ts'
import { standing } from './deployments.standing.ts'
import { updateDeployment } from './deployments.store.ts'
import { type Context, createWork, type EngineDependencies, runs } from './deployments.work.ts'
import { noteBefore, noteStill, readBefore } from './flows.before.ts'
import { foresee, type ForeseeDependencies } from './foresee.ts'
import { noneEnabled } from './foresee.nodes.ts'
import { listed } from './foresee.words.ts'
import { createPlanner } from './takeover.plan.ts'

/** The name of the step that stops the instance, or leaves it serving. */
export const stopStep = 'Stop Node-RED or keep it serving'

type Staying = Exclude<TakeoverWay, 'restart'>

/** The report of the step that stops the instance, where it goes on serving instead. */
const stays: Record<Staying, string> = {
  beside: 'Keeps serving until the new version is up',
  held: 'Keeps serving; the new version starts with its inputs closed',
  'stop-first': 'Keeps serving until the new version is loaded',
}

/** The same for two replicas. */
const staysInTurn = (way: Staying) =>
  `One replica keeps serving while the other is replaced${way === 'beside' ? '' : '; each new one starts with its inputs closed'}`

/** The steps of a deployment that come before the start: download, stop, replace. */
export function createReplaceSteps<Input, Memo>(
  deps: EngineDependencies & ForeseeDependencies,
  kind: Kind<Input, Memo>,
) {
  const { database, bus, clock, driver, lifecycle, snapshots } = deps
  const { deployment, incoming, bringsModules } = createWork(deps, kind)
  const { inPlaceOf, putting } = createContents(snapshots)
  const planFor = createPlanner(deps)

  /**
   * No start judges the flows of an instance that does not run, so what is certain about them is refused here. So are
   * flows that have nothing to judge, in the place of others, whether it runs or not.
   * @throws DriverError for a reason that the request does not allow.
   */
  async function refuseCertain(context: Context<Memo>, row: WholeInstance, brings: Brought): Promise<void> {
    const { source_id } = await deployment(context)
    const now = await snapshots.held(row)
    const foreseen = runs(row)
      ? noneEnabled(nodesIn(brings.held.flows ?? now.flows), nodesIn(now.flows))
      : await foresee(deps, { row, now, brings, ...(source_id === null ? {} : { source: source_id }) })
    const allowed = new Set(brings.allowStopped)
    const refused = foreseen.filter(({ stops, codes = [] }) => stops && codes.some((code) => !allowed.has(code)))
    if (refused.length === 0) return
    const sentences = refused.slice(0, 3).map(({ sentence }) => sentence)
    const more = refused.length > 3 ? ` And ${refused.length - 3} more.` : ''
    const untold = refused.flatMap(({ codes = [] }) => codes.filter((code) => !allowed.has(code)))
    const codes = listed([...new Set(untold)], 10)
    throw new DriverError(
      'flows_not_started',
      `Nothing was changed. ${sentences.join(' ')}${more} The request does not allow ${codes}.`,
    )
  }

  return {
    /** Everything that cannot be had is found out here, before anything is touched. */
    async fetchAll(context: Context<Memo>): Promise<void> {
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
      await refuseCertain(context, now, brings)
    },

    async stop(context: Context<Memo>): Promise<void> {
      const { subject, payload, report } = context
      await noteBefore(deps, payload.deployment, subject)
      const now = await lifecycle.instance(subject)
      if (!runs(now)) return report({ text: 'It does not run' })
      const brings = await incoming(context, now)
      const plan = await planFor(now, { row: standing(now, brings), flows: brings.held.flows })
      // After a kill it may have been stopped already; how that was decided stays on record.
      if (plan) {
        const takeover = JSON.stringify(plan satisfies Takeover)
        await database.transact((tx) => updateDeployment(tx, payload.deployment, { takeover }))
      }
      if (plan && plan.way !== 'restart')
        return report({ text: now.replicas === null ? stays[plan.way] : staysInTurn(plan.way) })
      if (plan) report({ text: `Stops. ${plan.why}` })
      // An instance shown as deploying stays so to the end.
      if (kind.state !== 'deploying')
        await database.transact(async (tx) => {
          const row = await updateInstance(tx, subject, { in_flight: 'restarting' })
          if (row) await bus.publish(tx, instanceEvent(row, clock.now()))
        })
      // An instance that does not serve leaves no gap.
      if (plan) await lifecycle.running.stopServing(now, (since) => noteStill(deps, payload.deployment, since))
      else await driver.stop(subject)
    },

    async replace(context: Context<Memo>) {
      const { subject, payload } = context
      const { actor, memo } = payload
      const row = await lifecycle.instance(subject)
      const brings = await incoming(context, row)
      const outgoing = await packParts(await inPlaceOf(row, brings))
      const { name, description } = kind.keeps(memo)
      const condition = conditionOf(row, readBefore(await deployment(context)))
      const keep = await snapshots.takeAutomatic(row, nameOfKept(name, clock.now(), condition), description)
      const put = await putting(subject, brings, {
        ...kind.origin(memo),
        by: personOf(actor),
        deployment: payload.deployment,
      })
      return async (tx: Tx) => {
        const before = await keep(tx)
        await keepParts(tx, outgoing)
        await put(tx)
        // They were made ready in the first step.
        if (bringsModules(row, brings)) await updateInstance(tx, subject, { modules_fault: null })
        await updateDeployment(tx, payload.deployment, { before_id: before.id, outgoing: outgoing.parts })
      }
    },
  }
}
