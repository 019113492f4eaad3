import type { InstanceCheck } from '@app/contract'
import { type Driver, DriverError, type Endpoint, type InstanceStatus, type Pair, type Slot } from '@app/drivers'
import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../platform/clock.ts'
import { risen, statusOfMember, up } from '../instances/index.ts'

/** What was just started, and is judged. */
export interface Judged {
  /** Resolves when it runs. @throws DriverError */
  up(): Promise<unknown>
  status(): Promise<InstanceStatus>
  watch(listener: (status: InstanceStatus) => void): () => void
  endpoint(): Endpoint | undefined
}
export interface Gate {
  judged: Judged
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

/** The instance as it serves. */
export const serving = (driver: Driver, id: string): Judged => ({
  up: async () => up(driver, id),
  status: async () => driver.status(id),
  watch: (listener) => driver.watch((changed, status) => changed === id && listener(status)),
  endpoint: () => driver.endpoint(id),
})

/** A process of which nothing tells by itself. */
const looked = (status: () => Promise<InstanceStatus>, endpoint: Judged['endpoint']): Judged => ({
  up: async () => risen(status),
  status,
  watch(listener) {
    const timer = setInterval(() => void status().then(listener, () => undefined), lookMs)
    return () => clearInterval(timer)
  },
  endpoint,
})

/** What runs beside it on trial. */
export const onTrial = (pair: Pair, id: string): Judged =>
  looked(
    async () => pair.trial(id),
    () => pair.trialEndpoint(id),
  )

/** One of two processes. */
export const memberOf = (pair: Pair, id: string, slot: Slot): Judged =>
  looked(
    async () => statusOfMember(pair, id, slot),
    () => pair.serving(id).find((one) => one.slot === slot)?.endpoint,
  )

/**
 * Judges what was just started: resolves when it runs, answers its check as it has to, and has run on for its time.
 * That it ends, stops answering or answers otherwise is a DriverError, with a sentence.
 */
export async function gate({ clock }: { clock: Clock }, { judged, host, steadyMs, check }: Gate): Promise<void> {
  await judged.up()
  const over = new AbortController()
  const ended = Promise.withResolvers<never>()
  // It may end while the status is being asked for, when nobody waits for this yet.
  ended.promise.catch(() => undefined)
  const judge = ({ state, reason }: InstanceStatus) => {
    if (state !== 'running') ended.reject(new DriverError('not_steady', reason ?? `Node-RED is ${state} again`))
  }
  const unwatch = judged.watch(judge)
  try {
    judge(await judged.status())
    const passes = Promise.all([
      passing(clock, steadyMs, over.signal),
      check && answers(judged.endpoint, { host, check, clock, signal: over.signal }),
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
