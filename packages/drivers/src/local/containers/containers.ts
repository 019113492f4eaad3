import { containerUrl } from '@app/contract'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { uptime } from 'node:os'
import type { Duplex } from 'node:stream'
import { type Capabilities, DriverError, type DriverHealth, type InstanceSpec, type Usage } from '../../driver.ts'
import { keyOf, partsOf } from '../../slots.ts'
import type { Config } from '../config.ts'
import type { Confinement } from '../confinement/confinement.ts'
import { readInfo } from '../control/control.client.ts'
import { isInstanceId, type Paths, pathsOf } from '../paths.ts'
import { trainingOf } from '../pool/training.ts'
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
import { type InstanceRecord, readRecord, writeRecord } from '../record.store.ts'
import { containerBody } from './container.body.ts'
import { memoryOf, outputOf, type Stats } from './container.answers.ts'
import { createEngine, unless } from './engine.ts'
import { viewContainers } from './engine.view.ts'
import { createImage } from './image.ts'
import { createNetwork } from './network.ts'
import { isGone } from './wait.ts'

const labels = { home: 'flowforge.home', process: 'flowforge.process' }
/** A container that nobody has noted for so long was left by a platform that ended while it made it. */
const forgottenSeconds = 60
const outputLines = '200'

interface Found {
  Id: string
  State: { Running: boolean; Paused: boolean; OOMKilled: boolean }
  Config: { Labels: Record<string, string> }
}

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
export function createContainers(config: Config, confinement: Confinement) {
  const options = config.containers
  const engine = createEngine(options.socket)
  const family = createHash('sha256').update(config.home).digest('hex').slice(0, 12)
  const network = createNetwork(engine, options.network)
  const view = viewContainers(engine, `${labels.home}=${family}`, async () => {
    // Containers that were found have to find the platform.
    if (options.platformUrl !== '') await network.hostsFor(options.platformUrl)
  })
  const image = createImage(engine, options.image)
  let info: Info | undefined

  /** The user as whom a container runs. @throws DriverError where that would be root. */
  function userFor(account: { uid: number; gid: number } | undefined): { uid: number; gid: number } {
    const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
    if (account || own.uid !== 0) return account ?? own
    const [why = 'No users are set aside for instances.'] = confinement.capabilities.gaps
    throw new DriverError('no_account', `Instances in containers do not run as root. ${why}`)
  }

  const inspect = (container: string) => unless(engine.ask<Found>('GET', `/containers/${container}/json`), 404)
  const drop = (container: string) =>
    unless(engine.ask('DELETE', `/containers/${container}`, { query: { force: '1', v: '1' } }), 404, 409)

  async function make(paths: Paths, spec: InstanceSpec, launch: LaunchOptions) {
    const { nodeRedPath, slot } = launch
    const key = keyOf(spec.id, slot)
    const place = confinement.prepare(paths, nodeRedPath)
    const { hosts, address } = await network.hostsFor(containerUrl(spec.platformUrl))
    // Where the platform does not run under the same name, its network may still have to be made.
    if (hosts.length === 0) await network.gateway()
    await image.ensure()
    const body = containerBody(config, {
      key,
      paths,
      socketDir: place.socketDir,
      nodeRedPath,
      filesDir: spec.filesDir,
      training: trainingOf(config, nodeRedPath),
      memory: spec.stack.memory,
      user: userFor(place.account),
      image: image.name,
      network: network.name,
      hosts,
      labels: { [labels.home]: family, [labels.process]: key },
    })
    const name = `flowforge-${family}-${key.replace('~', '.')}`
    const create = () => engine.ask<{ Id: string }>('POST', '/containers/create', { query: { name }, body })
    const made = await unless(create(), 409)
    if (made) return { id: made.Id, address, socketDir: place.socketDir }
    // Left by a platform that ended meanwhile: what is noted was ended before.
    await drop(name)
    return { id: (await create()).Id, address, socketDir: place.socketDir }
  }

  async function start(paths: Paths, spec: InstanceSpec, launch: LaunchOptions): Promise<Launched> {
    let [container, input]: [string | undefined, Duplex | undefined] = [undefined, undefined]
    let plan: ReturnType<typeof planFor> | undefined
    try {
      await view.look()
      const { id, address, socketDir } = await make(paths, spec, launch)
      container = id
      plan = planFor({ socketDir })
      input = await engine.attach(id)
      const record = recordOf(spec, launch, plan, { identity: id, container: id })
      writeRecord(paths, record)
      await engine.ask('POST', `/containers/${id}/start`)
      view.started(id)
      const whole = { ...launchSpecOf(paths, spec, launch, plan), platformUrl: containerUrl(spec.platformUrl) }
      input.end(JSON.stringify(address === undefined ? whole : { ...whole, platformAddress: address }))
      input.resume()
      return { record, waited: false }
    } catch (error) {
      input?.destroy()
      if (container !== undefined) await drop(container).catch(() => undefined)
      if (plan) forget(paths, plan)
      throw error instanceof DriverError ? error : startFailed(error)
    }
  }

  /** The container of a record, if it is one of this home. */
  async function find({ id, container }: InstanceRecord): Promise<Found | undefined> {
    const found = await inspect(container!)
    const { [labels.home]: home, [labels.process]: key } = found?.Config.Labels ?? {}
    return home === family && key === id ? found : undefined
  }

  async function signal(container: string, name: string): Promise<void> {
    // One that is paused takes none.
    await unless(engine.ask('POST', `/containers/${container}/unpause`), 404, 409, 500)
    await unless(engine.ask('POST', `/containers/${container}/kill`, { query: { signal: name } }), 404, 409)
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
        gaps: [...(MemoryLimit ? [] : [memoryGap]), ...(PidsLimit ? [] : [processesGap])],
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
    ranOutOfMemory: async (record) => (await quietly(find(record)))?.State.OOMKilled === true,
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
        return { reachable: true }
      } catch (error) {
        return { reachable: false, reason: (error as Error).message }
      }
    },

    /** Removes the containers of this home that no record tells of. Without the engine that waits for the next time. */
    async sweep(): Promise<void> {
      await view.look()
      const query = { all: '1', filters: JSON.stringify({ label: [`${labels.home}=${family}`] }) }
      const asked = engine.ask<Listed[]>('GET', '/containers/json', { query })
      const found = await asked.catch(() => [])
      for (const { Id, Created, Labels } of found) {
        const key = Labels[labels.process] ?? ''
        if (!isInstanceId(partsOf(key).id)) continue
        const isNoted = readRecord(pathsOf(config.instancesDir, key), key)?.container === Id
        if (!isNoted && Date.now() / 1000 - Created > forgottenSeconds) await drop(Id)
      }
    },

    close(): void {
      view.close()
      network.close()
    },
  }
}

/** Does the process answer that has the token of this record? */
async function knowsToken(record: InstanceRecord): Promise<boolean> {
  try {
    return (await readInfo(record)).id === partsOf(record.id).id
  } catch {
    return false
  }
}

/**
 * For what is asked about a container that is known to be gone. An engine that is away just then keeps nobody from going
 * on: what is left is removed with the next start or the next platform.
 */
const quietly = <T>(work: Promise<T>): Promise<T | undefined> => work.catch(() => undefined)

const memoryGap = 'Memory is not limited: the container engine cannot limit it on this machine.'
const processesGap =
  'The number of processes that flows start is not limited: the container engine cannot limit it on this machine.'
