import { statSync } from 'node:fs'
import { type Driver, DriverError, type DriverHealth, type InstanceStatus } from '../driver.ts'
import { addUsage, combine, worstFlows } from '../members.ts'
import { createSerial } from '../serial.ts'
import { keyOf, partsOf, slots } from '../slots.ts'
import { type LocalDriverConfig, readConfig } from './config.ts'
import { createConfinement } from './confinement/confinement.ts'
import { sendCommand } from './control/control.client.ts'
import { createContext } from './context/context.ts'
import { writeFiles } from './files/files.ts'
import { createFollowers } from './logs/followers.ts'
import { readLogsOf } from './logs/logs.merge.ts'
import { createPair } from './pair/pair.ts'
import { pathsOf } from './paths.ts'
import { createProcessPool } from './pool/pool.processes.ts'
import { removeTree } from './files/remove.ts'
import { createEndpoints } from './control/where.ts'
import { createStacks } from './stacks/stacks.ts'
import { type Machine, thisMachine } from './machine.ts'
import { livingIn } from './process/neighbours.ts'
import { createModules } from './modules/modules.ts'
import { createNpm } from './npm/npm.ts'
import { pingRegistry } from './npm/npm.ping.ts'
import { createSupervisor } from './process/supervisor.ts'
import { createMachineProcesses } from './process/processes.ts'
import { chooseProcesses } from './process/processes.chosen.ts'
import { createContainers } from './containers/containers.ts'
import { createSwarm } from './swarm/swarm.ts'
import { createKubernetes } from './kubernetes/kubernetes.ts'

/**
 * Runs each instance as a process of this machine that outlives the platform, on Linux. What it must know to find
 * them again is in `<home>/instances/<id>/record.json`.
 * @throws ZodError when the configuration is wrong.
 */
export function createLocalDriver(input: LocalDriverConfig, machine: Machine = thisMachine): Driver {
  const config = readConfig(input)
  const npm = createNpm(config.npm, { wrap: config.wrap })
  const stacks = createStacks(config, npm)
  const pool = createProcessPool(config, stacks.folder, machine)
  const confinement = createConfinement(config)
  const modules = createModules({
    folder: config.modulesDir,
    instancesDir: config.instancesDir,
    npm,
    nodeOf: stacks.nodeOf,
    ownerOf: (id) => confinement.ownerOf(paths(id)),
    lend: confinement.lend,
  })
  const onMachine = createMachineProcesses(config, pool, confinement)
  const containers = createContainers(config, { confinement, folderOf: stacks.folder, machine })
  const [usual] = config.drivers
  const swarm = createSwarm(config, confinement)
  const kubernetes = createKubernetes(config, confinement)
  const engines = [
    ...(config.drivers.includes('docker') ? [containers] : []),
    ...(config.drivers.includes('swarm') ? [swarm] : []),
    ...(config.drivers.includes('kubernetes') ? [kubernetes] : []),
  ]
  const processes = chooseProcesses(config.drivers, {
    local: onMachine,
    docker: containers.processes,
    swarm: swarm.processes,
    kubernetes: kubernetes.processes,
  })
  const context = createContext(config, processes)
  const serial = createSerial()
  const listeners = new Set<(id: string, status: InstanceStatus) => void>()
  const faultListeners = new Set<(id: string) => void>()
  const paths = (id: string) => pathsOf(config.instancesDir, id)
  const supervisor = createSupervisor({
    config,
    processes,
    onStatus(key) {
      if (!supervisor.live(key)) endpoints.release(key)
      const { id } = partsOf(key)
      // Nobody is told of what is on trial.
      if (supervisor.partOf(key) === 'candidate') return
      const status = combine(pair.known(id))
      for (const listener of listeners) listener(id, status)
    },
    onFaults(key) {
      if (supervisor.partOf(key) === 'candidate') return
      for (const listener of faultListeners) listener(partsOf(key).id)
    },
    onAnswer: (record) => followers.attach(record.id, record),
  })
  const followers = createFollowers({
    processOf: (key) => supervisor.live(key)?.record,
    logDirOf: (key) => paths(key).logDir,
  })
  const endpoints = createEndpoints()
  const pair = createPair({ config, processes, supervisor, modules, stacks, endpoints, serial })
  /** Does it run as one of the users for instances, as all do that are started now? */
  const isWalled = (pid: number | undefined) => {
    if (pid === undefined) return true
    const { uid } = statSync(`/proc/${pid}`, { throwIfNoEntry: false }) ?? {}
    return uid === undefined || (uid >= config.accounts!.first && uid <= config.accounts!.last)
  }
  const livesOf = (id: string) => slots.flatMap((slot) => supervisor.live(keyOf(id, slot)) ?? [])

  return {
    name: usual,
    offers: config.drivers,
    get capabilities() {
      return { outlivesPlatform: true, ...processes.capabilities }
    },
    hasStack: async (stack) => stacks.has(stack),
    async installStack(stack, report) {
      if (usual === 'docker') await containers.image.ensure(report)
      await stacks.install(stack, report)
    },
    prepareModules: (spec, report) => modules.prepare(spec, report),
    canKeepModules: (spec) => modules.canKeep(spec),
    installedModules: (id, names) => modules.versionsIn(id, names),
    moduleNeeds: (id, names) => modules.needsIn(id, names),
    async prepare(stack) {
      if (!stacks.has(stack) && stacks.isShipped(stack)) await stacks.install(stack, () => {})
    },
    expect(stack) {
      pool.expect(stack)
      containers.expect(stack)
    },
    pair,
    start: (spec, hold) => serial(spec.id, () => pair.startAlone(spec, hold)),
    stop: (id) => serial(id, () => pair.stopAll(id)),
    remove: (id) =>
      serial(id, async () => {
        await pair.stopAll(id)
        await removeTree(paths(id).folder)
        confinement.release()
      }),
    status: async (id) => combine(await pair.members(id)),
    async adopt() {
      await modules.collect(Date.now())
      for (const engine of engines) await engine.sweep()
      return pair.adopt()
    },

    async usage(id) {
      return addUsage(await Promise.all(livesOf(id).map(processes.usage)))
    },

    endpoint: pair.endpoint,

    logs: (id, query) =>
      readLogsOf(
        slots.map((slot) => paths(keyOf(id, slot)).logDir),
        query,
      ),
    followLogs(id, listener) {
      const stops = slots.map((slot) => followers.follow(keyOf(id, slot), listener))
      return () => stops.forEach((stop) => stop())
    },

    files: context.files,
    context: context.read,
    async flows(id) {
      const serving = pair.serving(id)
      return worstFlows(await Promise.all(serving.map(({ slot }) => pair.flows(id, slot))))
    },
    deleteContext: context.delete,
    putFiles: (id, files) =>
      serial(id, async () => {
        if (livesOf(id).length > 0) throw new DriverError('running', 'The instance runs')
        await writeFiles(paths(id), files)
      }),

    livingIn,

    async health() {
      const registry = await pingRegistry(npm, config.home)
      const unwalled = confinement.capabilities.isolatesInstances
        ? supervisor.all().filter(({ record }) => !isWalled(record.pid)).length
        : 0
      return {
        registry,
        ...(config.warmProcesses > 0 && { warm: pool.filled() }),
        ...(config.warmContainers > 0 && { warm: containers.filled() }),
        unwalled,
        ...(engines.length > 0 && { engine: await healthOf(engines) }),
      }
    },

    async revokeUserToken(id, token) {
      await Promise.all(livesOf(id).map(({ record }) => sendCommand(record, { cmd: 'logout', token })))
    },

    async protect(id) {
      // A process on trial is judged when it takes over.
      const serving = livesOf(id).filter(({ record }) => record.part !== 'candidate')
      if (serving.length === 0) throw new DriverError('not_running', 'The instance does not run')
      await Promise.all(serving.map(({ record }) => sendCommand(record, { cmd: 'protect' })))
    },

    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    watchFaults(listener) {
      faultListeners.add(listener)
      return () => faultListeners.delete(listener)
    },

    async close() {
      npm.close()
      pool.close()
      supervisor.close()
      followers.close()
      endpoints.close()
      await containers.close()
      swarm.close()
      kubernetes.close()
      listeners.clear()
      faultListeners.clear()
    },
  }
}

/** The health of several engines is that of the first that does not answer. */
async function healthOf(engines: readonly { health(): Promise<NonNullable<DriverHealth['engine']>> }[]) {
  const found = await Promise.all(engines.map((engine) => engine.health()))
  return found.find(({ reachable }) => !reachable) ?? { reachable: true }
}
