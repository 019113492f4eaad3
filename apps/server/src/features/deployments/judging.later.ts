import { DriverError, slots } from '@app/drivers'
import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod/mini'
import { jsonColumn } from '../../platform/db/json.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import { defineJob, type StepContext } from '../../platform/jobs/definition.ts'
import { findWhole, instanceEvent, instanceJson, type WholeInstance, withoutFlows } from '../instances/index.ts'
import { linesSince } from './deployments.lines.ts'
import { type DeploymentRow, findLast, findUnjudged, type Unjudged, updateDeployment } from './deployments.store.ts'
import { type EngineDependencies, runs } from './deployments.work.ts'
import { kept } from './flows.before.ts'
import { createJudging, FlowsRefused } from '@app/drivers/judging'
import { passAll } from './judging.replicas.ts'

/** The rules by which flows are judged at a later start. */
const Terms = z.object({
  /** Reasons that may keep them from running, since the person accepted them. */
  allowed: z.array(z.string()),
  /** Are errors refused? */
  refusesErrors: z.boolean(),
})
export type Terms = z.infer<typeof Terms>
const readTerms = jsonColumn('deployments.terms', Terms)

const lookMs = 1_000
const kind = 'deployment.judge'
const Work = z.object({ instance: z.string() })
type Work = z.infer<typeof Work>
/** Apart from the jobs of the instance, since nothing has to wait for this one. */
const subjectOf = (instance: string) => `judge ${instance}`
type Dependencies = Pick<
  EngineDependencies,
  'database' | 'bus' | 'clock' | 'jobs' | 'driver' | 'addresses' | 'steadySeconds'
>

/** The standard that an instance has to meet when it starts. */
export function standardOf(
  { addresses, steadySeconds }: Pick<EngineDependencies, 'addresses' | 'steadySeconds'>,
  { id, name, port, health_check }: WholeInstance,
) {
  return {
    host: new URL(addresses.instanceUrl({ name, port })).host,
    steadyMs: steadySeconds * 1_000,
    ...(health_check === null ? {} : { check: instanceJson.healthCheck(health_check, id) }),
  }
}

/**
 * Judges what was put into an instance that did not run, once that has started, by the rules of its deployment. What was
 * there before is not put back: the verdict goes on record.
 */
export function createLaterJudging(deps: Dependencies) {
  const { database, bus, clock, jobs, driver } = deps
  const { read } = database

  /** The deployment to an instance that runs, while nobody knows of its flows. */
  async function open(id: string): Promise<{ one: Unjudged; row: WholeInstance } | undefined> {
    const [one, row] = [await findUnjudged(read, id), await findWhole(read, id)]
    return one && row && runs(row) ? { one, row } : undefined
  }

  /** A stop or restart meanwhile says nothing about its flows. */
  async function judge(one: Unjudged, row: WholeInstance): Promise<Partial<DeploymentRow> | 'stopped' | 'restarted'> {
    const { allowed, refusesErrors } = readTerms(one.terms, one.id)
    const bringsFlows = one.kind !== 'stack'
    const flows = { before: 'none' as const, bringsFlows, allowed: new Set(allowed), refusesErrors }
    try {
      const { passes, verdict } = createJudging(deps, { ...standardOf(deps, row), ...flows })
      await passAll(driver, row, passes)
      const passed = { state: 'done' as const, reason: null, log: null }
      return { ...passed, verdict: verdict().warning === undefined ? 'running' : 'stopped', ...kept(verdict()) }
    } catch (error) {
      if (!(error instanceof DriverError)) throw error
      const { state, members = [] } = await driver.status(row.id)
      if (state === 'stopped' || state === 'stopping') return 'stopped'
      // One of two may only now be started, or be taken away.
      if (row.replicas !== null && driver.pair && members.length < slots.length) return 'restarted'
      const states = [state, ...members.map((one) => one.state)]
      const isSafe = states.includes('safe')
      if (error.code === 'not_steady' && !states.includes('crashed') && !isSafe) return 'restarted'
      const faults = error instanceof FlowsRefused ? error.faults : []
      const verdict = isSafe || error.code === 'flows_not_started' ? 'stopped' : null
      const reason = `${isSafe ? `${withoutFlows}.` : error.message} It was judged when the instance started, and stays.`
      const log = JSON.stringify(await linesSince(driver, row.id, undefined))
      return { state: 'failed', reason, verdict, log, ...kept({ faults }) }
    }
  }

  const judgeJob = defineJob({
    kind,
    title: 'Check flows',
    lane: { name: 'judge', width: 4 },
    payload: Work,
    steps: [
      {
        name: 'Check flows',
        async run({ payload }: StepContext<Work>) {
          const { instance } = payload
          for (let found = await open(instance); found; found = await open(instance)) {
            const { one, row } = found
            const last = await findLast(read, instance)
            const isAlone = async (db: Db) => last.ended_at !== null && (await findLast(db, instance)).id === last.id
            const outcome = (await isAlone(read)) ? await judge(one, row) : 'restarted'
            // Another deployment may have run its flows meanwhile.
            const isKnown = outcome !== 'restarted' && (await isAlone(read))
            if (isKnown) {
              if (outcome === 'stopped') return undefined
              return async (tx) => {
                if (!(await isAlone(tx))) return
                await updateDeployment(tx, one.id, { terms: null, ...outcome })
                await bus.publish(tx, { changed: true, ...instanceEvent(row, clock.now()) })
              }
            }
            // It may stay so for long.
            await delay(lookMs)
          }
          return undefined
        },
      },
    ],
    // It stays unjudged, and the next start judges it.
    failed: async () => undefined,
  })

  return {
    judgeJob,

    /** Has what an instance runs judged, once it has started, unless that is done. */
    async started(tx: Tx, instance: string): Promise<void> {
      const row = (await findUnjudged(tx, instance)) && (await findWhole(tx, instance))
      if (row)
        await jobs.enqueue<Work>(tx, kind, {
          subject: subjectOf(instance),
          teamId: row.team_id,
          payload: { instance },
        })
    },

    /** Says of what was put into an instance that it did not start. A later start judges it all the same. */
    async startFailed(tx: Tx, instance: string, message: string): Promise<void> {
      const one = await findUnjudged(tx, instance)
      if (!one) return
      const reason = `The instance did not start: ${message}`
      await updateDeployment(tx, one.id, { state: 'failed', reason, warning: null })
    },

    /** The instance goes for good. */
    leaving: async (tx: Tx, instance: string): Promise<void> => jobs.forget(tx, subjectOf(instance)),
  }
}
