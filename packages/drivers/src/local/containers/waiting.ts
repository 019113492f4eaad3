import { randomUUID } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { InstanceSpec, StackSpec } from '../../driver.ts'
import type { Config } from '../config.ts'
import type { Confinement } from '../confinement/confinement.ts'
import type { Machine } from '../machine.ts'
import { type Paths, pathsOf } from '../paths.ts'
import { createPool, type Pool, type Warm } from '../pool/pool.ts'
import type { LaunchOptions } from '../process/launch.ts'
import { readyFileOf } from './container.body.ts'
import type { Described, Making, Place } from './making.ts'
import { isNew, mountedIn, moveInto, removeFolder } from './waiting.folders.ts'
import { createNotes } from './waiting.notes.ts'

const lookMs = 50
const againMs = 30_000
const dropMs = 10_000
/** A server that stops waits so long for what it ends; the rest ends by itself, as its input does. */
const closeMs = 5_000

interface WaitingContainer extends Warm {
  /** The name of its folder, and its label. */
  key: string
  paths: Paths
  place: Place
  container: string
  input: Duplex
  described: Described
  mounted: string
}

/** A container that was made before its instance. Its folder is that of the instance now. */
export interface Claimed {
  key: string
  container: string
  input: Duplex
  socketDir: string
  address: string | undefined
  /** The folder of the instance inside. */
  madeIn: string
}

/**
 * Containers that wait for a new instance with the modules of its stack loaded. Each is what the engine would be asked to
 * make for that instance, has a folder and a user of its own, and never ran anything. Its input is held open by this process:
 * when that ends, so does the container.
 */
export function createWaiting(
  config: Config,
  {
    making,
    confinement,
    machine,
    folderOf,
  }: { making: Making; confinement: Confinement; machine: Machine; folderOf(stack: StackSpec): string },
) {
  const notes = createNotes(config)
  const { platformUrl } = config.containers
  const busy = new Set<Promise<unknown>>()
  let pool: Pool<WaitingContainer> | undefined
  let closed = false

  function track<T>(work: Promise<T>): Promise<T> {
    const settled = work.catch(() => undefined).finally(() => busy.delete(settled))
    busy.add(settled)
    return work
  }

  async function make(stack: StackSpec): Promise<WaitingContainer> {
    const key = randomUUID()
    const paths = pathsOf(config.instancesDir, key)
    notes.write(key, paths.socketDir)
    let [place, container]: [Place | undefined, string | undefined] = [undefined, undefined]
    try {
      const nodeRedPath = folderOf(stack)
      place = await confinement.prepare(paths, nodeRedPath)
      notes.write(key, place.socketDir)
      const wanted = { key, memory: stack.memory, nodeRedPath, platformUrl, filesDir: undefined, waits: true }
      const described = await making.describe(paths, place, wanted)
      container = await making.create(key, described.body)
      const mounted = mountedIn(paths, place.socketDir)
      const input = await making.run(container)
      return follow({ key, paths, place, container, input, described, mounted })
    } catch (error) {
      void discard({ key, paths, place, container })
      throw error
    }
  }

  function follow(made: Omit<WaitingContainer, keyof Warm>): WaitingContainer {
    const { input, container, place } = made
    let isOpen = true
    for (const event of ['end', 'close']) input.once(event, () => (isOpen = false))
    input.resume()
    const isAlive = () => isOpen && making.isRunning(container)
    const member = { ...made, isAlive, ready: Promise.resolve(), end: () => void discard(made) }
    member.ready = loaded(member, readyFileOf(place.socketDir))
    return member
  }

  /** Waits until it has said that everything is loaded. One that is claimed before has its folder elsewhere then. */
  async function loaded({ isAlive, place }: WaitingContainer, file: string): Promise<void> {
    for (; isAlive(); await delay(lookMs, undefined, { ref: false })) {
      if (!existsSync(file) && existsSync(place.socketDir)) continue
      rmSync(file, { force: true })
      return
    }
  }

  /** Ends one that nobody has claimed, and removes what was made for it. Without the engine that waits. */
  function discard(made: {
    key: string
    paths: Paths
    place: Place | undefined
    container: string | undefined
    input?: Duplex
  }): Promise<void> {
    made.input?.destroy()
    return track(
      (async () => {
        try {
          if (made.container !== undefined) await making.drop(made.container, dropMs)
        } catch {
          // After the end of this process the next one does it.
          if (!closed) setTimeout(() => void discard(made), againMs).unref()
          return
        }
        removeFolder(made.paths, made.place?.socketDir ?? made.paths.socketDir)
        confinement.release()
        notes.drop(made.key)
      })(),
    )
  }

  /** Is it what the engine would be asked to make for this instance now? */
  async function fits(found: WaitingContainer, { spec, launch }: { spec: InstanceSpec; launch: LaunchOptions }) {
    const { key, paths, place, described, mounted } = found
    const { filesDir, stack, platformUrl: given } = spec
    const { nodeRedPath } = launch
    const wanted = { key, memory: stack.memory, nodeRedPath, platformUrl: given, filesDir, waits: true }
    const [now, isThere] = await Promise.all([making.describe(paths, place, wanted), making.answers(found.container)])
    const isSame = JSON.stringify(now) === JSON.stringify(described)
    return isSame && isThere && mountedIn(paths, place.socketDir) === mounted && found.isAlive()
  }

  return {
    /** One for this start, whose folder is that of the instance from now on; undefined when none will do. */
    async claim(paths: Paths, spec: InstanceSpec, launch: LaunchOptions): Promise<Claimed | undefined> {
      if (!pool || launch.isFresh || launch.slot !== 0 || !isNew(paths)) return undefined
      const found = pool.claim(spec.stack)
      if (!found) return undefined
      const { key, container, input, place, described } = found
      try {
        if (await fits(found, { spec, launch })) {
          moveInto(found.paths, paths, () => confinement.reassign(place.account, paths))
          const socketDir = place.socketDir === found.paths.socketDir ? paths.socketDir : place.socketDir
          return { key, container, input, socketDir, address: described.address, madeIn: found.paths.folder }
        }
      } catch {
        // It starts as it would without.
      }
      found.end()
      return undefined
    },

    /** Drops the note of one that was claimed and has its record. */
    settled: (key: string): void => notes.drop(key),

    /** Instances of this stack may be wanted: from now on containers wait, since this server is the one that runs them. */
    expect(stack: StackSpec): void {
      if (platformUrl === '' || closed) return
      pool ??= createPool(config, {
        size: config.warmContainers,
        machine,
        folderOf,
        make: (one) => track(make(one)),
      })
      pool.expect(stack)
    },

    filled: () => pool?.filled() ?? { waiting: 0, wanted: config.warmContainers },

    notes: notes.all,

    /** Removes what is noted of containers that are gone, and whose server is. */
    clean(): void {
      for (const [key, { isOwned, socketDir }] of notes.all()) {
        if (isOwned) continue
        const paths = pathsOf(config.instancesDir, key)
        removeFolder(paths, socketDir ?? paths.socketDir)
        notes.drop(key)
      }
      confinement.release()
    },

    async close(): Promise<void> {
      closed = true
      pool?.close()
      const late = delay(closeMs, undefined, { ref: false })
      const all = async () => {
        while (busy.size > 0) await Promise.all(busy)
      }
      await Promise.race([all(), late])
    },
  }
}
