import { type Driver, DriverError, type InstanceStatus, type Pair, type Slot } from '../driver.ts'
import { setTimeout as delay } from 'node:timers/promises'

const startTimeoutMs = 120_000
const silent = () => new DriverError('start_timeout', 'Node-RED did not answer within two minutes')

/**
 * Does it run? Not yet is no.
 * @throws DriverError start_failed, when it ended.
 */
function isStarted({ state, reason }: InstanceStatus): boolean {
  if (state === 'crashed' || state === 'error' || state === 'stopped')
    throw new DriverError('start_failed', reason ?? 'Node-RED ended before it answered; its log says why')
  return state === 'running' || state === 'safe'
}

/** Resolves when the instance runs; a crash or two minutes of silence is a DriverError. */
export async function untilStarted(driver: Driver, id: string): Promise<void> {
  const wait = Promise.withResolvers<void>()
  // It may end while the status is being asked for, when nobody waits for this yet.
  wait.promise.catch(() => undefined)
  const judge = (status: InstanceStatus) => {
    try {
      if (isStarted(status)) wait.resolve()
    } catch (error) {
      wait.reject(error)
    }
  }
  const unwatch = driver.watch((changed, status) => {
    if (changed === id) judge(status)
  })
  const timer = setTimeout(() => wait.reject(silent()), startTimeoutMs)
  try {
    judge(await driver.status(id))
    await wait.promise
  } finally {
    unwatch()
    clearTimeout(timer)
  }
}

/** How one of two processes does. */
export const statusOfMember = async (pair: Pair, id: string, slot: Slot): Promise<InstanceStatus> =>
  (await pair.members(id)).find((one) => one.slot === slot) ?? { state: 'stopped' }

/** The status is one that is known already; all that comes after the start waits for this look. */
const lookMs = 20

/** Resolves when a process that is looked at again and again runs; else as `untilStarted`. */
export async function untilStartedBy(look: () => Promise<InstanceStatus>): Promise<InstanceStatus> {
  for (const until = Date.now() + startTimeoutMs; Date.now() < until; await delay(lookMs)) {
    const status = await look()
    if (isStarted(status)) return status
  }
  throw silent()
}
