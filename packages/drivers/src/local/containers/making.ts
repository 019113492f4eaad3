import type { Duplex } from 'node:stream'
import type { Config } from '../config.ts'
import type { Confinement } from '../confinement/confinement.ts'
import type { Paths } from '../paths.ts'
import { trainingOf } from '../pool/training.ts'
import type { Account } from '../record.store.ts'
import { containerBody, type Inside, type Wanted } from './container.body.ts'
import { type Engine, unless } from './engine.ts'
import type { View } from './engine.view.ts'
import type { createImage } from './image.ts'
import type { createNetwork } from './network.ts'
import { familyOf, labels, userFor } from './shared.ts'

/** The parts of an engine by name; Podman is one of them. */
interface Version {
  Components?: { Name: string }[]
}

export interface Found {
  Id: string
  State: { Running: boolean; Paused: boolean; OOMKilled: boolean; ExitCode: number }
  Config: { Labels: Record<string, string> }
}

/** The folders and the user of a container. */
export interface Place {
  account?: Account
  socketDir: string
}

export interface Described {
  /** The engine is asked for this. */
  body: object
  /** The id of its image. */
  image: string
  /** Where it finds the platform, under a name that only it knows. */
  address: string | undefined
}

export interface MakingDependencies {
  engine: Engine
  view: View
  network: ReturnType<typeof createNetwork>
  image: ReturnType<typeof createImage>
  confinement: Confinement
}

export type Making = ReturnType<typeof createMaking>

/** Makes containers, for an instance that starts and ahead of one. */
export function createMaking(config: Config, { engine, view, network, image, confinement }: MakingDependencies) {
  const family = familyOf(config)
  /** Undefined before it was asked. */
  let isPodman: boolean | undefined

  async function askKind(options: { timeout?: number } = {}): Promise<boolean> {
    const { Components = [] } = await engine.ask<Version>('GET', '/version', options)
    return (isPodman = Components.some(({ Name }) => /podman/i.test(Name)))
  }

  async function hostsFor(platformUrl: string): Promise<{ hosts: string[]; address?: string }> {
    const found = await network.hostsFor(platformUrl)
    // Where the platform does not run under the same name, its network may still have to be made.
    if (found.hosts.length === 0) await network.gateway()
    return found
  }

  const nameOf = (key: string) => `flowforge-${family}-${key.replace('~', '.')}`
  const drop = (container: string, timeout?: number) =>
    unless(
      engine.ask('DELETE', `/containers/${container}`, {
        query: { force: '1', v: '1' },
        ...(timeout !== undefined && { timeout }),
      }),
      404,
      409,
    )

  const inspect = (container: string) => unless(engine.ask<Found>('GET', `/containers/${container}/json`), 404)

  return {
    family,
    get isPodman() {
      return isPodman
    },
    askKind,
    drop,
    inspect,
    isRunning: view.isRunning,

    /** The container for a process in these folders. @throws DriverError */
    async describe(
      paths: Paths,
      { account, socketDir }: Place,
      wanted: Omit<Inside, 'paths' | 'training'> & Pick<Wanted, 'waits'> & { platformUrl: string },
    ): Promise<Described> {
      const { platformUrl, key, nodeRedPath, ...more } = wanted
      const user = userFor(confinement, account)
      await view.look()
      const [{ hosts, address }, imageId, asksForMemory] = await Promise.all([
        hostsFor(platformUrl),
        image.ensure(),
        isPodman ?? askKind(),
      ])
      const body = containerBody(config, {
        ...more,
        key,
        paths,
        socketDir,
        nodeRedPath,
        training: trainingOf(config, nodeRedPath),
        user,
        image: image.name,
        network: network.name,
        hosts,
        labels: { [labels.home]: family, [labels.process]: key },
        asksForMemory,
      })
      return { body, image: imageId, address }
    },

    /** Returns the id of the container. */
    async create(key: string, body: object): Promise<string> {
      const name = nameOf(key)
      const create = () => engine.ask<{ Id: string }>('POST', '/containers/create', { query: { name }, body })
      const made = await unless(create(), 409)
      if (made) return made.Id
      // Left by a platform that ended meanwhile: what is noted was ended before.
      await drop(name)
      return (await create()).Id
    },

    /** Starts a container, after `before` was done. Returns what it reads. */
    async run(container: string, before: () => void = () => {}): Promise<Duplex> {
      const input = await engine.attach(container)
      try {
        before()
        await engine.ask('POST', `/containers/${container}/start`)
        view.started(container)
        return input
      } catch (error) {
        input.destroy()
        throw error
      }
    },

    /** Does it run, and was it not paused? */
    async answers(container: string): Promise<boolean> {
      const { Running = false, Paused = false } = (await inspect(container))?.State ?? {}
      return Running && !Paused
    },

    /** Gives one that waited the name of its instance. It matters to people alone. */
    rename: (container: string, key: string) =>
      engine.ask('POST', `/containers/${container}/rename`, { query: { name: nameOf(key) } }),
  }
}
