import type { FlowsOpens, FlowsReport } from '@app/contract/instance-link'
import { DriverError, type InstanceSpec, type InstanceStatus, type Member, type Pair, type Slot } from '../driver.ts'
import type { createSerial } from '../serial.ts'
import { isServing, keyOf, otherOf, slots } from '../slots.ts'
import type { Operation, StubInstance } from './stub.driver.ts'

export interface StubPairDependencies {
  instances: Map<string, StubInstance>
  ended: Map<string, InstanceStatus>
  trials: Map<string, InstanceStatus>
  start(spec: InstanceSpec, slot: Slot, part?: 'candidate'): Promise<void>
  opens: Map<string, FlowsOpens>
  /** Listeners of an instance that cannot bind. */
  refused: Map<string, string[]>
  stop(key: string): void
  begin(operation: Operation, key: string): void
  log(key: string, msg: string): void
  flowsOf(key: string): FlowsReport | undefined
  serial: ReturnType<typeof createSerial>
}

const nothingOpen: FlowsOpens = { listens: [], connects: [], timers: 0, serial: [], programs: 0, kept: [] }

/** The processes of instances of the stub by their places. */
export function createStubPair({
  instances,
  ended,
  trials,
  start,
  stop,
  begin,
  flowsOf,
  log,
  serial,
  opens,
  refused,
}: StubPairDependencies) {
  const partIn = (id: string) => (slot: Slot) => instances.get(keyOf(id, slot))?.part
  const find = (id: string, part: StubInstance['part']) => slots.find((slot) => partIn(id)(slot) === part)
  const discard = (id: string) => {
    const slot = find(id, 'candidate')
    if (slot !== undefined) stop(keyOf(id, slot))
    trials.delete(id)
  }

  function all(id: string): Member[] {
    return slots.flatMap((slot) => {
      const key = keyOf(id, slot)
      const status = instances.get(key)?.status ?? ended.get(key)
      if (!status || status.state === 'stopped' || !isServing(slot, partIn(id))) return []
      return [{ ...status, slot, src: slot === 0 ? '57ab' : '57ac' }]
    })
  }

  return {
    all,
    start: (spec, slot, hold) =>
      serial(spec.id, async () => {
        await start(spec, slot)
        if (hold) instances.get(keyOf(spec.id, slot))!.hold = hold
      }),
    stop: (id, slot) =>
      serial(id, async () => {
        begin('stop', keyOf(id, slot))
        stop(keyOf(id, slot))
        const other = instances.get(keyOf(id, otherOf(slot)))
        if (other?.part !== 'replacing') return
        delete other.part
        log(keyOf(id, otherOf(slot)), 'The previous version has stopped. This one now serves requests')
      }),
    members: async (id) => all(id),
    serving(id) {
      const up = (state: string) =>
        all(id)
          .filter((member) => member.state === state && !instances.get(keyOf(id, member.slot))!.paused)
          .map(({ slot }) => ({
            slot,
            endpoint: { host: '127.0.0.1', port: instances.get(keyOf(id, slot))!.http.port },
          }))
      const running = up('running')
      return running.length > 0 ? running : up('safe')
    },
    async usage(id, slot) {
      const instance = instances.get(keyOf(id, slot))
      return instance && (instance.usage ?? { cpuMs: 0, memoryMb: 0 })
    },
    flows: async (id, slot) => (instances.has(keyOf(id, slot)) ? flowsOf(keyOf(id, slot)) : undefined),
    async trialFlows(id) {
      const slot = find(id, 'candidate')
      return slot === undefined ? undefined : flowsOf(keyOf(id, slot))
    },
    startCandidate: (spec, hold) =>
      serial(spec.id, async () => {
        discard(spec.id)
        const [first, second] = slots.filter((slot) => instances.has(keyOf(spec.id, slot)))
        if (first === undefined) throw new DriverError('not_beside', 'The instance does not run')
        if (second !== undefined) throw new DriverError('not_beside', 'The instance runs as two processes already')
        const slot = otherOf(first)
        await start(spec, slot, 'candidate')
        if (hold) instances.get(keyOf(spec.id, slot))!.hold = hold
      }),
    async trial(id) {
      const slot = find(id, 'candidate')
      return (slot === undefined ? trials.get(id) : instances.get(keyOf(id, slot))?.status) ?? { state: 'stopped' }
    },
    trialEndpoint(id) {
      const slot = find(id, 'candidate')
      const instance = slot === undefined ? undefined : instances.get(keyOf(id, slot))
      return instance && { host: '127.0.0.1', port: instance.http.port }
    },
    takeOver: (id) =>
      serial(id, async () => {
        const slot = find(id, 'candidate') ?? find(id, 'replacing')
        if (slot === undefined) return undefined
        instances.get(keyOf(id, slot))!.part = 'replacing'
        return otherOf(slot)
      }),
    pause: (id, slot) =>
      serial(id, async () => {
        begin('pause', keyOf(id, slot))
        instances.get(keyOf(id, slot))!.paused = true
        return Date.now()
      }),
    startHeld: (id, slot = find(id, 'candidate')) =>
      serial(id, async () => {
        if (slot === undefined) return
        begin('start-held', keyOf(id, slot))
        instances.get(keyOf(id, slot))!.hold = 'inputs'
      }),
    release: (id, slot) =>
      serial(id, async () => {
        const instance = instances.get(keyOf(id, slot))
        if (!instance) throw new DriverError('not_running', 'The process of the instance does not run')
        if (!instance.hold) return { at: Date.now(), late: 0, dropped: 0, refused: [] }
        begin('release', keyOf(id, slot))
        delete instance.hold
        return { at: Date.now(), late: 0, dropped: 0, refused: refused.get(id) ?? [] }
      }),
    giveBack: (id) =>
      serial(id, async () => {
        const slot = find(id, 'replacing')
        // One that has crashed is not there any more.
        if (slot !== undefined) instances.get(keyOf(id, slot))!.part = 'candidate'
        discard(id)
        for (const key of slots.map((one) => keyOf(id, one))) {
          ended.delete(key)
          if (!instances.get(key)?.paused) continue
          begin('resume', key)
          delete instances.get(key)!.paused
        }
      }),
    async obstacle({ id }) {
      const [first, second] = slots.filter((slot) => instances.has(keyOf(id, slot)))
      if (first === undefined) return 'The instance does not run'
      return second === undefined ? undefined : 'The instance runs as two processes already'
    },
    opens: async (id, slot) => opens.get(id) ?? (instances.has(keyOf(id, slot)) ? nothingOpen : undefined),
    discard: (id) => serial(id, async () => discard(id)),
  } satisfies Pair & Record<string, unknown>
}
