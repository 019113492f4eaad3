import type { Beat, RuntimeUsage } from '@app/contract/instance-link'
import type { InstanceStatus } from '../../driver.ts'
import { readInfo, watchRuntime } from '../control/control.client.ts'
import { spaced } from '../control/pace.ts'
import type { InstanceRecord } from '../record.store.ts'
import type { Processes } from './processes.ts'

/** Between two tries to connect, spent on watching for the end of the process. */
const shortestPauseMs = 10
const longestPauseMs = 500
/** Maximum time that a process may be silent before its state counts as unknown. */
const silentMs = 2_000
/** Changes of its state that count at once, and then in a second: a start has three. Each is written to the database. */
const changes = { atOnce: 20, perSecond: 2 }
/** Changes of its errors that count at once, and then in a second: each is told to every open console of the team. */
const faultChanges = { atOnce: 1, perSecond: 0.5 }
/** Three beats. What flows do in one go may take seconds, and so may a start on a machine with much to do. */
const hungMs = 15_000

export interface LiveOptions {
  /** The control socket answers for the first time. */
  onAnswer(): void
  onStatus(status: InstanceStatus): void
  /** Its flows have not yielded for 15 s, since then (milliseconds since the epoch); undefined: they do again. */
  onHung?(since: number | undefined): void
  /** The errors of its flows have changed. */
  onFaults?(): void
  /** The process is gone. Not called after `close`. */
  onGone(): void
  /** Tells of the end of the process. */
  processes: Pick<Processes, 'isGoneWithin' | 'look'>
}

/** A process that exists: its status as it changes, and its end. */
export interface Live {
  readonly record: InstanceRecord
  /** The last sign of life of its event loop. */
  readonly beat: Beat | undefined
  /** Its own last word on what it uses; a process of this machine gives none. */
  readonly usage: RuntimeUsage | undefined
  readonly hungSince: number | undefined
  /** Resolves when it has told its status for the first time, or after `ms`. */
  heard(ms: number): Promise<boolean>
  close(): void
}

const answers = (record: InstanceRecord): Promise<boolean> =>
  readInfo(record).then(
    () => true,
    () => false,
  )

/**
 * Watches the process of a record over its control socket, for as long as it lives. Flows share the loop that answers
 * there, so that its silence on a connection that stands is theirs.
 */
export function watchProcess(
  record: InstanceRecord,
  { onAnswer, onStatus, onHung, onFaults, onGone, processes }: LiveOptions,
): Live {
  const first = Promise.withResolvers<boolean>()
  let closed = false
  let lastHeard = Infinity
  let pauseMs = shortestPauseMs
  let disconnect = () => {}
  let beat: Beat | undefined
  let usage: RuntimeUsage | undefined
  let hungSince: number | undefined
  let lastSign = Date.now()
  let silence: NodeJS.Timeout | undefined
  const tell = spaced(changes, onStatus)
  const tellFaults = spaced(faultChanges, () => onFaults?.())

  function sign(): void {
    lastSign = Date.now()
    silence?.refresh()
    if (hungSince === undefined) return
    hungSince = undefined
    onHung?.(undefined)
  }

  function connect(): void {
    lastSign = Date.now()
    silence = setTimeout(() => void silent(), hungMs).unref()
    disconnect = watchRuntime(
      record,
      undefined,
      (line) => {
        sign()
        if ('beat' in line) beat = line.beat
        if ('usage' in line) usage = line.usage
        if ('faults' in line) tellFaults.put(undefined)
        if (!('status' in line)) return
        if (lastHeard === Infinity) onAnswer()
        lastHeard = Date.now()
        pauseMs = shortestPauseMs
        tell.put(line.status)
        first.resolve(true)
      },
      () => void lost(),
    )
  }

  async function silent(): Promise<void> {
    const [before, timer] = [lastSign, silence]
    // Processes of the first version have no beat, so they are asked.
    if (beat === undefined && (await answers(record))) {
      if (timer === silence && !closed) sign()
      return
    }
    // No connection ends with a machine that is lost.
    const isThere = await processes.look(record).catch(() => true)
    if (closed || timer !== silence || lastSign !== before) return
    if (!isThere) return gone()
    silence?.refresh()
    if (hungSince !== undefined) return
    hungSince = lastSign
    onHung?.(hungSince)
  }

  async function lost(): Promise<void> {
    clearTimeout(silence)
    silence = undefined
    if (closed) return
    // A closed connection comes a little before the end of the process that closed it.
    if (await processes.isGoneWithin(record, pauseMs)) return gone()
    pauseMs = Math.min(pauseMs * 1.2, longestPauseMs)
    if (closed) return
    if (Date.now() - lastHeard > silentMs) tell.put({ state: 'unknown' })
    connect()
  }

  function gone(): void {
    if (closed) return
    closed = true
    clearTimeout(silence)
    disconnect()
    tell.close()
    tellFaults.close()
    first.resolve(false)
    onGone()
  }

  connect()
  return {
    record,
    get beat() {
      return beat
    },
    get usage() {
      return usage
    },
    get hungSince() {
      return hungSince
    },
    heard: (ms) => {
      const limit = setTimeout(() => first.resolve(false), ms)
      return first.promise.finally(() => clearTimeout(limit))
    },
    close() {
      closed = true
      clearTimeout(silence)
      first.resolve(false)
      disconnect()
    },
  }
}
