import * as z from 'zod/mini'
import { flowFaultsMax, flowFaultText, flowPathMax } from './instance-link.constants.ts'

export const flowFaultKinds = ['type', 'compile', 'module', 'setup', 'listen', 'answer', 'error', 'status'] as const

const text = (max: number) => z.string().check(z.maxLength(max))
const Name = text(flowFaultText.name)
const Count = z.int().check(z.minimum(0))

const Labelled = z.object({ id: Name, label: Name })

/** A node as the editor knows it. Of a node inside a subflow: that of the subflow, and the subflow in the place of the tab. */
export const FlowNode = z.object({
  id: Name,
  type: Name,
  name: z.optional(Name),
  tab: z.optional(Labelled),
})
export type FlowNode = z.infer<typeof FlowNode>

/**
 * The node that wrote a line of the log. `path` is there for a node inside a subflow: the tab, then the subflow instances
 * that lead to it, outermost first.
 */
export const LogNode = z.extend(FlowNode, {
  path: z.optional(z.array(Labelled).check(z.maxLength(flowPathMax))),
})
export type LogNode = z.infer<typeof LogNode>

/**
 * Something that is wrong with flows: `type`, the type of a node is missing; `compile`, code does not parse; `module`, a
 * module of a function cannot be loaded; `setup`, the setup code of a function has not ended; `listen`, an address to listen on is taken; `answer`, no node answers the requests of an `http in`; `error`, a node logged an error that
 * no flow caught; `status`, a node shows that it is in error or not connected, or its broker refuses what it subscribes to.
 */
export const FlowFault = z.object({
  kind: z.enum(flowFaultKinds),
  /** Absent for an error that is that of no node. */
  node: z.optional(FlowNode),
  message: text(flowFaultText.message),
  stack: z.optional(text(flowFaultText.stack)),
  /** Number of times it was seen. */
  count: Count,
  /** When it was seen last, in milliseconds since the epoch. */
  at: z.number(),
})
export type FlowFault = z.infer<typeof FlowFault>

const Stopped = {
  missingTypes: z.array(Name).check(z.maxLength(200)),
  missingModules: z.array(z.object({ module: text(300), error: text(300) })).check(z.maxLength(200)),
  /** Why they do not run, in the words of Node-RED: `missing-types`, `missing-modules`, `safe-mode` and others. */
  reason: z.optional(text(300)),
}

/** Why the flows of a process do not run although it does. */
export const FlowsStopped = z.object(Stopped)
export type FlowsStopped = z.infer<typeof FlowsStopped>

/**
 * Answer of GET /flowforge/flows on the control socket: the flows that a process runs, as Node-RED's own events tell.
 * `loading`: they are being started. `held`: they wait to be released.
 */
export const FlowsReport = z.object({
  state: z.enum(['loading', 'held', 'started', 'stopped']),
  ...Stopped,
  faults: z.array(FlowFault).check(z.maxLength(flowFaultsMax)),
  /** Number of times anything went wrong since the flows were started. */
  faultCount: Count,
  /**
   * Number of nodes on flows that run: neither comments nor configuration, and not those that can do nothing, since
   * their code or modules do not load or they have only such nodes to pass messages to or get them from.
   */
  nodes: Count,
  /** Number of these that should run, since they are not disabled; absent for a process of an earlier version. */
  enabled: z.optional(Count),
  /** Number of configuration nodes that run. */
  configs: z.optional(Count),
  /** Functions whose setup code has not ended, as faults; `nodes` counts those nodes that do not wait for one. */
  pending: z.optional(z.object({ nodes: Count, faults: z.array(FlowFault).check(z.maxLength(flowFaultsMax)) })),
})
export type FlowsReport = z.infer<typeof FlowsReport>
