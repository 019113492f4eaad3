import type { V1ContainerState, V1Pod } from '@kubernetes/client-node'
import { outOfMemoryCode } from '../containers/container.script.ts'
import { answerPort } from './pod.body.ts'
import { podLabels } from './pod.labels.ts'

/** The state of a pod as the cluster has it. */
export interface PodView {
  launch: string
  uid: string
  /** Its process runs, as far as the cluster knows. */
  isRunning: boolean
  /** Its process has ended, and will not be started again. */
  isOver: boolean
  /** It is to be deleted, and its node has not said that its process has ended. */
  isLeaving: boolean
  /** Since when this was so at least, by `performance.now()`. */
  seenAt: number
  ranOutOfMemory: boolean
  /** Why it is over, where the cluster knows that. One sentence without its point. */
  reason?: string
  /** Why it has not begun, and whether waiting helps. */
  waits?: { reason: string; isFinal: boolean }
  node?: string
  /** Where its process answers. */
  address?: { host: string; port: number }
}

/** A pod that is not there. */
export const noPod = (launch: string, reason?: string): PodView => ({
  launch,
  uid: '',
  isRunning: false,
  isOver: true,
  isLeaving: false,
  seenAt: performance.now(),
  ranOutOfMemory: false,
  ...(reason === undefined ? {} : { reason }),
})

/** Reads a pod. */
export function podOf({ metadata, spec, status }: V1Pod): PodView {
  const node = spec?.nodeName
  const [{ state = {} } = { state: {} }] = status?.containerStatuses ?? []
  const isOver = state.terminated !== undefined || status?.phase === 'Failed' || status?.phase === 'Succeeded'
  const reason = reasonOf(status, state, node)
  const waits = isOver || state.running ? undefined : waitOf(status, state, node, spec?.containers[0]?.image)
  return {
    launch: metadata?.labels?.[podLabels.launch] ?? '',
    uid: metadata?.uid ?? '',
    isRunning: !isOver && state.running !== undefined,
    isOver,
    isLeaving: !isOver && metadata?.deletionTimestamp !== undefined,
    seenAt: performance.now(),
    ranOutOfMemory: state.terminated?.reason === 'OOMKilled' || state.terminated?.exitCode === outOfMemoryCode,
    ...(reason === undefined ? {} : { reason }),
    ...(waits && { waits }),
    ...(node === undefined ? {} : { node }),
    ...(status?.podIP === undefined ? {} : { address: { host: status.podIP, port: answerPort } }),
  }
}

/** Reasons of the condition by which Kubernetes tells that it ends a pod itself. */
const disruptions: Record<string, (node: string) => string> = {
  PreemptionByScheduler: (node) => `Kubernetes ended it on ${node} to make room for a pod of higher priority`,
  DeletionByTaintManager: (node) =>
    `Kubernetes took it off ${node}, which does not answer or takes no such pods any more`,
  EvictionByEvictionAPI: (node) => `Kubernetes took it off ${node}, which is being drained`,
  DeletionByPodGC: (node) => `${sentence(node)} was removed from the cluster`,
  TerminationByKubelet: (node) => `${sentence(node)} ended it: it shuts down, or has too little memory or disk left`,
}
const sentence = (node: string) => node[0]!.toUpperCase() + node.slice(1)

function reasonOf(status: V1Pod['status'], { terminated }: V1ContainerState, node: string | undefined) {
  const where = node === undefined ? 'its node' : `the node ${node}`
  const { reason, message } = status ?? {}
  if (reason === 'Evicted') return `Kubernetes evicted it from ${where}: ${trimmed(message)}`
  const disrupted = status?.conditions?.find(
    ({ type, status: holds }) => type === 'DisruptionTarget' && holds === 'True',
  )
  const told = disruptions[disrupted?.reason ?? '']
  if (told) return told(where)
  if (reason === 'NodeLost') return `${sentence(where)} does not answer`
  if (reason !== undefined && message !== undefined) return trimmed(message)
  // The container was made and could not be started.
  if (terminated?.message && terminated.reason !== 'Error') return trimmed(terminated.message)
  return undefined
}

/** The container waits with one of these for what will not come by itself. */
const final = [
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImagePullBackOff',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
]

function waitOf(
  status: V1Pod['status'],
  { waiting }: V1ContainerState,
  node?: string,
  image?: string,
): PodView['waits'] {
  const { reason = '', message } = waiting ?? {}
  const at = `The node ${node}`
  if (/Image/.test(reason))
    return {
      reason: `${at} cannot fetch the image ${image}: ${trimmed(message ?? reason)}`,
      isFinal: final.includes(reason),
    }
  if (final.includes(reason) || reason === 'ErrImagePull')
    return { reason: `${at} cannot make the container: ${trimmed(message ?? reason)}`, isFinal: final.includes(reason) }
  const placed = status?.conditions?.find(({ type }) => type === 'PodScheduled')
  if (placed?.status === 'False')
    return { reason: `No node of the cluster takes this instance: ${trimmed(placed.message)}`, isFinal: false }
  return undefined
}

/** A text to stand within a sentence. */
const trimmed = (text = 'it does not say why') => text.trim().replace(/\.$/, '').slice(0, 500)
