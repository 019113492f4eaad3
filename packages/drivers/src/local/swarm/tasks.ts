import { labels } from '../containers/shared.ts'
import { answerPort } from './service.body.ts'

/** The part of Swarm's answers about a machine that is read. */
export interface SwarmNode {
  ID: string
  Description: { Hostname: string }
  Spec: { Availability: string }
  Status: { State: string; Addr?: string }
  ManagerStatus?: { Addr: string }
}

/** The part of Swarm's answers about a task that is read. */
export interface SwarmTask {
  NodeID?: string
  Spec: { ContainerSpec: { Labels?: Record<string, string> } }
  Status: {
    State: string
    Err?: string
    ContainerStatus?: { ContainerID: string; ExitCode: number }
    PortStatus?: { Ports?: { TargetPort: number; PublishedPort: number }[] }
  }
}

/** The state of a task, and of the machine on which it runs, as far as known. */
export interface TaskView {
  launch: string
  /** Its container runs, as far as can be known: the machine has not told otherwise, and has not been away for long. */
  isRunning: boolean
  /** It does not run, and never will, as far as can be known. */
  isOver: boolean
  /** Its machine does not answer the swarm. What ran there may still run. */
  isLost: boolean
  /** Since when this was so at least, by `performance.now()`. */
  seenAt: number
  /** Why it is over, or does not begin, where Swarm says so. */
  reason?: string
  /** Name of the machine. */
  machine?: string
  exitCode?: number
  /** Where its process answers. */
  address?: { host: string; port: number }
}

const over = new Set(['complete', 'failed', 'shutdown', 'rejected', 'orphaned', 'remove'])

export const nodesOf = (nodes: readonly SwarmNode[]): ReadonlyMap<string, SwarmNode> =>
  new Map(nodes.map((node) => [node.ID, node]))

/** Reads a task. A machine that Swarm counts as down is gone with all that ran on it: nobody knows more. */
export function taskOf({ NodeID, Spec, Status }: SwarmTask, nodes: ReadonlyMap<string, SwarmNode>): TaskView {
  const node = NodeID === undefined || NodeID === '' ? undefined : nodes.get(NodeID)
  const isLost = NodeID !== undefined && NodeID !== '' && isAway(node)
  const isOver = isLost || over.has(Status.State)
  const reason = reasonOf(Status, node, isLost)
  const port = Status.PortStatus?.Ports?.find(({ TargetPort }) => TargetPort === answerPort)?.PublishedPort
  const host = node && addressOf(node)
  const exitCode = Status.ContainerStatus?.ExitCode
  return {
    launch: Spec.ContainerSpec.Labels?.[labels.launch] ?? '',
    isRunning: !isOver && Status.State === 'running',
    isOver,
    isLost,
    seenAt: performance.now(),
    ...(reason === undefined ? {} : { reason }),
    ...(node && { machine: node.Description.Hostname }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(host !== undefined && port !== undefined ? { address: { host, port } } : {}),
  }
}

/** `unknown` is what a manager says that has just become one: machines have a while to tell that they are there. */
const isAway = (node: SwarmNode | undefined) =>
  node === undefined || node.Status.State === 'down' || node.Status.State === 'disconnected'

function reasonOf({ State, Err }: SwarmTask['Status'], node: SwarmNode | undefined, isLost: boolean) {
  if (isLost && !node) return 'The machine that ran Node-RED was removed from the swarm'
  if (isLost) return `The machine ${node!.Description.Hostname} does not answer: Swarm counts it as down`
  if (State === 'shutdown' && node?.Spec.Availability === 'drain')
    return `The machine ${node.Description.Hostname} was drained: Swarm ends everything there`
  return State === 'failed' || State === 'complete' || Err === undefined || Err === '' ? undefined : Err
}

/** The address by which other machines of the swarm know it. */
function addressOf({ Status, ManagerStatus }: SwarmNode): string | undefined {
  const isReal = (address: string | undefined) => address !== undefined && !['', '0.0.0.0', '::'].includes(address)
  if (isReal(Status.Addr)) return Status.Addr
  return ManagerStatus?.Addr.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
}
