import { createHash, randomUUID } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { chownSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type Capabilities, DriverError, type DriverHealth, type InstanceSpec } from '../../driver.ts'
import { keyOf, partsOf } from '../../slots.ts'
import type { Config } from '../config.ts'
import type { Confinement } from '../confinement/confinement.ts'
import { createEngine } from '../containers/engine.ts'
import { familyOf, forgottenSeconds, knowsToken, labels, quietly, userFor } from '../containers/shared.ts'
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
import type { OwnProcess } from '../process/process.ts'
import type { Processes } from '../process/processes.ts'
import { type Account, type InstanceRecord, readRecord, writeRecord } from '../record.store.ts'
import { answerPort, outOfMemoryCode, serviceBody } from './service.body.ts'
import { askUsage } from '../usage/usage.asked.ts'
import { createServices } from './services.ts'
import { createOverlay } from './swarm.network.ts'
import { viewTasks } from './tasks.view.ts'

const lookMs = 100
/** Time for a machine to be found: constraints that none meets are not met later either, as a rule. */
const placeMs = 15_000
/** Time for a machine to fetch the image and begin. */
const beginMs = 300_000
/** The longest name that Swarm takes for a service. */
const nameMax = 63
const loopback = /^(localhost|127\.|\[::1\])/

interface Info {
  Swarm: { ControlAvailable: boolean }
}

/**
 * Processes of instances, each the one task of a service of a swarm, on any of its machines. Their folders are on storage
 * that all machines share; control and HTTP go over a port of the machine that runs a task.
 */
export function createSwarm(config: Config, confinement: Confinement) {
  const options = config.swarm
  const engine = createEngine(options.socket)
  const family = familyOf(config)
  const tasks = viewTasks(engine, family)
  const services = createServices(engine, family, tasks)
  const overlay = createOverlay(engine, options.network)

  /** The same for every launch of a process. */
  function nameOf(key: string): string {
    const name = `flowforge-${family}-${key.replace('~', '-')}`
    if (name.length <= nameMax) return name
    return `flowforge-${family}-${createHash('sha256').update(key).digest('hex').slice(0, 32)}`
  }

  /** The address of the platform, and the IP address behind it. @throws DriverError for one that other machines do not reach. */
  async function platformOf(): Promise<{ platformUrl: string; platformAddress?: string }> {
    const { platformUrl } = options
    const { host, hostname } = new URL(platformUrl)
    if (loopback.test(hostname))
      throw new DriverError('platform_here', `Other machines do not reach the platform at ${host}: see FORGE_SWARM_URL`)
    const found = await lookup(hostname.replace(/^\[|\]$/g, '')).catch(() => undefined)
    return { platformUrl, ...(found && { platformAddress: found.address }) }
  }

  async function start(paths: Paths, spec: InstanceSpec, launch: LaunchOptions): Promise<Launched> {
    const { nodeRedPath, slot } = launch
    const key = keyOf(spec.id, slot)
    const name = nameOf(key)
    const identity = randomUUID()
    let plan: ReturnType<typeof planFor> | undefined
    try {
      const platform = await platformOf()
      await tasks.follow()
      await overlay.ensure()
      await services.clear(name, key)
      const { socketDir, account } = await confinement.prepare(paths, nodeRedPath)
      const user = userFor(confinement, account)
      prepareOutput(paths, user)
      plan = planFor({ socketDir, port: answerPort })
      const record = recordOf(spec, launch, plan, { identity, service: name })
      // Noted first: with its secret the process has all that it needs.
      writeRecord(paths, record)
      const whole = { ...launchSpecOf(paths, spec, launch, plan), ...platform }
      await services.create(name, JSON.stringify(whole), (secret) =>
        serviceBody(config, {
          name,
          key,
          paths,
          nodeRedPath,
          filesDir: spec.filesDir,
          training: trainingOf(config, nodeRedPath),
          memory: spec.stack.memory,
          user,
          image: options.image,
          network: overlay.name,
          constraints: options.constraints,
          secret: { id: secret, name },
          labels: { [labels.home]: family, [labels.process]: key, [labels.launch]: identity },
        }),
      )
      record.address = await begun(key, identity)
      writeRecord(paths, record)
      return { record, waited: false }
    } catch (error) {
      if (plan) await quietly(services.remove(name, identity))
      if (plan && readRecord(paths, key)?.identity === identity) forget(paths, plan)
      throw error instanceof DriverError ? error : startFailed(error)
    }
  }

  /** Where the process of a launch answers, once it has begun. @throws DriverError with the reason when it does not. */
  async function begun(key: string, launch: string): Promise<NonNullable<InstanceRecord['address']>> {
    for (const from = Date.now(); ; await delay(lookMs)) {
      const { address, isRunning, isOver, reason, machine } = await tasks.look(key, launch)
      if (isRunning && address) return address
      const waited = Date.now() - from
      // One that was not listed yet is not over.
      if (isOver && waited > placeMs) throw new DriverError('start_failed', reason ?? 'The process ended at once')
      if (isOver && (reason !== undefined || machine !== undefined))
        throw new DriverError('start_failed', `The process did not begin: ${reason ?? 'it ended at once'}`)
      if (machine === undefined && waited > placeMs)
        throw new DriverError('no_machine', `No machine of the swarm takes this instance: ${reason ?? 'it waits'}`)
      if (waited > beginMs)
        throw new DriverError('start_failed', `${machine} has not begun: ${reason ?? 'it still waits'}`)
    }
  }

  async function findOwn(record: InstanceRecord): Promise<OwnProcess | undefined> {
    await tasks.follow()
    const { isRunning, isLost, address } = await tasks.look(record.id, record.identity)
    if (!isRunning && !(isLost && (await knowsToken(record)))) return undefined
    // The platform ended between the start of the process and the note of where it answers.
    if (!record.address && address) {
      record.address = address
      writeRecord(pathsOf(config.instancesDir, record.id), record)
    }
    // Swarm asks it to end, and kills it if it does not. It is told once: there is no service any more then.
    return { answers: await knowsToken(record), signal: () => services.remove(record.service!, record.identity) }
  }

  const isRunning = ({ identity }: InstanceRecord) => tasks.known(identity)?.isRunning ?? true

  /** Where the swarm does not answer, what was known counts. What answers is there, whatever the swarm knows of its machine. */
  async function look(record: InstanceRecord): Promise<boolean> {
    const seen = await quietly(tasks.look(record.id, record.identity))
    if (seen?.isLost) return knowsToken(record)
    return seen?.isRunning ?? isRunning(record)
  }

  const processes: Processes = {
    get capabilities() {
      return { ...all, gaps: confinement.diskGaps() }
    },
    start,
    isAlive: isRunning,
    look,
    findOwn,
    async isGoneWithin(record, ms) {
      for (const until = Date.now() + ms; ; await delay(Math.min(lookMs, ms))) {
        if (!(await look(record))) return true
        if (Date.now() >= until) return false
      }
    },
    // Other machines do not end with this one.
    isOfThisBoot: () => true,
    endReason: async (record) => (await quietly(tasks.look(record.id, record.identity)))?.reason,
    ranOutOfMemory: async (record) =>
      (await quietly(tasks.look(record.id, record.identity)))?.exitCode === outOfMemoryCode,
    async keepOutput() {
      // It went to its file at once.
    },
    async endLeftovers({ service, identity }) {
      // With the service everything of it is gone, save for what a machine still ends.
      await quietly(services.remove(service!, identity))
    },
    hungReason(record) {
      const { machine = 'its machine' } = tasks.known(record.identity) ?? {}
      return `${hungReason({ pid: undefined })} Or ${machine} does not reach the platform any more.`
    },
    usage: askUsage,
  }

  return {
    processes,

    /** Looks at the manager. */
    async health(): Promise<NonNullable<DriverHealth['engine']>> {
      try {
        const { Swarm } = await engine.ask<Info>('GET', '/info', { timeout: 3_000 })
        if (Swarm.ControlAvailable) return { reachable: true }
        return { reachable: false, reason: `The container engine at ${options.socket} is not a manager of a swarm` }
      } catch (error) {
        return { reachable: false, reason: (error as Error).message }
      }
    },

    /** Removes the services of this home that no record tells of. Without the swarm that waits for the next time. */
    async sweep(): Promise<void> {
      await tasks.follow()
      for (const { name, key, launch, createdAt } of (await quietly(services.all())) ?? []) {
        if (!isInstanceId(partsOf(key).id)) continue
        const isNoted = readRecord(pathsOf(config.instancesDir, key), key)?.identity === launch
        if (!isNoted && Date.now() - createdAt > forgottenSeconds * 1_000) await services.remove(name)
      }
    },

    close: tasks.close,
  }
}

/** Machines limit memory and processes, and containers end whole; what one of them cannot do, it alone knows. */
const all: Omit<Capabilities, 'outlivesPlatform'> = {
  enforcesMemory: true,
  limitsProcesses: true,
  endsDescendants: true,
  isolatesInstances: true,
  gaps: [],
}

/** A file of its own for what the process prints, that no link stands for. */
function prepareOutput({ output }: Paths, { uid, gid }: Account): void {
  rmSync(output, { force: true })
  writeFileSync(output, '', { flag: 'wx', mode: 0o600 })
  if (process.getuid?.() === 0) chownSync(output, uid, gid)
}
