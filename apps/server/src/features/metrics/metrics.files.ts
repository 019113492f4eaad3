import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Point, rings } from './metrics.points.ts'

const slotBytes = 20
/** A value that was not measured. */
const none = 0xffff
const suffix = '.v1'

/** Each ring lies behind the one before; a point has its place by its time, and takes that of the one a round before. */
const starts = rings.map((_, n) => rings.slice(0, n).reduce((sum, { count }) => sum + count * slotBytes, 0))
/** The final size of an instance's file, in bytes. */
export const fileBytes = rings.reduce((sum, { count }) => sum + count * slotBytes, 0)

export type Files = ReturnType<typeof openFiles>

/**
 * Points of instances on disk, in one file of fixed size each. A slot says which step it is of, so that an old, a
 * missing or a half written one is simply no point of the time asked for.
 */
export function openFiles(folder: string) {
  const pathOf = (id: string) => join(folder, `${id}${suffix}`)
  return {
    /** Writes points of several rings, given in the order of `rings`. */
    async write(id: string, points: readonly (readonly Point[])[]): Promise<void> {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = await open(pathOf(id), 'r+').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return open(pathOf(id), 'w+', 0o600)
        throw error
      })
      try {
        for (const [n, { step, count }] of rings.entries()) {
          for (const point of points[n] ?? []) {
            await file.write(pack(point), 0, slotBytes, starts[n]! + ((point.at / step) % count) * slotBytes)
          }
        }
      } finally {
        await file.close()
      }
    },

    /** The points of one ring from `from` up to `to`, in seconds, oldest first. None for an unknown instance. */
    async read(id: string, ring: number, from: number, to: number): Promise<Point[]> {
      const { step, count } = rings[ring]!
      const bytes = Buffer.alloc(count * slotBytes)
      const file = await open(pathOf(id), 'r').catch(() => undefined)
      try {
        await file?.read(bytes, 0, bytes.length, starts[ring])
      } finally {
        await file?.close()
      }
      const points: Point[] = []
      for (let at = 0; at < bytes.length; at += slotBytes) {
        const point = unpack(bytes, at)
        if (point.samples > 0 && point.at >= from && point.at < to && point.at % step === 0) points.push(point)
      }
      return points.sort((one, other) => one.at - other.at)
    },

    remove: (id: string): Promise<void> => rm(pathOf(id), { force: true }),

    async list(): Promise<string[]> {
      const names = await readdir(folder).catch(() => [])
      return names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length))
    },
  }
}

function pack({ at, cpu = none, memory, delay = none, requests, starts: started, samples }: Point): Buffer {
  const slot = Buffer.alloc(slotBytes)
  slot.writeUInt32LE(at, 0)
  slot.writeUInt32LE(Math.min(requests, 0xffff_ffff), 4)
  slot.writeUInt32LE(Math.min(memory, 0xffff_ffff), 8)
  slot.writeUInt16LE(cpu === none ? none : Math.min(Math.round(cpu), none - 1), 12)
  slot.writeUInt16LE(delay === none ? none : Math.min(Math.round(delay), none - 1), 14)
  slot.writeUInt16LE(samples, 16)
  slot.writeUInt16LE(Math.min(started, none), 18)
  return slot
}

function unpack(bytes: Buffer, at: number): Point {
  const known = (value: number) => (value === none ? undefined : value)
  return {
    at: bytes.readUInt32LE(at),
    requests: bytes.readUInt32LE(at + 4),
    memory: bytes.readUInt32LE(at + 8),
    cpu: known(bytes.readUInt16LE(at + 12)),
    delay: known(bytes.readUInt16LE(at + 14)),
    samples: bytes.readUInt16LE(at + 16),
    starts: bytes.readUInt16LE(at + 18),
  }
}
