import { type FlowFault, flowFaultsMax, type FlowsReport } from '@app/contract/instance-link'
import type { InstanceStatus, Member, Usage } from './driver.ts'

/** The states of a process, the best first. One that reports nothing ranks below a crash, which has a reason. */
const order = ['running', 'safe', 'starting', 'installing', 'loading', 'stopping', 'crashed', 'error', 'unknown']
const rank = ({ state }: InstanceStatus) => order.indexOf(state)

/** The status of an instance by those of its processes: one tells it alone, of several the one that does best. */
export function combine(members: readonly Member[]): InstanceStatus {
  const [first, second] = members
  if (!first) return { state: 'stopped' }
  const best = second && rank(second) < rank(first) ? second : first
  const { slot: _slot, src: _src, ...status } = best
  return second ? { ...status, members } : status
}

/** The usage of several processes together. */
export function addUsage(usages: readonly (Usage | undefined)[]): Usage | undefined {
  const found = usages.filter((usage) => usage !== undefined)
  const [first, second] = found
  if (!first || !second) return first
  const beats = found.flatMap(({ eventLoop }) => eventLoop ?? [])
  const hung = found.flatMap(({ hungSince }) => hungSince ?? [])
  return {
    cpuMs: first.cpuMs + second.cpuMs,
    memoryMb: first.memoryMb + second.memoryMb,
    ...(beats.length > 0 && {
      eventLoop: {
        delayMs: Math.max(...beats.map(({ delayMs }) => delayMs)),
        busy: Math.max(...beats.map(({ busy }) => busy)),
      },
    }),
    ...(hung.length > 0 && { hungSince: Math.min(...hung) }),
  }
}

/** The report of the worse of several processes, with the faults of any of them, each as often as all have seen it. */
export function worstFlows(reports: readonly (FlowsReport | undefined)[]): FlowsReport | undefined {
  const order: FlowsReport['state'][] = ['stopped', 'held', 'loading', 'started']
  const rank = ({ state, faults }: FlowsReport) => order.indexOf(state) * 1_000 - faults.length
  const found = reports.filter((report) => report !== undefined).toSorted((a, b) => rank(a) - rank(b))
  const [worst] = found
  if (!worst || found.length === 1) return worst
  const faults = new Map<string, FlowFault>()
  for (const fault of found.flatMap((report) => report.faults)) {
    const key = JSON.stringify([fault.kind, fault.node?.id, fault.message])
    const { count = 0, at = 0 } = faults.get(key) ?? {}
    faults.set(key, { ...fault, count: fault.count + count, at: Math.max(fault.at, at) })
  }
  const faultCount = found.reduce((sum, report) => sum + report.faultCount, 0)
  const pending = found.find((report) => report.pending)?.pending
  return {
    ...worst,
    faults: [...faults.values()].slice(0, flowFaultsMax),
    faultCount,
    ...(pending === undefined ? {} : { pending }),
  }
}
