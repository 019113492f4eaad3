import type { Takeover } from '@app/contract'
import { DriverError } from '@app/drivers'
import { lacksDescriptors, outOfDescriptors } from '../../platform/descriptors.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { nodesIn } from '../flows/index.ts'
import { rememberInstalled, type WholeInstance } from '../instances/index.ts'
import { createCandidate } from './candidate.ts'
import { createContents } from './deployments.contents.ts'
import type { End } from './deployments.end.ts'
import type { Kind } from './deployments.kinds.ts'
import { lastLine, linesSince } from './deployments.lines.ts'
import { stopStep } from './deployments.replace.ts'
import { updateDeployment } from './deployments.store.ts'
import { type Context, createWork, type EngineDependencies, runs } from './deployments.work.ts'
import { kept, noteStill, readBefore } from './flows.before.ts'
import {
  type Counts,
  createJudging,
  FlowsRefused,
  reconnected,
  type Standard,
  untilStarted,
  type Verdict,
} from '@app/drivers/judging'
import { standardOf, type Terms } from './judging.later.ts'

const unjudged = 'The instance does not run, so its flows were not judged. Its next start judges them.'

/** The step that starts what was brought and judges it, and puts back what was there before when it does not pass. */
export function createStartStep<Input, Memo>(deps: EngineDependencies, kind: Kind<Input, Memo>, end: End<Memo>) {
  const { database, clock, driver, lifecycle, snapshots } = deps
  const { deployment, parts, plan: planOf } = createWork(deps, kind)
  const { putting } = createContents(snapshots)
  const candidate = createCandidate(deps)

  async function termsOf(context: Context<Memo>, row: WholeInstance): Promise<Terms> {
    const { allowStopped } = await parts(context, 'incoming')
    return {
      // Earlier versions of the platform wrote `true`, which names no reason.
      allowed: Array.isArray(allowStopped) ? [...allowStopped] : [],
      refusesErrors:
        row.on_errors === 'refuse' || (await kind.refusesErrors?.(context.payload.memo, context.subject)) === true,
    }
  }

  /** Differences between its flows and those before, as far as they matter for the verdict on them. */
  async function changesOf(context: Context<Memo>): Promise<Pick<Standard, 'bringsFlows' | 'reconnected'>> {
    const [next, former] = [await parts(context, 'incoming'), await parts(context, 'outgoing')]
    if (next.held.flows === undefined || former.held.flows === undefined) return { bringsFlows: false }
    return { bringsFlows: true, reconnected: reconnected(nodesIn(former.held.flows), nodesIn(next.held.flows)) }
  }

  async function noteTakeover(deploymentId: string, takeover: Takeover): Promise<void> {
    await database.transact((tx) => updateDeployment(tx, deploymentId, { takeover: JSON.stringify(takeover) }))
  }

  /** Stops what was to serve on, and says so where it was said to. Returns how the new version takes over now. */
  async function stopLater({ subject, payload, correct }: Context<Memo>, obstacle: string): Promise<Takeover> {
    // Before it is on record: what serves after a kill is taken for the new version then.
    await lifecycle.running.stopServing(await lifecycle.instance(subject), (since) =>
      noteStill(deps, payload.deployment, since),
    )
    const plan = { way: 'restart' as const, why: `${obstacle}.` }
    await noteTakeover(payload.deployment, plan)
    correct(stopStep, `Stopped later. ${plan.why}`)
    return plan
  }

  /** Starts it and has it judged. @throws DriverError put_back or not_back, with a sentence, when it does not pass. */
  async function startJudged(context: Context<Memo>, row: WholeInstance): Promise<Verdict> {
    const { subject, payload } = context
    const one = await deployment(context)
    const { state, reason, served_since, still_since } = one
    if (state === 'returning') await bringBack(context, reason ?? '')
    const since = await lastLine(driver, subject)
    const { allowed, refusesErrors } = await termsOf(context, row)
    const flows = {
      before: readBefore(one),
      ...(await changesOf(context)),
      allowed: new Set(allowed),
      refusesErrors,
    }
    let plan = await planOf(context)
    const tell = async (counts: Counts) => {
      if (plan) await noteTakeover(payload.deployment, { ...plan, ...counts })
    }
    const way = await candidate.wayIn(row, plan, { tell, servedSince: served_since, stillSince: still_since })
    const { passes, verdict } = createJudging(deps, { ...standardOf(deps, row), ...flows })
    try {
      const obstacle = await way.enter(passes)
      if (obstacle !== undefined) {
        plan = await stopLater(context, obstacle)
        await candidate.alone(row, (await deployment(context)).still_since, tell).enter(passes)
      }
    } catch (error) {
      if (await lifecycle.running.isElsewhere()) throw error
      const said = error instanceof DriverError ? error.message : 'Something went wrong on the server.'
      const fault = lacksDescriptors(error) ? outOfDescriptors : said
      if (!(error instanceof DriverError)) deps.log.error({ err: error, instance: subject }, 'not deployed')
      const faults = error instanceof FlowsRefused ? error.faults : []
      const why = await putBack(context, { fault, faults }, since)
      if (await way.back(await lifecycle.instance(subject))) throw new DriverError('put_back', why)
      await bringBack(context, why)
    }
    return verdict()
  }

  /**
   * Writes what was there before in the place of what did not come up; on record, so that a kill changes nothing.
   * Returns what the deployment has failed with.
   */
  async function putBack(
    context: Context<Memo>,
    { fault, faults }: { fault: string; faults: Verdict['faults'] },
    since: string | undefined,
  ): Promise<string> {
    const { subject, payload } = context
    const log = JSON.stringify(await linesSince(driver, subject, since))
    const reason = `${/[.!?]$/.test(fault) ? fault : `${fault}.`} The previous version is back.`
    const put = await putting(subject, await parts(context, 'outgoing'), {
      kind: 'rollback',
      deployment: payload.deployment,
    })
    await database.transact(async (tx) => {
      // Another server does this job by now if this one was frozen.
      await lifecycle.running.keepHost(tx)
      await put(tx)
      await updateDeployment(tx, payload.deployment, { state: 'returning', reason, log, ...kept({ faults }) })
    })
    return reason
  }

  /** Starts what was put back. @throws DriverError always, since the deployment has failed. */
  async function bringBack(context: Context<Memo>, reason: string): Promise<never> {
    const { subject, payload, report } = context
    report({ text: 'It failed; the previous version is put back' })
    const { still_since } = await deployment(context)
    const takeover = await planOf(context)
    const { gapMs: earlier = 0 } = takeover ?? {}
    const stopped = await lifecycle.running.still(await lifecycle.instance(subject))
    const since = takeover?.gapMs === undefined ? still_since : stopped
    try {
      await driver.stop(subject)
      await lifecycle.installModules(subject, report)
      await lifecycle.begin(context)
      await untilStarted(driver, subject)
      if (takeover?.way === 'restart' && since !== null)
        await noteTakeover(payload.deployment, { ...takeover, gapMs: earlier + Math.max(0, Date.now() - since) })
    } catch (error) {
      if (!(error instanceof DriverError)) throw error
      throw new DriverError('not_back', `${reason} But it does not start: ${error.message}`)
    }
    throw new DriverError('put_back', reason)
  }

  return async (context: Context<Memo>) => {
    const { subject } = context
    const row = await lifecycle.instance(subject)
    const terms = runs(row) ? undefined : await termsOf(context, row)
    const verdict: Verdict = terms ? { faults: [], warning: unjudged } : await startJudged(context, row)
    const status = await driver.status(subject)
    await rememberInstalled(deps, await lifecycle.instance(subject))
    return async (tx: Tx) => {
      await end(tx, context, row, { state: 'done', ...verdict, ...(terms ? { terms } : {}) })
      const flows_stopped = status.flowsStopped ? JSON.stringify(status.flowsStopped) : null
      const since = status.lastStartTime ?? clock.now()
      const started = { last_start_at: since, observed: status.state, reason: null, flows_stopped }
      const versions = status.versions ? { versions: JSON.stringify(status.versions) } : {}
      await lifecycle.finish(tx, subject, runs(row) ? { ...started, ...versions } : { asleep: row.asleep })
    }
  }
}
