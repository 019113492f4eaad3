import { type Driver, DriverError, type InstanceStatus, type Pair, type Slot } from '../driver.ts'
import { setTimeout as delay } from 'node:timers/promises'

const startTimeoutMs = 120_000
/**
 * Maximum time that new contents may stay silent after their driver has found that they are, which takes it 15 s. A
 * start that is only slow lets something else run in between.
 */
const hungMs = 10_000
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

/** The error of flows that let nothing else run in their process. */
export const blocked = () =>
  new DriverError('no_answer', 'Its flows do not let Node-RED answer: one of them may be in an endless loop.')

/** Drivers give a reason with the state of a process that exists and does not answer. */
const isHung = ({ state, reason }: InstanceStatus) => state === 'unknown' && reason !== undefined

/**
 * Waits for a process to run, by what is told of it: a crash or two minutes without an answer is a DriverError.
 * `isJudged`: it has new contents, which are given up as soon as they hang. `end` stops the waiting.
 */
function startWait(isJudged: boolean) {
  const wait = Promise.withResolvers<InstanceStatus>()
  // It may end while the status is being asked for, when nobody waits for this yet.
  wait.promise.catch(() => undefined)
  let hung: NodeJS.Timeout | undefined
  const timer = setTimeout(() => wait.reject(silent()), startTimeoutMs)
  return {
    judge(status: InstanceStatus): void {
      if (!isHung(status)) {
        clearTimeout(hung)
        hung = undefined
      } else if (isJudged) hung ??= setTimeout(() => wait.reject(blocked()), hungMs)
      try {
        if (isStarted(status)) wait.resolve(status)
      } catch (error) {
        wait.reject(error)
      }
    },
    started: wait.promise,
    end(): void {
      clearTimeout(timer)
      clearTimeout(hung)
    },
  }
}

/** Resolves when the instance runs. @throws DriverError as `startWait` says. */
export async function untilStarted(driver: Driver, id: string, { isJudged = false } = {}): Promise<void> {
  const wait = startWait(isJudged)
  const unwatch = driver.watch((changed, status) => {
    if (changed === id) wait.judge(status)
  })
  try {
    wait.judge(await driver.status(id))
    await wait.started
  } finally {
    unwatch()
    wait.end()
  }
}

/** Status of one of two processes. */
export const statusOfMember = async (pair: Pair, id: string, slot: Slot): Promise<InstanceStatus> =>
  (await pair.members(id)).find((one) => one.slot === slot) ?? { state: 'stopped' }

/** The status is one that is known already; all that comes after the start waits for this look. */
const lookMs = 20

/** Resolves when a process that is looked at again and again runs. @throws DriverError as `startWait` says. */
export async function untilStartedBy(
  look: () => Promise<InstanceStatus>,
  { isJudged = false } = {},
): Promise<InstanceStatus> {
  const wait = startWait(isJudged)
  const over = new AbortController()
  const looks = async () => {
    while (!over.signal.aborted) {
      wait.judge(await look())
      await delay(lookMs, undefined, { signal: over.signal }).catch(() => undefined)
    }
    return wait.started
  }
  try {
    return await Promise.race([wait.started, looks()])
  } finally {
    over.abort()
    wait.end()
  }
}
