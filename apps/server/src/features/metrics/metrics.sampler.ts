import { type Driver, keyOf, partsOf, type Slot, slots, type Usage } from '@app/drivers'
import type { Logger } from 'pino'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Files } from './metrics.files.ts'
import { type Point, rings, rollUp, sampleSeconds } from './metrics.points.ts'
import { listMeantToRun } from './metrics.store.ts'

const sampleMs = sampleSeconds * 1_000
const longest = rings.at(-1)!.step
/** Ticks between two writes: a kill of the platform costs less than a minute. */
const ticksPerWrite = 4

export interface SamplerDependencies {
  database: Database
  driver: Driver
  clock: Clock
  log: Logger
  files: Files
  /** Number of requests to a process of an instance since this was asked last. */
  takeRequests(id: string, slot: Slot): number
}

interface Track {
  /** Every sample since the step before the longest began. */
  recent: Point[]
  /** Beginning of the newest sample, in seconds. */
  last: number | undefined
  /** Beginning of the first sample that is not on disk yet, in seconds. */
  unwritten: number
  cpu?: { ms: number; at: number } | undefined
}

/** The measurements of one process at a time. */
interface Measured {
  key: string
  usage: Usage | undefined
  lastStartTime: number | undefined
  /** Told once. */
  requests(): number
}

/** Measures all running instances at the end of every step, and writes what it found once a minute. */
export function createSampler({ database, driver, clock, log, files, takeRequests }: SamplerDependencies) {
  const tracks = new Map<string, Track>()
  let ticks = 0

  /** After a start of the platform a step goes on where the one before left it. */
  async function trackOf(id: string, at: number): Promise<Track> {
    const known = tracks.get(id)
    if (known) return known
    // The newest sample keeps its place until others take it, however long ago it was.
    const stored = await files.read(id, 0, 0, at)
    const track: Track = { recent: stored.filter(isRecent(at)), unwritten: at, last: stored.at(-1)?.at }
    tracks.set(id, track)
    return track
  }

  async function sample(id: string, replicas: number | null, at: number, now: number): Promise<void> {
    const { pair } = driver
    const status = await driver.status(id)
    if (replicas === null || !pair) {
      const requests = () => takeRequests(id, 0) + takeRequests(id, 1)
      const { lastStartTime } = status
      return enter({ key: id, usage: await driver.usage(id), lastStartTime, requests }, at, now)
    }
    for (const slot of slots) {
      const lastStartTime = status.members?.find((one) => one.slot === slot)?.lastStartTime
      const requests = () => takeRequests(id, slot)
      await enter({ key: keyOf(id, slot), usage: await pair.usage(id, slot), lastStartTime, requests }, at, now)
    }
  }

  async function enter({ key, usage, lastStartTime, requests: take }: Measured, at: number, now: number) {
    const track = usage && (await trackOf(key, at))
    if (track?.last !== undefined && track.last >= at) return
    const requests = take()
    if (!track) return
    const since = (track.last === undefined ? at : track.last + sampleSeconds) * 1_000
    const started = lastStartTime !== undefined && lastStartTime >= since
    track.recent = track.recent.filter(isRecent(at))
    track.recent.push({
      at,
      cpu: share(usage, track.cpu, now),
      memory: usage.memoryMb,
      delay: usage.hungSince === undefined ? usage.eventLoop?.delayMs : now - usage.hungSince,
      requests,
      starts: started ? 1 : 0,
      samples: 1,
    })
    track.cpu = { ms: usage.cpuMs, at: now }
    track.last = at
  }

  async function tick(): Promise<void> {
    const now = clock.now()
    // The step that has just ended, also when the timer was late.
    const at = (Math.round(now / sampleMs) - 1) * sampleSeconds
    const meant = await listMeantToRun(database.read)
    const ids = new Set(meant.map(({ id }) => id))
    for (const [key, track] of tracks) if (!ids.has(partsOf(key).id)) track.cpu = undefined
    const results = await Promise.allSettled(meant.map(({ id, replicas }) => sample(id, replicas, at, now)))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) log.warn({ err: failed.reason as unknown }, 'use of an instance not measured')
    ticks += 1
    if (ticks % ticksPerWrite === 0) await write()
  }

  async function write(): Promise<void> {
    for (const [id, track] of tracks) {
      const last = track.recent.at(-1)
      if (!last || last.at < track.unwritten) continue
      // A step is written again while it goes on.
      const points = rings.map(({ step }) =>
        rollUp(track.recent, step).filter((point) => point.at + step > track.unwritten),
      )
      try {
        await files.write(id, points)
        track.unwritten = last.at + sampleSeconds
      } catch (error) {
        log.warn({ err: error, instance: id }, 'measurements not written')
      }
      // Removed while it was written.
      if (!tracks.has(id)) await files.remove(id)
    }
  }

  return {
    tick,
    write,
    /** Points in a ring's steps from `from` up to `to`, in seconds, with what is not on disk yet. */
    async read(id: string, ring: number, from: number, to: number): Promise<Point[]> {
      const stored = await files.read(id, ring, from, to)
      const track = tracks.get(id)
      if (!track) return stored
      const { step } = rings[ring]!
      const fresh = rollUp(track.recent, step).filter((point) => point.at + step > track.unwritten)
      const first = fresh[0]?.at ?? Infinity
      return [...stored.filter(({ at }) => at < first), ...fresh.filter(({ at }) => at >= from && at < to)]
    },
    tracked: () => [...tracks.keys()],
    async forget(id: string): Promise<void> {
      tracks.delete(id)
      await files.remove(id)
    },
  }
}

const isRecent = (at: number) => (point: Point) => point.at >= at - (at % longest) - longest

/** Thousandths of a core since the sample before; a new process is younger than that one. */
function share({ cpuMs }: Usage, before: Track['cpu'], now: number): number | undefined {
  if (!before || now <= before.at) return undefined
  const spent = cpuMs >= before.ms ? cpuMs - before.ms : cpuMs
  return Math.round((spent / (now - before.at)) * 1_000)
}
