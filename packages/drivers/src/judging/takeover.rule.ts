import type { TakeoverPlan, TakeoverSetting } from '@app/contract'
import type { FlowsOpens } from '@app/contract/instance-link'
import { activityOf } from '@app/contract/flows-activity'
import { enabledParts } from '@app/contract/flows-enabled'

type Node = Record<string, unknown> & { type?: unknown }

export interface TakeoverQuestion {
  /** The setting of the instance or device. */
  setting: TakeoverSetting
  /** The flows that serve, and those that are to; the same where only the stack changes. */
  before: readonly Node[]
  after: readonly Node[]
  /** The sockets, ports and programs of the process that serves; undefined when it does not tell. */
  opens: FlowsOpens | undefined
}

/** The calls by which a function can act without a message. */
const acting = /\b(setTimeout|setInterval|setImmediate|require|import|eval|constructor)\b/
const filled = (value: unknown) => typeof value === 'string' && value.trim() !== ''
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** The reasons against running two versions of flows beside each other, the most serious first. */
type Reason = { way: 'held' | 'stop-first'; why: string }

/** Plan of the takeover by a version of the flows from the one that serves, with the reason in a sentence. */
export function takeoverOf({ setting, before, after, opens }: TakeoverQuestion): TakeoverPlan {
  if (setting !== 'auto') return { way: setting, why: 'Its settings say so.' }
  const [serving, next] = [enabledParts(before), enabledParts(after)]
  const proven = new Set(opens && isHarmless(opens) ? serving.map(({ type }) => String(type)) : [])
  // A node on a tab says more to people than the configuration that it uses.
  const all = [...next, ...serving].toSorted((a, b) => Number('z' in b) - Number('z' in a))
  const reasons = all.flatMap((node) => reasonOf(node, proven) ?? [])
  const found =
    reasons.find(({ way }) => way === 'stop-first') ?? openReason(opens) ?? reasons[0] ?? actingReason(opens, serving)
  return found ?? { way: 'beside', why: 'Its flows act only when they are asked.' }
}

const silent = 'The running version does not answer, or was started by an earlier version of the platform.'

/** The way of a version that one process serves: its flows cannot be stopped for others when it does not answer. */
export function planOf(question: TakeoverQuestion): TakeoverPlan {
  const plan = takeoverOf(question)
  return question.opens || plan.way === 'beside' ? plan : { way: 'restart', why: silent }
}

/** Holds connections and listeners back what this process has open? Programs and serial ports it does not. */
const isHarmless = ({ serial, programs }: FlowsOpens) => serial.length === 0 && programs === 0

function openReason(opens: FlowsOpens | undefined): Reason | undefined {
  const [port] = opens?.serial ?? []
  if (port !== undefined)
    return { way: 'stop-first', why: `It uses the serial port ${port}, which only one process can.` }
  if (opens && opens.programs > 0) return { way: 'stop-first', why: 'It runs programs of its own.' }
  const [listens] = opens?.listens ?? []
  return listens === undefined
    ? undefined
    : { way: 'held', why: `It listens on ${listens}, which only one process can.` }
}

/** Resources that nodes which only answer do not open, unless one of their functions has. */
function actingReason(opens: FlowsOpens | undefined, serving: readonly Node[]): Reason | undefined {
  if (opens && opens.timers > 0) return { way: 'held', why: 'One of its functions has a timer that runs.' }
  const [connects] = opens?.connects ?? []
  // Such a node connects for each of its requests, and nothing of it lasts.
  const isAsked = serving.some(({ type }) => type === 'http request') && !serving.some(usesModules)
  return connects === undefined || isAsked
    ? undefined
    : { way: 'held', why: `It is connected to ${connects}, and may act by what comes from there.` }
}

function reasonOf(node: Node, proven: ReadonlySet<string>): Reason | undefined {
  const type = String(node.type)
  const activity = activityOf(type)
  if (type === 'function') return functionReason(node)
  if (activity === 'passive' || activity === 'keeps') return undefined
  if (activity === 'exclusive')
    return { way: 'stop-first', why: `${called(node)} has something that only one process can have.` }
  if (activity === 'acts') return inject(node) ? undefined : { way: 'held', why: `${called(node)} acts by itself.` }
  return proven.has(type)
    ? { way: 'held', why: `${called(node)} may act by itself.` }
    : { way: 'stop-first', why: `It is not known what the ${called(node, false)} does when it starts.` }
}

/** One that is only pressed by hand. */
const inject = ({ type, once, repeat, crontab }: Node) =>
  type === 'inject' && once !== true && !filled(repeat) && !filled(crontab)

const usesModules = ({ type, libs }: Node) => type === 'function' && Array.isArray(libs) && libs.length > 0

function functionReason(node: Node): Reason | undefined {
  if (filled(node.initialize))
    return usesModules(node)
      ? { way: 'stop-first', why: `${called(node)} runs code with modules when it starts.` }
      : { way: 'held', why: `${called(node)} runs code when it starts.` }
  return acting.test(textOf(node.func)) ? { way: 'held', why: `${called(node)} may act by the clock.` } : undefined
}

function called({ type, name }: Node, asSubject = true): string {
  const kind = `${String(type)} node`
  if (filled(name)) return `${asSubject ? 'The ' : ''}${kind} “${String(name).slice(0, 60)}”`
  return asSubject ? `One ${kind}` : kind
}
