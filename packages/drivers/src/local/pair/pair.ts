import type { FlowsReport } from '@app/contract/instance-link'
import { existsSync, renameSync } from 'node:fs'
import {
  DriverError,
  type Endpoint,
  type Hold,
  type InstanceSpec,
  type InstanceStatus,
  type Member,
  type Pair,
  type ServingProcess,
  type Slot,
} from '../../driver.ts'
import type { createSerial } from '../../serial.ts'
import { isServing, keyOf, otherOf, partsOf, slots } from '../../slots.ts'
import type { Config } from '../config.ts'
import { askFlows, sendCommand } from '../control/control.client.ts'
import { createPairTakeover } from './pair.takeover.ts'
import { srcOf } from '../process/launch.ts'
import type { createModules } from '../modules/modules.ts'
import { pathsOf } from '../paths.ts'
import { type InstanceRecord, readRecord } from '../record.store.ts'
import type { createEndpoints } from '../control/where.ts'
import type { createStacks } from '../stacks/stacks.ts'
import type { createSupervisor } from '../process/supervisor.ts'
import type { Processes } from '../process/processes.ts'

export interface PairDependencies {
  config: Config
  processes: Processes
  supervisor: ReturnType<typeof createSupervisor>
  modules: ReturnType<typeof createModules>
  stacks: ReturnType<typeof createStacks>
  endpoints: ReturnType<typeof createEndpoints>
  serial: ReturnType<typeof createSerial>
}

/**
 * The processes of an instance by their slots. The one of a plain instance is in the first, or in the second after
 * it took over there; which of two serve is in their records, so that a kill of the platform changes nothing.
 */
export function createPair({ config, processes, supervisor, modules, stacks, endpoints, serial }: PairDependencies) {
  const paths = (key: string) => pathsOf(config.instancesDir, key)
  const recordOf = (id: string, slot: Slot) => readRecord(paths(keyOf(id, slot)), keyOf(id, slot))

  const partIn = (id: string) => (slot: Slot) => supervisor.partOf(keyOf(id, slot))
  const livePartIn = (id: string) => (slot: Slot) => supervisor.live(keyOf(id, slot))?.record.part

  function launch(
    spec: InstanceSpec,
    slot: Slot,
    { part, hold }: { part?: InstanceRecord['part']; hold?: Hold | undefined } = {},
  ): Promise<void> {
    if (!stacks.has(spec.stack))
      throw new DriverError('stack_missing', `Node-RED ${spec.stack.nodered} is not installed`)
    return supervisor.start(spec, {
      slot,
      ...(part ? { part } : {}),
      ...(hold ? { hold } : {}),
      nodeRedPath: stacks.folder(spec.stack),
      // A candidate has the modules of its instance; nothing is installed while the other runs.
      async beforeLaunch() {
        if (part !== 'candidate') await (spec.keepModules ? modules.keep(spec) : modules.apply(spec))
      },
    })
  }

  async function stopAll(id: string): Promise<void> {
    await Promise.all(slots.map((slot) => supervisor.stop(keyOf(id, slot))))
  }

  async function stop(id: string, slot: Slot): Promise<void> {
    await supervisor.stop(keyOf(id, slot))
    const other = keyOf(id, otherOf(slot))
    if (supervisor.partOf(other) !== 'replacing') return
    supervisor.update(other, { part: undefined })
    const live = supervisor.live(other)
    // It serves whether it takes note of that or not.
    if (live) await sendCommand(live.record, { cmd: 'alone' }).catch(() => undefined)
  }

  /** The place of what is on trial, or of what takes the place of the other. */
  const find = (id: string, part: InstanceRecord['part']) =>
    slots.find((slot) => supervisor.partOf(keyOf(id, slot)) === part)

  async function discard(id: string): Promise<void> {
    const slot = find(id, 'candidate')
    if (slot !== undefined) await supervisor.stop(keyOf(id, slot))
  }

  const memberOf = (slot: Slot, status: InstanceStatus): Member => ({ ...status, slot, src: srcOf(slot) })

  async function members(id: string): Promise<Member[]> {
    const found = slots
      .filter((slot) => isServing(slot, partIn(id)))
      .map(async (slot) => memberOf(slot, await supervisor.status(keyOf(id, slot))))
    return (await Promise.all(found)).filter(({ state }) => state !== 'stopped')
  }

  function endpointIn(id: string, slot: Slot): Endpoint | undefined {
    const live = supervisor.live(keyOf(id, slot))
    return live && endpoints.of(live.record)
  }

  /** One whose flows were stopped for another version answers nobody, also once that version is gone: requests wait. */
  const isAnswering = (id: string) => (slot: Slot) =>
    isServing(slot, livePartIn(id)) && !supervisor.live(keyOf(id, slot))?.record.paused

  function serving(id: string, states: readonly string[] = ['running']): readonly ServingProcess[] {
    const found = slots.filter(isAnswering(id)).flatMap((slot): ServingProcess[] => {
      if (!states.includes(supervisor.known(keyOf(id, slot))?.state ?? '')) return []
      const endpoint = endpointIn(id, slot)
      return endpoint ? [{ slot, endpoint }] : []
    })
    // Without its flows a process answers what nobody else does.
    return found.length === 0 && !states.includes('safe') ? serving(id, ['safe']) : found
  }

  async function obstacle(spec: Parameters<Pair['obstacle']>[0]): Promise<string | undefined> {
    const running = slots.filter((slot) => supervisor.live(keyOf(spec.id, slot)))
    if (running.length === 0) return 'The instance does not run'
    if (running.length > 1) return 'The instance runs as two processes already'
    return spec.keepModules || (await modules.isPut(spec)) ? undefined : 'Its modules change'
  }

  async function startCandidate(spec: InstanceSpec, hold?: Hold): Promise<void> {
    const { id } = spec
    await discard(id)
    const running = slots.filter((slot) => supervisor.live(keyOf(id, slot)))
    const [first] = running
    const why = await obstacle(spec)
    if (why !== undefined || first === undefined)
      throw new DriverError('not_beside', why ?? 'The instance does not run')
    const slot = otherOf(first)
    try {
      await launch(spec, slot, { part: 'candidate', hold })
    } catch (error) {
      await supervisor.stop(keyOf(id, slot))
      throw error
    }
  }

  function takeOver(id: string): Slot | undefined {
    const slot = find(id, 'candidate') ?? find(id, 'replacing')
    if (slot === undefined) return undefined
    supervisor.update(keyOf(id, slot), { part: 'replacing' })
    return otherOf(slot)
  }

  /** Undefined for one that does not run, does not answer or is of a version that cannot tell. */
  async function flowsIn(id: string, slot: Slot | undefined): Promise<FlowsReport | undefined> {
    const live = slot === undefined ? undefined : supervisor.live(keyOf(id, slot))
    return live && askFlows(live.record).catch(() => undefined)
  }

  const takeover = createPairTakeover(supervisor, { find, stop, discard })

  return {
    start: (spec, slot, hold) => serial(spec.id, () => launch(spec, slot, { hold })),
    stop: (id, slot) => serial(id, () => stop(id, slot)),
    members,
    serving: (id) => serving(id),
    async usage(id, slot) {
      const live = supervisor.live(keyOf(id, slot))
      return live && processes.usage(live)
    },
    flows: flowsIn,
    trialFlows: (id) => flowsIn(id, find(id, 'candidate')),
    startCandidate: (spec, hold) => serial(spec.id, () => startCandidate(spec, hold)),
    async trial(id) {
      const slot = find(id, 'candidate')
      return slot === undefined ? { state: 'stopped' } : supervisor.status(keyOf(id, slot))
    },
    trialEndpoint(id) {
      const slot = find(id, 'candidate')
      return slot === undefined ? undefined : endpointIn(id, slot)
    },
    takeOver: (id) => serial(id, async () => takeOver(id)),
    pause: (id, slot, keep) => serial(id, () => takeover.pause(id, slot, keep)),
    startHeld: (id, slot) => serial(id, () => takeover.startHeld(id, slot)),
    release: (id, slot, since) => serial(id, () => takeover.release(id, slot, since)),
    giveBack: (id) => serial(id, () => takeover.giveBack(id)),
    opens: takeover.opens,
    obstacle,
    discard: (id) => serial(id, () => discard(id)),

    /** The last known members that are to serve. */
    known: (id: string): Member[] =>
      slots.flatMap((slot) => {
        const status = supervisor.known(keyOf(id, slot))
        if (!status || status.state === 'stopped' || !isServing(slot, partIn(id))) return []
        return [memberOf(slot, status)]
      }),

    /** Where the instance answers, be it that it still starts. */
    endpoint(id: string): Endpoint | undefined {
      const [best] = serving(id)
      if (best) return best.endpoint
      const slot = slots.filter(isAnswering(id)).find((one) => supervisor.live(keyOf(id, one)))
      return slot === undefined ? undefined : endpointIn(id, slot)
    },

    /** Starts an instance of one process, in the place in which it was last. */
    async startAlone(spec: InstanceSpec, hold?: Hold): Promise<void> {
      const slot = slots.find((one) => recordOf(spec.id, one)) ?? 0
      const second = paths(keyOf(spec.id, 1)).crash
      if (slot === 0 && existsSync(second)) renameSync(second, paths(spec.id).crash)
      await launch(spec, slot, { hold })
    },

    stopAll,

    /** The instances that are there, after what a kill has left was led to its end. */
    async adopt(): Promise<string[]> {
      const ids = [...new Set((await supervisor.adopt()).map((key) => partsOf(key).id))]
      for (const id of ids) {
        await discard(id)
        await takeover.complete(id)
      }
      return ids
    },
  } satisfies Pair & Record<string, unknown>
}
