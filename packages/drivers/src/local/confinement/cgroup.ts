import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Controller, findHierarchies, type Hierarchy } from './cgroup.mounts.ts'

/** Limits of a group: memory in MiB, processes with their threads, processors where they are limited. */
export interface Limits {
  memory: number
  processes: number
  cpus?: number | undefined
}

/** Creation and removal of groups. The kernel fills each with its files, and takes them along. */
export interface Folders {
  make(path: string): void
  remove(path: string): void
}

/** Period after which the kernel counts anew what a group has used of the processors. */
const periodMicroseconds = 100_000
const killRounds = 100
const roundMs = 10
const removeRounds = 10

/**
 * Control groups of the kernel, one for each instance of a home: what an instance and everything it starts may use
 * together, and a way to end all of it. Every part works where the machine offers it; `can` tells which do.
 */
export function openGroups(
  home: string,
  hierarchies: readonly Hierarchy[] = findHierarchies(),
  folders: Folders = ofKernel,
) {
  const family = `flowforge-${createHash('sha256').update(home).digest('hex').slice(0, 12)}`
  // Limits may be refused where ending a group would work.
  const usable = hierarchies.flatMap((one) => {
    // Processors may be refused alone, as while processes with real-time scheduling run.
    const others = one.controllers.filter((name) => name !== 'cpu')
    const choices = [one, { ...one, controllers: others }, { ...one, controllers: ['kill' as const] }]
    return choices.find((some) => isUsable(some, family, folders)) ?? []
  })
  // Groups of instances that were removed while nobody could remove these. What is in use stays.
  for (const { parent } of usable)
    for (const name of namesIn(join(parent, family))) folders.remove(join(parent, family, name))
  const has = (controller: Controller) => usable.some(({ controllers }) => controllers.includes(controller))

  /** Folders of the group of an instance that exist. */
  function groupsOf(id: string): { path: string; hierarchy: Hierarchy }[] {
    return usable
      .map((hierarchy) => ({ path: join(hierarchy.parent, family, id), hierarchy }))
      .filter(({ path }) => existsSync(path))
  }

  function members(id: string): number[] {
    return [...new Set(groupsOf(id).flatMap(({ path }) => numbers(readOr(join(path, 'cgroup.procs'), ''))))]
  }

  return {
    can: { memory: has('memory'), processes: has('pids'), cpus: has('cpu'), kill: usable.length > 0 },

    /** Puts a process, and all that it will start, into the group of an instance. @throws Error when the kernel refuses. */
    async enter(id: string, pid: number, limits: Limits): Promise<void> {
      const entered = usable.map(async (hierarchy) => {
        const group = join(makeFamily(hierarchy, family, folders), id)
        folders.make(group)
        limit(group, hierarchy, limits)
        // The kernel takes its time, some ten milliseconds.
        await writeFile(join(group, 'cgroup.procs'), String(pid))
      })
      await Promise.all(entered)
    },

    /** Number of times the kernel ended something of this instance because its memory was used up. */
    outOfMemory(id: string): number {
      const counts = groupsOf(id).map(({ path, hierarchy: { version } }) =>
        readOr(join(path, version === 2 ? 'memory.events' : 'memory.oom_control'), ''),
      )
      return Math.max(0, ...counts.map((text) => Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0)))
    },

    /** Ends everything in the group of an instance, waits until it is gone, and removes the group. */
    async end(id: string): Promise<void> {
      for (const { path } of groupsOf(id)) writeQuietly(join(path, 'cgroup.kill'), '1')
      // The first version has no such file: what is started between two rounds falls in the next.
      for (let round = 0; round < killRounds && members(id).length > 0; round += 1) {
        for (const pid of members(id)) kill(pid)
        await delay(roundMs)
      }
      // A process that has just ended keeps its group for another moment.
      for (let round = 0; round < removeRounds && groupsOf(id).length > 0; round += 1) {
        for (const { path } of groupsOf(id)) folders.remove(path)
        if (groupsOf(id).length > 0) await delay(roundMs)
      }
      for (const { parent } of usable) folders.remove(join(parent, family))
    },
  }
}

const ofKernel: Folders = { make: makeGroup, remove: rmdirQuietly }

export type Groups = ReturnType<typeof openGroups>

/** May this process make a group there, with the limits it is meant for? */
function isUsable(hierarchy: Hierarchy, family: string, folders: Folders): boolean {
  const probe = join(hierarchy.parent, family, `probe-${process.pid}`)
  try {
    makeFamily(hierarchy, family, folders)
    folders.make(probe)
    const files = hierarchy.controllers.map((controller) => join(probe, fileOf(controller, hierarchy.version)))
    return files.length > 0 && files.every((file) => existsSync(file))
  } catch {
    return false
  } finally {
    folders.remove(probe)
    folders.remove(join(hierarchy.parent, family))
  }
}

function fileOf(controller: Controller, version: 1 | 2): string {
  if (controller === 'pids') return 'pids.max'
  if (controller === 'cpu') return version === 2 ? 'cpu.max' : 'cpu.cfs_quota_us'
  if (controller === 'kill') return 'cgroup.procs'
  return version === 2 ? 'memory.max' : 'memory.limit_in_bytes'
}

/** The group that holds those of a home. In version 2 controllers are handed down from level to level. */
function makeFamily({ version, parent, controllers }: Hierarchy, family: string, folders: Folders): string {
  const path = join(parent, family)
  folders.make(path)
  const handed = controllers.filter((name) => name !== 'kill').map((name) => `+${name}`)
  if (version === 2 && handed.length > 0)
    for (const level of [parent, path]) writeFileSync(join(level, 'cgroup.subtree_control'), handed.join(' '))
  return path
}

/** Not with what is above it: where the kernel lets nobody make anything, Node.js would try that for ever. */
function makeGroup(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function limit(group: string, { version, controllers }: Hierarchy, { memory, processes, cpus }: Limits): void {
  if (controllers.includes('pids')) writeFileSync(join(group, 'pids.max'), String(processes))
  if (controllers.includes('cpu') && cpus !== undefined) limitProcessors(group, version, cpus)
  if (!controllers.includes('memory')) return
  const bytes = String(memory * 1024 * 1024)
  if (version === 2) {
    writeFileSync(join(group, 'memory.max'), bytes)
    writeQuietly(join(group, 'memory.swap.max'), '0')
  } else {
    writeFileSync(join(group, 'memory.limit_in_bytes'), bytes)
    writeQuietly(join(group, 'memory.memsw.limit_in_bytes'), bytes)
  }
}

function limitProcessors(group: string, version: 1 | 2, cpus: number): void {
  const quota = Math.round(cpus * periodMicroseconds)
  if (version === 2) return writeFileSync(join(group, 'cpu.max'), `${quota} ${periodMicroseconds}`)
  writeFileSync(join(group, 'cpu.cfs_period_us'), String(periodMicroseconds))
  writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quota))
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}

const numbers = (text: string) => text.split('\n').filter(Boolean).map(Number)

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return otherwise
  }
}

/** For what not every kernel has. */
function writeQuietly(path: string, text: string): void {
  try {
    if (existsSync(path)) writeFileSync(path, text)
  } catch {
    // Refused; there is another way, or none.
  }
}

function rmdirQuietly(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // In use, or gone.
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone in the meantime.
  }
}
