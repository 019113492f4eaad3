import { type Driver, DriverError } from '@app/drivers'
import type { FlowsReport } from '@app/contract/flows-report'
import { concluded, judgeStart } from '@app/drivers/judging'
import { setTimeout as delay } from 'node:timers/promises'

const startMs = 120_000
const settleMs = 120_000
/** How long flows may keep Node-RED from answering. */
const silentMs = 10_000
const lookMs = 50

/**
 * Judges a Node-RED that was started: resolves when it runs, its flows run, and it has gone on for `steadyMs`.
 * @throws DriverError with a sentence: it crashed, does not answer, or its flows do not run.
 */
export async function judge(driver: Driver, id: string, steadyMs: number): Promise<FlowsReport> {
  await until(startMs, 'not_started', 'Node-RED did not start within two minutes', async () => {
    const { state, reason } = await driver.status(id)
    if (['crashed', 'stopped', 'error'].includes(state))
      throw new DriverError('crashed', reason ?? `Node-RED is ${state}`)
    return state === 'running' ? true : undefined
  })
  const report = await settled(driver, id)
  judgeStart(report, { before: 'unknown', allowed: new Set() })
  for (let left = steadyMs; left > 0; left -= lookMs) {
    await delay(lookMs)
    const { state, reason } = await driver.status(id)
    if (state !== 'running') throw new DriverError('not_steady', reason ?? `Node-RED is ${state} again`)
  }
  // With no time to go on, its inputs are closed, which setup code may wait for.
  if (steadyMs > 0) judgeStart(concluded(await settled(driver, id)), { before: 'unknown', allowed: new Set() })
  return report
}

const noAnswer = 'Its flows do not let Node-RED answer: one of them may be in an endless loop.'

/** The report of its flows once they run or have failed to. A process that has ended gives none, so its state counts too. */
async function settled(driver: Driver, id: string): Promise<FlowsReport> {
  let heardAt = performance.now()
  return until(settleMs, 'no_answer', noAnswer, async () => {
    const report = await driver.pair!.flows(id, 0)
    if (report && report.state !== 'loading') return report
    if (report) heardAt = performance.now()
    if (performance.now() - heardAt > silentMs) throw new DriverError('no_answer', noAnswer)
    await mustRun(driver, id)
    return undefined
  })
}

/** @throws DriverError when Node-RED does not run any more. A state that is unknown may pass. */
async function mustRun(driver: Driver, id: string): Promise<void> {
  const { state, reason } = await driver.status(id)
  if (['crashed', 'stopped', 'error'].includes(state))
    throw new DriverError('not_steady', reason ?? `Node-RED is ${state} again`)
}

async function until<T>(ms: number, code: string, why: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let left = ms; left > 0; left -= lookMs) {
    const found = await look()
    if (found !== undefined) return found
    await delay(lookMs)
  }
  throw new DriverError(code, why)
}
