import { type Driver, DriverError } from '@app/drivers'
import type { FlowsReport } from '@app/contract/flows-report'
import { judgeStart } from '@app/drivers/judging'
import { setTimeout as delay } from 'node:timers/promises'

const startMs = 120_000
const settleMs = 120_000
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
  if (steadyMs > 0) judgeStart(await settled(driver, id), { before: 'unknown', allowed: new Set() })
  return report
}

const settled = (driver: Driver, id: string) =>
  until(
    settleMs,
    'no_answer',
    'Its flows do not let Node-RED answer: one of them may be in an endless loop.',
    async () => {
      const report = await driver.pair!.flows(id, 0)
      return report?.state === 'loading' ? undefined : report
    },
  )

async function until<T>(ms: number, code: string, why: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let left = ms; left > 0; left -= lookMs) {
    const found = await look()
    if (found !== undefined) return found
    await delay(lookMs)
  }
  throw new DriverError(code, why)
}
