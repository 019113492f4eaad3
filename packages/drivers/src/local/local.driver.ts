import { rm } from 'node:fs/promises'
import { type Driver, DriverError, type InstanceSpec, type InstanceStatus } from '../driver.ts'
import { createSerial } from '../serial.ts'
import { type LocalDriverConfig, readConfig } from './config.ts'
import { createConfinement } from './confinement.ts'
import { sendCommand } from './control.client.ts'
import { readFiles, writeFiles } from './files.ts'
import { createFollowers } from './followers.ts'
import { readLogs } from './logs.reader.ts'
import { placesOf } from './places.ts'
import { createPool } from './pool.ts'
import { createPins } from './sockets.ts'
import { createStacks } from './stacks.ts'
import { type Machine, thisMachine } from './machine.ts'
import { createModules } from './modules/modules.ts'
import { createNpm } from './npm.ts'
import { pingRegistry } from './npm.ping.ts'
import { createSupervisor } from './supervisor.ts'
import { readUsage } from './usage.ts'

/**
 * Runs each instance as a process of this machine that outlives the platform, on Linux. What it must know to find
 * them again is in `<home>/instances/<id>/record.json`.
 * @throws ZodError when the configuration is wrong.
 */
export function createLocalDriver(input: LocalDriverConfig, machine: Machine = thisMachine): Driver {
  const config = readConfig(input)
  const npm = createNpm(config.npm)
  const stacks = createStacks(config, npm)
  const pool = createPool(config, stacks.folder, machine)
  const confinement = createConfinement(config)
  const modules = createModules({
    folder: config.modulesDir,
    instancesDir: config.instancesDir,
    npm,
    nodeOf: stacks.nodeOf,
    ownerOf: (id) => confinement.ownerOf(places(id)),
  })
  const serial = createSerial()
  const listeners = new Set<(id: string, status: InstanceStatus) => void>()
  const places = (id: string) => placesOf(config.instancesDir, id)
  const supervisor = createSupervisor({
    config,
    pool,
    confinement,
    onStatus(id, status) {
      if (!supervisor.live(id)) pins.release(id)
      for (const listener of listeners) listener(id, status)
    },
    onAnswer: (record) => followers.attach(record.id, record),
  })
  const followers = createFollowers({
    processOf: (id) => supervisor.live(id)?.record,
    logDirOf: (id) => places(id).logDir,
  })

  const pins = createPins()

  async function start(spec: InstanceSpec): Promise<void> {
    if (!stacks.has(spec.stack))
      throw new DriverError('stack_missing', `Node-RED ${spec.stack.nodered} is not installed`)
    await supervisor.start(spec, {
      nodeRedPath: stacks.folder(spec.stack),
      beforeLaunch: () => modules.apply(spec),
    })
  }

  return {
    name: 'local',
    capabilities: { outlivesPlatform: true, ...confinement.capabilities },
    hasStack: async (stack) => stacks.has(stack),
    installStack: (stack, report) => stacks.install(stack, report),
    prepareModules: (spec, report) => modules.prepare(spec, report),
    expect: pool.expect,
    start: (spec) => serial(spec.id, () => start(spec)),
    stop: (id) => serial(id, () => supervisor.stop(id)),
    remove: (id) =>
      serial(id, async () => {
        await supervisor.stop(id)
        await rm(places(id).folder, { recursive: true, force: true })
        confinement.release()
      }),
    status: (id) => supervisor.status(id),
    async adopt() {
      await modules.collect(Date.now())
      return supervisor.adopt()
    },

    async usage(id) {
      const live = supervisor.live(id)
      return live && readUsage(live)
    },

    endpoint(id) {
      const live = supervisor.live(id)
      const socketPath = live && pins.of(live.record)
      return socketPath === undefined ? undefined : { socketPath }
    },

    logs: (id, query) => readLogs(places(id).logDir, query),
    followLogs: (id, listener) => followers.follow(id, listener),

    files: (id) => readFiles(places(id).userDir),
    putFiles: (id, files) =>
      serial(id, async () => {
        if (supervisor.live(id)) throw new DriverError('running', 'The instance runs')
        await writeFiles(places(id), files)
      }),

    async health() {
      const registry = await pingRegistry(npm, config.home)
      return { registry, ...(config.warmProcesses > 0 && { warm: pool.filled() }) }
    },

    async revokeUserToken(id, token) {
      const live = supervisor.live(id)
      if (live) await sendCommand(live.record, { cmd: 'logout', token })
    },

    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    async close() {
      npm.close()
      pool.close()
      supervisor.close()
      followers.close()
      pins.close()
      listeners.clear()
    },
  }
}
