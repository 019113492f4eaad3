import { DriverError, type InstanceSpec, type InstanceStatus } from '../../driver.ts'
import { restartAfter } from '../../restarts.ts'
import { keyOf, otherOf, partsOf } from '../../slots.ts'
import type { Config } from '../config.ts'
import { sendCommand } from '../control/control.client.ts'
import { crashReason, hasSaidWhy, memoryReason } from '../crash/crash.ts'
import { type CrashNote, crashStatus, dropCrash, readCrash, writeCrash } from '../crash/crash.store.ts'
import { forget, type LaunchOptions } from './launch.ts'
import { type Live, watchProcess } from './live.ts'
import { pathsOf } from '../paths.ts'
import { trimOutput } from './output.ts'
import type { Processes } from './processes.ts'
import { type InstanceRecord, readRecord, writeRecord } from '../record.store.ts'
import { recordsIn } from '../records.ts'

const answerMs = 20_000
/** Time for an answer of a process that waited with everything loaded. */
const waitedAnswerMs = 10_000
const adoptMs = 2_000
const graceMs = 10_000
/** An engine of containers asks once more before it kills, and a swarm takes 2 s before that. */
const killMs = 15_000
const trimMs = 1_000

export interface SupervisorOptions {
  config: Config
  processes: Processes
  onStatus(key: string, status: InstanceStatus): void
  /** The errors of its flows have changed. */
  onFaults(key: string): void
  /** A process of this instance answers on its control socket. */
  onAnswer(record: InstanceRecord): void
}

/** The notes about a process while it runs. */
export type RecordChange = { [Name in 'part' | 'held' | 'paused']?: InstanceRecord[Name] | undefined }

export interface StartOptions extends Omit<LaunchOptions, 'isFresh'> {
  /** Work to be done while the instance surely does not run. */
  beforeLaunch(): Promise<void>
}

/**
 * The processes of instances, from their start to their end: what became of them, and what follows on a crash. Each
 * is known by its key (`keyOf`). It keeps no order between calls for one instance; whoever calls does.
 */
export function createSupervisor({ config, processes, onStatus, onFaults, onAnswer }: SupervisorOptions) {
  const lives = new Map<string, Live>()
  const statuses = new Map<string, InstanceStatus>()
  /** Pending crash investigations; a new process must not start during one. */
  const crashChecks = new Map<string, Promise<InstanceStatus>>()
  const starting = new Set<string>()
  const trims = setInterval(() => {
    for (const id of lives.keys()) void trimOutput(pathsFor(id).output)
  }, trimMs).unref()
  const pathsFor = (key: string) => pathsOf(config.instancesDir, key)
  /** Is there another process of the same instance? */
  const isShared = (key: string) => () => {
    const { id, slot } = partsOf(key)
    const other = keyOf(id, otherOf(slot))
    const record = readRecord(pathsFor(other), other)
    return record !== undefined && processes.isAlive(record)
  }

  /** Where nobody can tell, what was last known counts. */
  const isThere = (record: InstanceRecord) =>
    processes.findOwn(record).then(
      (own) => own !== undefined,
      () => processes.isAlive(record),
    )

  function tell(id: string, status: InstanceStatus): void {
    statuses.set(id, status)
    onStatus(id, status)
  }

  function attach(record: InstanceRecord): Live {
    const { id } = record
    const note = record.safe ? readCrash(pathsFor(id)) : undefined
    let told: InstanceStatus = { state: 'unknown' }
    const live = watchProcess(record, {
      processes,
      onAnswer: () => onAnswer(record),
      onStatus(status) {
        told = { ...status, memory: record.memory }
        if (note && status.state === 'safe') told.reason = safeReason(note)
        if (record.safe && status.state === 'running') leaveSafeMode(record)
        tell(id, told)
      },
      onHung(since) {
        tell(id, since === undefined ? told : { ...told, state: 'unknown', reason: processes.hungReason(record) })
      },
      onFaults: () => onFaults(id),
      onGone() {
        lives.delete(id)
        void crashed(record, true).then((status) => {
          // It may have been started again while its last words were read.
          if (!lives.has(id) && readRecord(pathsFor(id), id)?.identity === record.identity) tell(id, status)
        })
      },
    })
    lives.get(id)?.close()
    lives.set(id, live)
    return live
  }

  /** A person has deployed: the flows run again, and so they shall after a crash. */
  function leaveSafeMode(record: InstanceRecord): void {
    const paths = pathsFor(record.id)
    delete record.safe
    if (readRecord(paths, record.id)?.identity === record.identity) attempt(() => writeRecord(paths, record))
  }

  /** Notes a crash with what follows, once, and ends what the process has left. */
  function crashed(record: InstanceRecord, wasSeen: boolean): Promise<InstanceStatus> {
    const { id } = record
    const crashCheck = crashChecks.get(id) ?? checkCrash(record, wasSeen).finally(() => crashChecks.delete(id))
    crashChecks.set(id, crashCheck)
    return crashCheck
  }

  async function checkCrash(record: InstanceRecord, wasSeen: boolean): Promise<InstanceStatus> {
    const paths = pathsFor(record.id)
    const noted = readCrash(paths)
    if (noted?.identity === record.identity) return crashStatus(noted)
    const isOutOfMemory = await processes.ranOutOfMemory(record)
    await processes.keepOutput(record, paths)
    const known = isOutOfMemory ? memoryReason(record) : await processes.endReason(record)
    const reason = known ?? (await crashReason(paths, record))
    await processes.endLeftovers(record, paths, { wasSeen, isShared: isShared(record.id) })
    const crash = { startedAt: record.startedAt, endedAt: Date.now(), safe: record.safe === true }
    const note = { identity: record.identity, reason, restart: restartAfter(noted?.restart, crash, Math.random()) }
    // A deliberate end removes the record first.
    if (readRecord(paths, record.id)?.identity === record.identity) attempt(() => writeCrash(paths, note))
    return crashStatus(note)
  }

  /** Finds out why the process of an instance has ended without anybody having asked. */
  async function afterDeath(record: InstanceRecord): Promise<InstanceStatus> {
    const { id } = record
    const paths = pathsFor(id)
    const isThisBoot = processes.isOfThisBoot(record)
    const isNoted = readCrash(paths)?.identity === record.identity
    const isFault = async () =>
      (await processes.ranOutOfMemory(record)) ||
      (await processes.endReason(record)) !== undefined ||
      hasSaidWhy(paths, record)
    await processes.keepOutput(record, paths)
    // Where another process of the instance goes on, this one ended alone.
    if (isThisBoot && (isNoted || isShared(id)() || (await isFault()))) return crashed(record, false)
    // It ended with the machine or with the platform, which is no fault of its own.
    if (isThisBoot) await processes.endLeftovers(record, paths, { wasSeen: false, isShared: isShared(id) })
    forget(paths, record)
    return { state: 'stopped' }
  }

  async function begin(
    spec: InstanceSpec,
    { slot, part, hold, nodeRedPath, beforeLaunch }: StartOptions,
  ): Promise<void> {
    const key = keyOf(spec.id, slot)
    const paths = pathsFor(key)
    const old = readRecord(paths, key)
    if (old && (await processes.findOwn(old))) {
      if (!lives.has(key)) attach(old)
      return
    }
    await crashChecks.get(key)
    if (old) {
      forget(paths, old)
      await processes.endLeftovers(old, paths, { wasSeen: false, isShared: isShared(key) })
    }
    if (!spec.again) dropCrash(paths)
    statuses.delete(key)
    await beforeLaunch()
    const options = { nodeRedPath, slot, ...(part ? { part } : {}), ...(hold ? { hold } : {}) }
    const { record: first, waited } = await processes.start(paths, spec, options)
    let record = first
    if (await attach(record).heard(waited ? waitedAnswerMs : answerMs)) return
    if (waited && processes.isAlive(record)) {
      // One that has waited long may have been frozen meanwhile. A fresh process is what it would have been without.
      await end(record)
      ;({ record } = await processes.start(paths, spec, { ...options, isFresh: true }))
      if (await attach(record).heard(answerMs)) return
    }
    if (processes.isAlive(record)) {
      await end(record)
      throw new DriverError('start_failed', 'The instance did not start: its process does not answer')
    }
    const status = await crashed(record, true)
    tell(key, status)
    throw new DriverError('start_failed', `The instance did not start: ${status.reason}`)
  }

  /** Ends a process for good, by asking, then by signals. The note stays when it cannot be ended. */
  async function end(record: InstanceRecord): Promise<void> {
    const { id } = record
    lives.get(id)?.close()
    lives.delete(id)
    const own = await processes.findOwn(record).catch((error: unknown) => {
      // It may go on, so it is watched on.
      attach(record)
      throw error
    })
    if (own) {
      tell(id, { ...statuses.get(id), state: 'stopping' })
      if (!own.answers || !(await isAsked(record))) await own.signal('SIGTERM')
      if (!(await processes.isGoneWithin(record, own.answers ? graceMs : hungGraceMs))) {
        await own.signal('SIGKILL')
        if (!(await processes.isGoneWithin(record, killMs))) {
          attach(record)
          const reason = processes.stuckReason?.(record) ?? 'The process of the instance cannot be ended'
          throw new DriverError('stop_failed', reason)
        }
      }
    }
    forget(pathsFor(id), record)
    await processes.endLeftovers(record, pathsFor(id), { wasSeen: own !== undefined, isShared: isShared(id) })
  }

  return {
    /** The last known status of a process; undefined for one that was stopped, or not looked at yet. */
    known: (key: string): InstanceStatus | undefined => statuses.get(key),

    /** Notes what part a process takes in its instance from now on, and what its flows do. What is undefined is removed. */
    update(key: string, changes: RecordChange): void {
      const record = lives.get(key)?.record ?? readRecord(pathsFor(key), key)
      if (!record) return
      for (const [name, value] of Object.entries(changes))
        if (value === undefined) Reflect.deleteProperty(record, name)
        else Reflect.set(record, name, value)
      writeRecord(pathsFor(key), record)
    },
    /** The part a process takes, running or crashed. */
    partOf: (key: string): InstanceRecord['part'] => (lives.get(key)?.record ?? readRecord(pathsFor(key), key))?.part,

    /** The process that is watched now. */
    live: (id: string): Live | undefined => lives.get(id),
    all: (): Live[] => [...lives.values()],

    /** @throws DriverError with a sentence when it does not come up. */
    async start(spec: InstanceSpec, options: StartOptions): Promise<void> {
      const key = keyOf(spec.id, options.slot)
      starting.add(key)
      await begin(spec, options).finally(() => starting.delete(key))
    },

    async stop(id: string): Promise<void> {
      await crashChecks.get(id)
      const record = readRecord(pathsFor(id), id)
      if (record) await end(record)
      if (record || statuses.has(id)) tell(id, { state: 'stopped' })
      statuses.delete(id)
    },

    async status(id: string): Promise<InstanceStatus> {
      const known = statuses.get(id)
      if (known) return known
      const record = readRecord(pathsFor(id), id)
      if (!record) return { state: 'stopped' }
      if ((await isThere(record)) || starting.has(id)) return { state: 'unknown' }
      const status = await afterDeath(record)
      if (!lives.has(id)) statuses.set(id, status)
      return status
    },

    /** Finds the processes of an earlier platform again, and returns their keys. Records that fit no process of ours are left alone. */
    async adopt(): Promise<string[]> {
      await Promise.all(
        recordsIn(config.instancesDir).map(async (record) => {
          if (await isThere(record)) await (lives.get(record.id) ?? attach(record)).heard(adoptMs)
        }),
      )
      return [...lives.keys()]
    },

    close(): void {
      clearInterval(trims)
      for (const live of lives.values()) live.close()
      lives.clear()
    },
  }
}

/** Why it runs without its flows, for people. */
const safeReason = ({ reason, restart: { crashes } }: CrashNote) =>
  `It crashed ${crashes} times in a row (${reason}). Its flows stand still until somebody deploys or restarts them.`

/** A hung process will not end on request; the signal is a formality. */
const hungGraceMs = 3_000

/** Asks the process to end itself; false when it does not answer. */
async function isAsked(record: InstanceRecord): Promise<boolean> {
  return sendCommand(record, { cmd: 'shutdown' }).then(
    () => true,
    () => false,
  )
}

/** A note that cannot be written, as on a full disk, is lost; the instance and the platform go on. */
function attempt(write: () => void): void {
  try {
    write()
  } catch {
    // Its last status is known until the platform ends.
  }
}
