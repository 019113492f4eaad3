import { containerUrl } from '@app/contract'
import { existsSync, realpathSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { uptime } from 'node:os'
import {
  type Capabilities,
  DriverError,
  type DriverHealth,
  type InstanceSpec,
  type StackSpec,
  type Usage,
} from '../../driver.ts'
import { keyOf, partsOf } from '../../slots.ts'
import type { Config } from '../config.ts'
import type { Confinement } from '../confinement/confinement.ts'
import type { Machine } from '../machine.ts'
import { isInstanceId, type Paths } from '../paths.ts'
import { hungReason } from '../process/hung.ts'
import {
  forget,
  type LaunchOptions,
  type Launched,
  launchSpecOf,
  planFor,
  recordOf,
  startFailed,
} from '../process/launch.ts'
import type { Live } from '../process/live.ts'
import type { OwnProcess } from '../process/process.ts'
import type { Processes } from '../process/processes.ts'
import { recordsIn } from '../records.ts'
import { type InstanceRecord, writeRecord } from '../record.store.ts'
import { memoryOf, outputOf, type Stats } from './container.answers.ts'
import { outOfMemoryCode } from './container.script.ts'
import { createEngine, EngineError, unless } from './engine.ts'
import { viewContainers } from './engine.view.ts'
import { createImage } from './image.ts'
import { createMaking, type Found } from './making.ts'
import { createNetwork } from './network.ts'
import { familyOf, forgottenSeconds, knowsToken, labels, quietly } from './shared.ts'
import { isGone } from './wait.ts'
import { type Claimed, createWaiting } from './waiting.ts'

const outputLines = '200'

interface Listed {
  Id: string
  Created: number
  Labels: Record<string, string>
}

interface Info {
  MemoryLimit: boolean
  PidsLimit: boolean
}

/**
 * Processes of instances, each in a container of its own. The engine starts, ends and counts them; everything else goes
 * over the folders of the instance, which the container shares with this machine, sockets included.
 */
export function createContainers(
  config: Config,
  {
    confinement,
    folderOf,
    machine,
  }: { confinement: Confinement; folderOf(stack: StackSpec): string; machine: Machine },
) {
  const options = config.containers
  const engine = createEngine(options.socket)
  const network = createNetwork(engine, options.network)
  const view = viewContainers(engine, `${labels.home}=${familyOf(config)}`, async () => {
    // Containers that were found have to find the platform.
    if (options.platformUrl !== '') await network.hostsFor(options.platformUrl)
  })
  const image = createImage(engine, options.image)
  const making = createMaking(config, { engine, view, network, image, confinement })
  const { family, drop, inspect } = making
  const waiting = createWaiting(config, {
    making,
    confinement,
    folderOf: (stack) => realPathOf(folderOf(stack)),
    machine,
  })
  let info: Info | undefined

  async function start(paths: Paths, spec: InstanceSpec, options: LaunchOptions): Promise<Launched> {
    const launch = { ...options, nodeRedPath: realPathOf(options.nodeRedPath) }
    const inside = { ...spec, platformUrl: containerUrl(spec.platformUrl) }
    const claimed = await waiting.claim(paths, inside, launch)
    return claimed ? send(claimed, { paths, inside, launch }) : startCold({ paths, inside, launch })
  }

  /** Hands a container that waited its specification. */
  async function send(
    { key, container, input, socketDir, address, madeIn }: Claimed,
    { paths, inside, launch }: Start,
  ): Promise<Launched> {
    const plan = planFor({ socketDir })
    try {
      const record = recordOf(inside, launch, plan, { identity: container, container, label: key })
      writeRecord(paths, record)
      waiting.settled(key)
      input.end(JSON.stringify({ ...launchSpecOf(paths, inside, launch, plan), ...placed(address), madeIn }))
      void quietly(making.rename(container, record.id))
      return { record, waited: true }
    } catch (error) {
      input.destroy()
      await drop(container).catch(() => undefined)
      forget(paths, plan)
      throw startFailed(error)
    }
  }

  async function startCold({ paths, inside, launch }: Start): Promise<Launched> {
    const { nodeRedPath, slot } = launch
    const { id, filesDir, platformUrl, stack } = inside
    const key = keyOf(id, slot)
    let container: string | undefined
    let plan: ReturnType<typeof planFor> | undefined
    try {
      const place = await confinement.prepare(paths, nodeRedPath)
      plan = planFor({ socketDir: place.socketDir })
      const wanted = { key, memory: stack.memory, nodeRedPath, platformUrl, filesDir, waits: false }
      const { body, address } = await making.describe(paths, place, wanted)
      container = await making.create(key, body)
      const record = recordOf(inside, launch, plan, { identity: container, container })
      const input = await making.run(container, () => writeRecord(paths, record))
      input.end(JSON.stringify({ ...launchSpecOf(paths, inside, launch, plan), ...placed(address) }))
      input.resume()
      return { record, waited: false }
    } catch (error) {
      if (container !== undefined) await drop(container).catch(() => undefined)
      if (plan) forget(paths, plan)
      throw error instanceof DriverError ? error : startFailed(error)
    }
  }

  /** The container of a record, if it is one of this home. */
  async function find({ id, label = id, container }: InstanceRecord): Promise<Found | undefined> {
    const found = await inspect(container!)
    const { [labels.home]: home, [labels.process]: key } = found?.Config.Labels ?? {}
    return home === family && key === label ? found : undefined
  }

  async function signal(container: string, name: string): Promise<void> {
    // One that is paused takes none.
    await unless(engine.ask('POST', `/containers/${container}/unpause`), 404, 409, 500)
    const killed = engine.ask('POST', `/containers/${container}/kill`, { query: { signal: name } })
    await killed.catch(async (error: unknown) => {
      // Engines have several answers for one that has ended meanwhile.
      if (!(error instanceof EngineError) || (await inspect(container))?.State.Running) throw error
    })
  }

  async function findOwn(record: InstanceRecord): Promise<OwnProcess | undefined> {
    await view.look()
    if (!(await find(record))?.State.Running) return undefined
    const container = record.container!
    view.started(container)
    return { answers: await knowsToken(record), signal: (name) => signal(container, name) }
  }

  async function readUsage({ record, beat, hungSince }: Live): Promise<Usage | undefined> {
    const query = { stream: 'false', 'one-shot': 'true' }
    const asked = engine.ask<Stats>('GET', `/containers/${record.container}/stats`, { query })
    // Without its engine nobody can tell; Health says that it is away.
    const stats = await unless(asked, 404, 409).catch(() => undefined)
    const memoryMb = stats && memoryOf(stats)
    if (!stats || memoryMb === undefined) return undefined
    return {
      cpuMs: Math.round(stats.cpu_stats.cpu_usage.total_usage / 1e6),
      memoryMb,
      ...(beat && { eventLoop: beat }),
      ...(hungSince !== undefined && { hungSince }),
    }
  }

  const processes: Processes = {
    get capabilities(): Omit<Capabilities, 'outlivesPlatform'> {
      const { MemoryLimit = true, PidsLimit = true } = info ?? {}
      return {
        enforcesMemory: MemoryLimit,
        limitsProcesses: PidsLimit,
        endsDescendants: true,
        isolatesInstances: true,
        gaps: [
          ...(MemoryLimit ? [] : [memoryGap]),
          ...(PidsLimit ? [] : [processesGap]),
          ...(making.isPodman ? [networkGap] : []),
          ...confinement.diskGaps(),
        ],
      }
    },
    start,
    isAlive: ({ container }) => view.isRunning(container!),
    async look({ container }) {
      await view.look()
      return view.isRunning(container!)
    },
    findOwn,
    isGoneWithin: ({ container }, ms) => isGone(() => !view.isRunning(container!), ms),
    isOfThisBoot: ({ startedAt }) => startedAt >= Date.now() - uptime() * 1000,
    endReason: async () => undefined,
    async ranOutOfMemory(record) {
      const { OOMKilled, ExitCode } = (await quietly(find(record)))?.State ?? {}
      return OOMKilled === true || ExitCode === outOfMemoryCode
    },
    async keepOutput({ container }, { output }) {
      const query = { stdout: '1', stderr: '1', tail: outputLines }
      const said = await quietly(engine.bytes('GET', `/containers/${container}/logs`, { query }))
      if (said) await writeFile(output, outputOf(said), { mode: 0o600 })
    },
    async endLeftovers({ container }) {
      // With the container everything in it is gone.
      await quietly(drop(container!))
    },
    hungReason: () => hungReason({ pid: undefined }),
    usage: readUsage,
  }

  return {
    processes,
    image,

    /** Looks at the engine. */
    async health(): Promise<NonNullable<DriverHealth['engine']>> {
      try {
        info = await engine.ask<Info>('GET', '/info', { timeout: 3_000 })
        await making.askKind({ timeout: 3_000 })
        return { reachable: true }
      } catch (error) {
        return { reachable: false, reason: (error as Error).message }
      }
    },

    /** Removes the containers of this home that no record tells of, and what they left. Without the engine that waits for the next time. */
    async sweep(): Promise<void> {
      await view.look()
      const query = { all: '1', filters: JSON.stringify({ label: [`${labels.home}=${family}`] }) }
      const found = await quietly(engine.ask<Listed[]>('GET', '/containers/json', { query }))
      if (!found) return
      const kept = new Set(recordsIn(config.instancesDir).map(({ container }) => container))
      const notes = waiting.notes()
      for (const { Id, Created, Labels } of found) {
        const key = Labels[labels.process] ?? ''
        if (!isInstanceId(partsOf(key).id) || kept.has(Id)) continue
        const isForgotten = Date.now() / 1000 - Created > forgottenSeconds
        const { isOwned = !isForgotten } = notes.get(key) ?? {}
        if (!isOwned) await drop(Id)
      }
      waiting.clean()
    },

    /** Instances of this stack are likely to be started soon. */
    expect: waiting.expect,
    /** Numbers of containers that wait and that are wanted. */
    filled: waiting.filled,

    async close(): Promise<void> {
      await waiting.close()
      view.close()
      network.close()
    },
  }
}

interface Start {
  paths: Paths
  /** With the address of the platform as it is for containers. */
  inside: InstanceSpec
  launch: LaunchOptions
}

/** Compiled code is known by the paths behind links, which a mount hides. */
const realPathOf = (folder: string) => (existsSync(folder) ? realpathSync(folder) : folder)

const placed = (address: string | undefined) => (address === undefined ? {} : { platformAddress: address })

const memoryGap = 'Memory is not limited: the container engine cannot limit it on this machine.'
const processesGap =
  'The number of processes that flows start is not limited: the container engine cannot limit it on this machine.'
const networkGap =
  'Instances reach the ports that flows of others open: Podman does not separate containers within one network.'
