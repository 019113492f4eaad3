import { type ReportedTrouble, troubleReasonMax } from '@app/contract/device-trouble'
import type { InstanceStatus, Usage } from '@app/drivers'
import type { Runtime } from './nodered/runtime.ts'
import type { Memory } from './control/memory.ts'
import type { WishStore } from './control/wishes.store.ts'
import type { State } from './link/broker.link.ts'
import type { StateStore } from './targets/state.store.ts'
import type { Updater } from './update/updater.ts'

interface ReportDependencies {
  runtime: Runtime
  store: StateStore
  wishes: WishStore
  updater: Pick<Updater, 'how' | 'last'>
  memory: Memory
  version: string
}

/** The words of the protocol for the states of Node-RED. */
const states: Record<InstanceStatus['state'], string> = {
  loading: 'starting',
  installing: 'starting',
  starting: 'starting',
  running: 'running',
  safe: 'safe',
  stopping: 'stopped',
  stopped: 'stopped',
  crashed: 'crashed',
  unknown: 'error',
  error: 'error',
}

/** Why the flows do not run. `failure`: why Node-RED could not be started. */
function troubleOf(status: InstanceStatus | undefined, failure: string | undefined): ReportedTrouble | null {
  const reason = failure ?? status?.reason ?? status?.flowsStopped?.reason
  if (reason === undefined) return null
  const trouble = { reason: reason.slice(0, troubleReasonMax) }
  if (!status?.restart) return trouble
  const { crashes, at, safe } = status.restart
  return { ...trouble, restart: { crashes, afterMs: Math.max(0, at - Date.now()), safe } }
}

/** Makes the report of each check-in. */
export function reportOf({ runtime, store, wishes, updater, memory, version }: ReportDependencies) {
  const begun = performance.now()
  let before: { cpuMs: number; at: number } | undefined

  /** CPU as a share of one core since the last report. */
  function loadOf({ cpuMs, memoryMb, eventLoop }: Usage) {
    const at = performance.now()
    const cpu = before && cpuMs >= before.cpuMs ? (cpuMs - before.cpuMs) / (at - before.at) : undefined
    before = { cpuMs, at }
    return {
      ...(cpu === undefined ? {} : { cpu: Math.round(cpu * 1_000) / 1_000 }),
      memoryMb,
      ...(eventLoop ? { eventLoopDelayMs: eventLoop.delayMs, eventLoopBusy: eventLoop.busy } : {}),
    }
  }

  /** `isTold`: the platform knows how the last target went. */
  return async ({ isTold }: { isTold: boolean }): Promise<State & Record<string, unknown>> => {
    const { active, refused, agent, lastDeployment } = store.get()
    const { suspended, mode } = wishes.get()
    const agentUpdate = updater.last()
    const runs = active?.snapshot != null
    const status = runs ? await runtime.driver.status(active.id) : undefined
    const usage = runs ? await runtime.driver.usage(active.id) : undefined
    const failure = status?.state === 'stopped' ? runtime.failure() : undefined
    const opens = runs ? await runtime.driver.pair!.opens(active.id, 0) : undefined
    return {
      project: active?.project ?? null,
      snapshot: active?.snapshot ?? null,
      settings: active?.settings ?? null,
      state: suspended ? 'suspended' : failure ? 'error' : status ? states[status.state] : 'stopped',
      trouble: suspended ? null : troubleOf(status, failure),
      targetState: suspended ? 'suspended' : 'running',
      mode,
      health: {
        uptime: Math.round((performance.now() - begun) / 1_000),
        snapshotRestartCount: status?.restart?.crashes ?? 0,
      },
      agentVersion: version,
      nodejsVersion: status?.versions?.node ?? process.versions.node,
      nodeRedVersion: status?.versions?.['node-red'] ?? null,
      agent,
      updater: updater.how,
      ...(agentUpdate ? { agentUpdate } : {}),
      memoryLimit: memory.report(status?.memory),
      ...(usage ? { load: loadOf(usage) } : {}),
      ...(opens ? { opens } : {}),
      ...(isTold || !lastDeployment ? {} : { lastDeployment }),
      refused: refused
        ? { snapshot: refused.snapshot, code: refused.code, message: refused.message, final: refused.final }
        : null,
    }
  }
}
