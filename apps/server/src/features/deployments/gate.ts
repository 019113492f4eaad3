import type { InstanceCheck } from '@app/contract'
import { type Driver, DriverError, type Endpoint, type InstanceStatus } from '@app/drivers'
import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../platform/clock.ts'
import { up } from '../instances/index.ts'

export interface Gate {
  id: string
  /** The host name under which it is asked, as browsers ask it. */
  host: string
  /** How long it must run on without a crash, in milliseconds. */
  steadyMs: number
  check?: InstanceCheck | undefined
}

/** Between two looks at the time, and between two questions; the clock may be turned. */
const lookMs = 250
/** One question takes no longer. */
const answerMs = 10_000

/**
 * Judges what was just started: resolves when it runs, answers its check as it has to, and has run on for its time.
 * That it ends, stops answering or answers otherwise is a DriverError, with a sentence.
 */
export async function gate(
  { driver, clock }: { driver: Driver; clock: Clock },
  { id, host, steadyMs, check }: Gate,
): Promise<void> {
  await up(driver, id)
  const over = new AbortController()
  const ended = Promise.withResolvers<never>()
  // It may end while the status is being asked for, when nobody waits for this yet.
  ended.promise.catch(() => undefined)
  const judge = ({ state, reason }: InstanceStatus) => {
    if (state !== 'running') ended.reject(new DriverError('not_steady', reason ?? `Node-RED is ${state} again`))
  }
  const unwatch = driver.watch((changed, status) => {
    if (changed === id) judge(status)
  })
  try {
    judge(await driver.status(id))
    const passes = Promise.all([
      passing(clock, steadyMs, over.signal),
      check && answers(() => driver.endpoint(id), { host, check, clock, signal: over.signal }),
    ])
    await Promise.race([ended.promise, passes])
  } finally {
    over.abort()
    unwatch()
  }
}

async function passing(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const until = clock.now() + ms
  for (let left = ms; left > 0 && !signal.aborted; left = until - clock.now())
    await pause(Math.min(left, lookMs), signal)
}

interface Question {
  host: string
  check: InstanceCheck
  clock: Clock
  signal: AbortSignal
}

/** Asks again and again until the answer is the expected one or the time is over. */
async function answers(endpoint: () => Endpoint | undefined, { host, check, clock, signal }: Question): Promise<void> {
  const until = clock.now() + check.seconds * 1_000
  let last = 'nothing'
  while (!signal.aborted) {
    const at = endpoint()
    const told = at ? await ask(at, { host, path: check.path, signal }) : 'nothing'
    if (told === check.status) return
    last = String(told)
    if (clock.now() >= until) {
      const message = `${check.path} had to answer with ${check.status} within ${check.seconds} s; the last answer was ${last}`
      throw new DriverError('check_failed', message)
    }
    await pause(lookMs, signal)
  }
}

/** The status of the answer, or why there is none. What is told beside the status is of no interest, and not followed. */
function ask(at: Endpoint, { host, path, signal }: { host: string; path: string; signal: AbortSignal }) {
  return new Promise<number | string>((resolve) => {
    const headers = { host, connection: 'close' }
    const limits = AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
    const call = request({ ...at, path, headers, agent: false, signal: limits }, (answer) => {
      answer.destroy()
      resolve(answer.statusCode ?? 0)
    })
    call.on('error', () => resolve('nothing'))
    call.end()
  })
}

const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => undefined)
