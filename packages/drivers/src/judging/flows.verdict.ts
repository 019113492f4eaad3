import type { FlowFault, FlowsReport, FlowsStopped } from '@app/contract/flows-report'
import { DriverError } from '../driver.ts'
import { isNotConnected } from './connections.ts'
import { flowsStoppedSentence } from './flows.sentence.ts'

/** The verdict on flows: errors that the former flows did not have, and a warning for the person. */
export interface Verdict {
  faults: FlowFault[]
  warning?: string
}

/**
 * The report that new flows are compared with: that of the flows that served just before. `none`: nothing served, it was
 * in `safe` mode, or the instance that should have had `crashed`. `unknown`: there is no report, so every error counts as new.
 */
export type Before = FlowsReport | 'none' | 'safe' | 'crashed' | 'unknown'

/** New contents that are not kept because of their flows. */
export class FlowsRefused extends DriverError {
  readonly faults: FlowFault[]
  constructor(code: 'flows_not_started' | 'flows_faulty', message: string, faults: FlowFault[]) {
    super(code, message)
    this.faults = faults
  }
}

/**
 * Judges flows that have settled.
 * @throws FlowsRefused when they do not run, except for reasons that somebody knows and allows.
 */
export function judgeStart(
  now: FlowsReport,
  { before, allowed }: { before: Before; allowed: ReadonlySet<string> },
): Verdict | undefined {
  if (now.state === 'loading')
    throw new FlowsRefused('flows_not_started', 'Its flows have not started within two minutes.', now.faults)
  const codes = stopCodes(now)
  if (codes.length === 0) return undefined
  const isStopped = now.state === 'stopped'
  const sentence = isStopped ? flowsStoppedSentence(now) : 'None of its nodes works.'
  const untold = codes.filter((code) => !allowed.has(code))
  if (untold.length > 0) {
    const more = allowed.size > 0 ? ` The request does not allow ${untold.join(', ')}.` : ''
    throw new FlowsRefused('flows_not_started', `${sentence}${more}`, now.faults)
  }
  const why = isStopped && stoodStill(now, before) ? 'They did not run before either.' : 'They were deployed anyway.'
  return { faults: now.faults, warning: `${sentence} ${why}` }
}

/** Counts functions whose setup code has not ended by now as dead, each with its fault. */
export function concluded({ pending, ...report }: FlowsReport): FlowsReport {
  if (!pending) return report
  const known = new Set(report.faults.map(sameness))
  const late = pending.faults.filter((fault) => !known.has(sameness(fault)))
  return { ...report, nodes: pending.nodes, faults: [...report.faults, ...late] }
}

/** All that keeps flows from running, as a yes to it names it. */
function stopCodes(now: FlowsReport): string[] {
  if (now.state === 'stopped') return codesOfStopped(now)
  // A process of an earlier version does not tell `enabled`: a node that is not started has a fault; flows without nodes have none of a node.
  const { nodes, enabled = now.faults.filter(({ node }) => node !== undefined).length } = now
  return now.state === 'started' && nodes === 0 && enabled > 0 ? ['nodes'] : []
}

/** The warning of new flows in which nothing is to run. In the place of others a deployment asks for a yes before its start. */
export function warningOfNone(
  { state, nodes, enabled }: FlowsReport,
  { allowed, bringsFlows }: { allowed: ReadonlySet<string>; bringsFlows: boolean },
): string | undefined {
  if (state !== 'started' || nodes > 0 || enabled !== 0) return undefined
  if (allowed.has('nodes')) return 'None of its nodes is enabled. They were deployed anyway.'
  return bringsFlows ? 'None of its nodes is enabled, so nothing runs.' : undefined
}

/** Why flows are stopped, by code. */
export function codesOfStopped({ missingTypes, missingModules, reason }: FlowsStopped): string[] {
  const missing = [
    ...missingTypes.map((type) => `type:${type}`),
    ...missingModules.map(({ module }) => `module:${module}`),
  ]
  return missing.length > 0 ? missing : [`reason:${reason ?? 'unknown'}`]
}

/** Were the flows before stopped already, by all that stops these? */
function stoodStill(now: FlowsReport, before: Before): boolean {
  if (typeof before === 'string' || before.state !== 'stopped') return false
  const known = new Set(codesOfStopped(before))
  return codesOfStopped(now).every((code) => known.has(code))
}

/**
 * The errors of flows that run and that those before did not have. A node that could not connect or listen where it
 * was to before, and cannot where it is to now, has another error: `reconnected` names these.
 */
export function newFaults(now: FlowsReport, before: Before, reconnected: ReadonlySet<unknown>): FlowFault[] {
  if (typeof before === 'string') return now.faults
  const known = new Set(before.faults.map(reasonOf))
  const isElsewhere = (fault: FlowFault) =>
    (fault.kind === 'listen' || isNotConnected(fault)) && reconnected.has(fault.node?.id)
  return now.faults.filter((fault) => !known.has(reasonOf(fault)) || isElsewhere(fault))
}

/** The fault of a node, whatever its message is. */
const ofNode = ({ kind, node }: FlowFault) => [kind, node?.id, node?.type]
const withoutNumbers = (message: string) => message.replaceAll(/\d+/g, '0')

/** Equal for the same fault of the same node as two processes see it. A node has one status, which changes as one looks. */
const sameness = (fault: FlowFault): string =>
  JSON.stringify([...ofNode(fault), fault.kind === 'status' ? '' : withoutNumbers(fault.message)])

/** Equal where a node is in error for the same reason, whatever numbers its message has. */
const reasonOf = (fault: FlowFault): string =>
  JSON.stringify([...ofNode(fault), isNotConnected(fault) ? 'not connected' : withoutNumbers(fault.message)])

/** The verdict on several processes with the same flows. */
export function joined(verdicts: readonly Verdict[]): Verdict {
  const all = new Map(verdicts.flatMap(({ faults }) => faults.map((fault) => [sameness(fault), fault])))
  const warning = verdicts.find((one) => one.warning !== undefined)?.warning
  return { faults: [...all.values()], ...(warning === undefined ? {} : { warning }) }
}

/**
 * An `http in` without an answer does what it does with its messages, so it is told and refuses nothing.
 * @throws FlowsRefused for new errors, where they are not to pass.
 */
export function refuseFaulty(told: FlowFault[], before: Before): void {
  const faults = told.filter(({ kind }) => kind !== 'answer')
  if (faults.length === 0) return
  const [first] = faults
  const at = first?.node ? ` in ${nodeText(first.node)}` : ''
  const count = faults.length === 1 ? '1 new error' : `${faults.length} new errors`
  const what = `${count}${at}: ${first?.message.split('\n', 1)[0]}`
  const all = before === 'unknown' ? ' What served before did not tell of its errors, so all count as new.' : ''
  const reason = `Its flows run with ${what}. Errors are set to be refused here.${all}`
  throw new FlowsRefused('flows_faulty', reason, faults)
}

const nodeText = ({ id, type, name, tab }: NonNullable<FlowFault['node']>) =>
  `${type} “${name ?? id}”${tab ? ` on “${tab.label || tab.id}”` : ''}`
