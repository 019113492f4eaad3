import type { InstanceCheck } from '@app/contract'
import type { FlowsReport } from '@app/contract/flows-report'
import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type Driver, DriverError, type Endpoint, type InstanceStatus, type Pair, type Slot } from '../driver.ts'
import { reach } from '../proven.ts'
import {
  type Before,
  concluded,
  judgeStart,
  newFaults,
  refuseFaulty,
  type Verdict,
  warningOfNone,
} from './flows.verdict.ts'
import { blocked, untilStartedBy, statusOfMember, untilStarted } from './started.ts'

/** The time, which tests set. */
export interface Clock {
  now(): number
}

/** The process that was just started, and is judged. */
export interface Judged {
  /** Resolves when it runs. @throws DriverError */
  started(): Promise<unknown>
  status(): Promise<InstanceStatus>
  watch(listener: (status: InstanceStatus) => void): () => void
  endpoint(): Endpoint | undefined
  /** The report of its flows; undefined where there is none. */
  flows(): Promise<FlowsReport | undefined>
}
export interface StartCheck {
  judged: Judged
  /** The host name under which it is asked, as browsers ask it. */
  host: string
  /** Time that it must run on without a crash, in milliseconds. */
  steadyMs: number
  /** Maximum time for setup code of functions, in milliseconds. */
  setupMs: number
  check?: InstanceCheck | undefined
  /** Its inputs are closed while the version before serves, or while nothing does. */
  inputs?: 'beside' | 'alone' | undefined
  /** The report of the flows that served before. */
  before: Before
  /** Are its flows new? A change of the stack leaves them. */
  bringsFlows: boolean
  /** Ids of the nodes that connect or listen elsewhere than before; none unless told. */
  reconnected?: ReadonlySet<unknown>
  /** Are errors that those did not have refused? */
  refusesErrors: boolean
  /** Another process with the same flows has the ports that they listen on. */
  sharesPorts?: boolean
  /** Reasons that may keep these flows from running, since the person accepted them. */
  allowed: ReadonlySet<string>
}

/** Between two looks at the time, and between two questions; the clock may be turned. */
const lookMs = 250
/** Until flows run, or Node-RED says why they do not. */
const settleMs = 120_000
/** Maximum time for which flows may keep Node-RED from answering. */
const silentMs = 10_000
/** One question takes no longer. */
const answerMs = 10_000
/** Setup code of functions has that long at least. */
const setupLeastMs = 1_000
/** Maximum time for which nothing may serve because an answer waits for connections that are still closed. */
const closedMs = 1_000

/** The instance as it serves. */
export const serving = (driver: Driver, id: string): Judged => ({
  started: async () => untilStarted(driver, id, { isJudged: true }),
  status: async () => driver.status(id),
  watch: (listener) => driver.watch((changed, status) => changed === id && listener(status)),
  endpoint: () => driver.endpoint(id),
  flows: async () => driver.flows(id),
})

/** A process of which nothing tells by itself. */
const looked = (status: () => Promise<InstanceStatus>, rest: Pick<Judged, 'endpoint' | 'flows'>): Judged => ({
  started: async () => untilStartedBy(status, { isJudged: true }),
  status,
  watch(listener) {
    const timer = setInterval(() => void status().then(listener, () => undefined), lookMs)
    return () => clearInterval(timer)
  },
  ...rest,
})

/** The candidate on trial. */
export const onTrial = (pair: Pair, id: string): Judged =>
  looked(async () => pair.trial(id), { endpoint: () => pair.trialEndpoint(id), flows: async () => pair.trialFlows(id) })

/** One of two processes. */
export const memberOf = (pair: Pair, id: string, slot: Slot): Judged =>
  looked(async () => statusOfMember(pair, id, slot), {
    endpoint: () => pair.serving(id).find((one) => one.slot === slot)?.endpoint,
    flows: async () => pair.flows(id, slot),
  })

/**
 * Judges what was just started: resolves when it and its flows run, it answers its check as it has to, and has run on for
 * its time, with the errors of its flows that those before did not have. That it ends, stops answering, answers otherwise
 * or does not run its flows is a DriverError, with a sentence.
 */
export async function checkStart({ clock }: { clock: Clock }, options: StartCheck): Promise<Verdict> {
  const { judged, host, steadyMs, check, inputs } = options
  await judged.started()
  const over = new AbortController()
  const ended = Promise.withResolvers<never>()
  // It may end while the status is being asked for, when nobody waits for this yet.
  ended.promise.catch(() => undefined)
  const judge = ({ state, reason }: InstanceStatus) => {
    if (state !== 'running') ended.reject(new DriverError('not_steady', reason ?? `Node-RED is ${state} again`))
  }
  const passes = async () => {
    const setupUntil = clock.now() + Math.max(options.setupMs, setupLeastMs)
    const first = await heard(judged, over.signal)
    const stoodStill = judgeStart(first, options)
    await Promise.all([
      passing(clock, steadyMs, over.signal),
      check && answers(judged.endpoint, { host, check, inputs, clock, signal: over.signal }),
    ])
    if (stoodStill) return stoodStill
    // A function that waits for a connection which is closed still cannot be told from one that never ends.
    if (inputs !== undefined) return judgeFlows(await heard(judged, over.signal), options)
    const last = await readyBy(setupUntil, { judged, clock, signal: over.signal })
    return judgeFlows(concluded(last), options)
  }
  const unwatch = judged.watch(judge)
  try {
    judge(await judged.status())
    return await Promise.race([ended.promise, passes()])
  } finally {
    over.abort()
    unwatch()
  }
}

/**
 * The report of its flows once they run or have failed to. The start of flows may wait for a module that is being
 * installed.
 */
async function settled({ flows }: Judged, signal: AbortSignal): Promise<FlowsReport | undefined> {
  const until = Date.now() + settleMs
  for (;;) {
    const report = await flows()
    if (report?.state !== 'loading' || Date.now() >= until || signal.aborted) return report
    await pause(lookMs, signal)
  }
}

/** The report of its flows. @throws DriverError when they do not let Node-RED answer. */
async function heard(judged: Judged, signal: AbortSignal): Promise<FlowsReport> {
  const until = Date.now() + silentMs
  for (;;) {
    const report = await settled(judged, signal)
    if (report) return report
    if (Date.now() >= until || signal.aborted) throw blocked()
    await pause(lookMs, signal)
  }
}

/** The report of its flows once the setup code of all functions has ended, or the time for that is over. */
async function readyBy(
  until: number,
  { judged, clock, signal }: { judged: Judged; clock: Clock; signal: AbortSignal },
): Promise<FlowsReport> {
  for (;;) {
    const report = await heard(judged, signal)
    if (!report.pending || clock.now() >= until || signal.aborted) return report
    await pause(lookMs, signal)
  }
}

function judgeFlows(report: FlowsReport, options: StartCheck): Verdict {
  const { before, refusesErrors, reconnected = new Set() } = options
  const stoodStill = judgeStart(report, options)
  if (stoodStill) return stoodStill
  const faults = newFaults(report, before, reconnected).filter(
    ({ kind }) => !(options.sharesPorts && kind === 'listen'),
  )
  if (refusesErrors) refuseFaulty(faults, before)
  const warning = warningOfNone(report, options)
  return { faults, ...(warning === undefined ? {} : { warning }) }
}

async function passing(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const until = clock.now() + ms
  for (let left = ms; left > 0 && !signal.aborted; left = until - clock.now())
    await pause(Math.min(left, lookMs), signal)
}

interface Question {
  host: string
  check: InstanceCheck
  inputs: StartCheck['inputs']
  clock: Clock
  signal: AbortSignal
}

/** May this be the answer of flows that wait for a connection? */
const mayWait = (told: number | string) => typeof told === 'string' || told >= 500

/**
 * Asks again and again until the answer is the expected one or the time is over. What waits for its connections while
 * nothing serves is given up early: it is asked again once they are open.
 */
async function answers(endpoint: () => Endpoint | undefined, question: Question): Promise<void> {
  const { host, check, inputs, clock, signal } = question
  const from = clock.now()
  const isAlone = inputs === 'alone'
  let last: number | string = 'nothing'
  while (!signal.aborted) {
    const at = endpoint()
    const told = at ? await ask(at, { host, path: check.path, signal, ms: isAlone ? closedMs : answerMs }) : 'nothing'
    if (told === check.status) return
    last = told
    if (isAlone && mayWait(last) && clock.now() >= from + closedMs) return
    if (clock.now() >= from + check.seconds * 1_000) {
      const message = `${check.path} had to answer with ${check.status} within ${check.seconds} s; the last answer was ${last}`
      throw new DriverError(
        'check_failed',
        inputs === 'beside' && mayWait(last) ? `${message}. ${closedHint}` : message,
      )
    }
    await pause(lookMs, signal)
  }
}

const closedHint =
  'Its connections stay closed until it takes over; if the check needs them, set Takeover of the instance to “Stop first”.'

interface Ask {
  host: string
  path: string
  signal: AbortSignal
  /** Timeout of the answer. */
  ms: number
}

/** The status of the answer, or why there is none. What is told beside the status is of no interest, and not followed. */
function ask(at: Endpoint, { host, path, signal, ms }: Ask) {
  return new Promise<number | string>((resolve) => {
    const headers = { host, connection: 'close' }
    const limits = AbortSignal.any([signal, AbortSignal.timeout(ms)])
    const call = request({ ...reach(at), path, headers, signal: limits }, (answer) => {
      answer.destroy()
      resolve(answer.statusCode ?? 0)
    })
    call.on('error', () => resolve('nothing'))
    call.end()
  })
}

const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => undefined)
