import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import * as z from 'zod/mini'
import { type Paths, shortFolders } from './paths.ts'

/** A user and a group of the operating system, by number. */
export const Account = z.object({ uid: z.int().check(z.minimum(1)), gid: z.int().check(z.minimum(1)) })
export type Account = z.infer<typeof Account>

const Schema = z.object({
  version: z.literal(1),
  /** Names the process: the id of its instance, with `~1` for one in the second place. */
  id: z.string(),
  /** Absent for one in a container. */
  pid: z.optional(z.int().check(z.minimum(2))),
  /** Tells this process from a later one with the same pid; the id of its container. */
  identity: z.string(),
  /** The argument, or label of its container, by which its process is told apart from others; absent: the id. */
  label: z.optional(z.string()),
  /** The engine's id of the container that it is in; absent: it is a process of this machine. */
  container: z.optional(z.string()),
  /** The TCP port on which it answers, perhaps on another machine; absent: on sockets in `socketDir`. */
  address: z.optional(z.object({ host: z.string(), port: z.int() })),
  /** The name of the Swarm service whose task it is. */
  service: z.optional(z.string()),
  /** The name of the Kubernetes pod that it is in. */
  pod: z.optional(z.string()),
  startedAt: z.number(),
  memory: z.number(),
  controlToken: z.string(),
  socketDir: z.string(),
  /** Tells the folder of the instance (inode) from a copy of it, whose record is that of the original's process. */
  folder: z.optional(z.number()),
  /** Its flows were left out. */
  safe: z.optional(z.boolean()),
  /**
   * `candidate`: on trial, it serves nobody. `replacing`: it serves in the place of the other, which is to end. Earlier
   * versions wrote `beside` for a candidate.
   */
  part: z.optional(
    z.pipe(
      z.enum(['candidate', 'replacing', 'beside']),
      z.transform((part) => (part === 'beside' ? 'candidate' : part)),
    ),
  ),
  /** Its flows do not act before they are released. */
  held: z.optional(z.boolean()),
  /** Its flows were stopped, for another to take over. */
  paused: z.optional(z.boolean()),
})

/**
 * The facts needed to find the process of an instance again. The record exists from the start of a process until it
 * is ended on purpose.
 */
export type InstanceRecord = z.infer<typeof Schema>

/** Whole or not at all, and on disk when it returns. It holds the control token, so only this user may read it. */
export const writeRecord = (paths: Paths, record: InstanceRecord) =>
  writeWhole(paths.record, JSON.stringify({ ...record, folder: statSync(paths.folder).ino }))

/** Writes a file that only this user may read, in one piece that is on disk when it returns. */
export function writeWhole(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  const file = openSync(temporary, 'w', 0o600)
  try {
    // A single write may take only a part of it where the disk is nearly full.
    writeFileSync(file, text)
    fsyncSync(file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
}

/**
 * Undefined when there is none, or none that belongs to this process. In a copy of a home a process of this machine is
 * that of the original, which may live: the copy has none, as after a start of the machine.
 */
export function readRecord(paths: Paths, key: string): InstanceRecord | undefined {
  try {
    const parsed = Schema.safeParse(JSON.parse(readFileSync(paths.record, 'utf8')))
    if (!parsed.success || parsed.data.id !== key) return undefined
    const { pid, folder } = parsed.data
    const isCopy = pid !== undefined && folder !== undefined && folder !== statSync(paths.folder).ino
    return isCopy ? { ...parsed.data, identity: '', socketDir: paths.socketDir } : parsed.data
  } catch {
    return undefined
  }
}

/** Forgets the process of an instance, with the sockets it may have left. */
export function dropRecord(paths: Paths, sockets: string[], socketDir: string | undefined): void {
  // Flows may have put a folder in the place of one; the next process of the instance removes that itself.
  for (const path of sockets) quietly(() => rmSync(path, { force: true }))
  // A short folder made elsewhere. Anything but an empty folder stays, since the record may be wrong.
  if (socketDir && socketDir !== paths.socketDir)
    for (const path of shortFolders(socketDir)) quietly(() => rmdirSync(path))
  rmSync(paths.record, { force: true })
}

function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // Not empty, no file, or gone.
  }
}
