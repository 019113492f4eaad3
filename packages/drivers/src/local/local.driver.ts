import type { RuntimeStatus } from '@app/contract/instance-link'
import { readdir, rm } from 'node:fs/promises'
import { type Driver, DriverError, type InstanceSpec, type InstanceStatus } from '../driver.ts'
import { type LocalDriverConfig, readConfig } from './config.ts'
import { sendCommand } from './control.client.ts'
import { crashReason } from './crash.ts'
import { createFollowers } from './followers.ts'
import { forget, launch } from './launch.ts'
import { type Live, watchProcess } from './live.ts'
import { readLogs } from './logs.reader.ts'
import { httpSocketOf, isInstanceId, placesOf } from './places.ts'
import { endOrphans, findOwn, isAlive, isGoneWithin } from './process.ts'
import { type InstanceRecord, readRecord } from './record.store.ts'
import { createSerial } from '../serial.ts'
import { createStacks } from './stacks.ts'

const answerMs = 20_000
const adoptMs = 2_000
const graceMs = 10_000
const killMs = 5_000

/**
 * Runs each instance as a process of this machine that outlives the platform, on Linux. What it must know to find
 * them again is in `<home>/instances/<id>/record.json`.
 * @throws ZodError when the configuration is wrong.
 */
export function createLocalDriver(input: LocalDriverConfig): Driver {
  const config = readConfig(input)
  const stacks = createStacks(config)
  const serial = createSerial()
  const lives = new Map<string, Live>()
  const statuses = new Map<string, InstanceStatus>()
  const listeners = new Set<(id: string, status: InstanceStatus) => void>()
  const followers = createFollowers((id) => lives.get(id)?.record)
  const places = (id: string) => placesOf(config.instancesDir, id)

  function tell(id: string, status: InstanceStatus): void {
    statuses.set(id, status)
    for (const listener of listeners) listener(id, status)
  }

  function attach(record: InstanceRecord): Live {
    const { id } = record
    const live = watchProcess(record, {
      onAnswer: () => followers.attach(id, record),
      onStatus: (status: RuntimeStatus) => tell(id, status),
      onGone: () => {
        lives.delete(id)
        endOrphans(record)
        void crashReason(places(id), record).then((reason) => {
          // It may have been started again while its last words were read.
          if (!lives.has(id) && readRecord(places(id), id)?.identity === record.identity)
            tell(id, { state: 'crashed', reason })
        })
      },
    })
    lives.get(id)?.close()
    lives.set(id, live)
    return live
  }

  async function start(spec: InstanceSpec): Promise<void> {
    if (!stacks.has(spec.stack))
      throw new DriverError('stack_missing', `Node-RED ${spec.stack.nodered} is not installed`)
    const at = places(spec.id)
    const old = readRecord(at, spec.id)
    if (old && (await findOwn(config, old))) {
      if (!lives.has(spec.id)) attach(old)
      return
    }
    if (old) forget(at, old)
    statuses.delete(spec.id)
    const record = await launch(config, at, spec, stacks.folder(spec.stack))
    const live = attach(record)
    if (await live.heard(answerMs)) return
    const reason = isAlive(record) ? 'its process does not answer' : await crashReason(at, record)
    await end(record)
    throw new DriverError('start_failed', `The instance did not start: ${reason}`)
  }

  /** Ends a process for good, by asking, then by signals. The note stays when it cannot be ended. */
  async function end(record: InstanceRecord): Promise<void> {
    const { id } = record
    lives.get(id)?.close()
    lives.delete(id)
    const own = await findOwn(config, record)
    if (own) {
      tell(id, { ...statuses.get(id), state: 'stopping' })
      if (!own.answers || !(await isAsked(record))) own.signal('SIGTERM')
      if (!(await isGoneWithin(record, graceMs))) {
        own.signal('SIGKILL')
        if (!(await isGoneWithin(record, killMs))) {
          attach(record)
          throw new DriverError('stop_failed', 'The process of the instance cannot be ended')
        }
      }
    }
    forget(places(id), record)
  }

  async function stop(id: string): Promise<void> {
    const record = readRecord(places(id), id)
    if (record) await end(record)
    if (record || statuses.has(id)) tell(id, { state: 'stopped' })
    statuses.delete(id)
  }

  return {
    name: 'local',
    capabilities: { outlivesPlatform: true, enforcesMemory: false, isolatesInstances: false },
    hasStack: async (stack) => stacks.has(stack),
    installStack: (stack, report) => stacks.install(stack, report),
    start: (spec) => serial(spec.id, () => start(spec)),
    stop: (id) => serial(id, () => stop(id)),
    remove: (id) =>
      serial(id, async () => {
        await stop(id)
        await rm(places(id).folder, { recursive: true, force: true })
      }),

    async status(id) {
      const known = statuses.get(id)
      if (known) return known
      const record = readRecord(places(id), id)
      if (!record) return { state: 'stopped' }
      if (await findOwn(config, record)) return { state: 'unknown' }
      const status: InstanceStatus = { state: 'crashed', reason: await crashReason(places(id), record) }
      statuses.set(id, status)
      return status
    },

    async adopt() {
      const ids = (await readdir(config.instancesDir).catch(() => [])).filter(isInstanceId)
      const records = ids.flatMap((id) => readRecord(places(id), id) ?? [])
      await Promise.all(
        records.map(async (record) => {
          if (await findOwn(config, record)) await (lives.get(record.id) ?? attach(record)).heard(adoptMs)
        }),
      )
      return [...lives.keys()]
    },

    endpoint(id) {
      const live = lives.get(id)
      return live && { socketPath: httpSocketOf(live.record.socketDir) }
    },

    logs: (id, query) => readLogs(places(id).logDir, query),
    followLogs: (id, listener) => followers.follow(id, listener),

    async revokeUserToken(id, token) {
      const live = lives.get(id)
      if (live) await sendCommand(live.record, { cmd: 'logout', token })
    },

    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    async close() {
      for (const live of lives.values()) live.close()
      lives.clear()
      followers.close()
      listeners.clear()
    },
  }
}

/** Asks the process to end itself; false when it does not answer. */
async function isAsked(record: InstanceRecord): Promise<boolean> {
  return sendCommand(record, { cmd: 'shutdown' }).then(
    () => true,
    () => false,
  )
}
