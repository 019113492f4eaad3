import { execFile, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { Account } from '../record.store.ts'

const tryMs = 5_000
const kibInMb = 1024
const execute = promisify(execFile)
/** File systems with quotas of users, and the options by which a mount enforces them. */
const enforcing: Record<string, readonly string[]> = {
  ext4: ['usrquota', 'usrjquota'],
  xfs: ['usrquota', 'uquota', 'quota'],
}

export interface Mount {
  path: string
  type: string
  options: string[]
}

export type Quota = ReturnType<typeof openQuota>

/**
 * Limits the disk of an instance by the quota of its user: the kernel counts every file that belongs to the user, in
 * whatever folder of the file system. A project quota would keep the instance from sharing the files of modules.
 * `mb` is the limit, 0 takes limits away that were set before, undefined leaves them alone.
 */
export function openQuota(
  folder: string,
  { mb, isolated }: { mb: number | undefined; isolated: boolean },
  { mounts = '/proc/self/mountinfo', command = 'setquota' } = {},
) {
  const mount = mb === undefined ? undefined : mountOf(existing(folder), readMounts(mounts))
  let obstacle = isolated ? mb !== undefined && obstacleOf(mount, command) : 'they all run as the user of the platform'

  async function set(uid: number, limit: number): Promise<void> {
    if (mount === undefined || obstacle !== false) return
    const blocks = String(limit * kibInMb)
    await execute(command, ['-u', String(uid), '0', blocks, '0', '0', mount.path], { timeout: tryMs })
  }

  return {
    /** Why the limit has no effect, in a sentence for people; undefined where it has, or there is none. */
    gap: () => (mb && obstacle !== false ? `The disk of instances is not limited: ${obstacle}.` : undefined),

    /** Sets the limit for the user of an instance, where that can be. */
    async limit({ uid }: Account): Promise<void> {
      try {
        await set(uid, mb ?? 0)
      } catch (error) {
        // An instance without a limit is better than none; the machine's page of gaps tells.
        obstacle = `setquota does not set it (${(error as Error).message.trim().split('\n').at(-1)})`
      }
    },

    /** Takes the limit from users whose instances are gone, so that nobody who gets the number later has it. */
    async lift(uids: readonly number[]): Promise<void> {
      for (const uid of uids) await set(uid, 0).catch(() => undefined)
    },
  }
}

/** The folder, or the nearest one above it that exists, without links. */
const existing = (folder: string): string => (existsSync(folder) ? realpathSync(folder) : existing(dirname(folder)))

function obstacleOf(mount: Mount | undefined, command: string): string | false {
  if (!mount || !(mount.type in enforcing))
    return `the file system of FORGE_HOME, ${mount?.type ?? 'unknown'}, has no quotas that the platform can set; ext4 and xfs have them`
  if (!mount.options.some((option) => enforcing[mount.type]!.includes(option.split('=')[0]!)))
    return `quotas of users are off on ${mount.path}, where FORGE_HOME is`
  // It is enough that the program can be run.
  return spawnSync(command, ['--version'], { stdio: 'ignore', timeout: tryMs }).error
    ? 'setquota, of the package quota, is missing'
    : false
}

/** The mount that holds a path: the one with the longest path of those above it, the later of two at one place. */
export function mountOf(path: string, mounts: readonly Mount[]): Mount | undefined {
  let found: Mount | undefined
  for (const mount of mounts) {
    const isAbove = mount.path === '/' || path === mount.path || path.startsWith(`${mount.path}/`)
    if (isAbove && mount.path.length >= (found?.path.length ?? 0)) found = mount
  }
  return found
}

function readMounts(file: string): Mount[] {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').flatMap(parseMount)
  } catch {
    return []
  }
}

/** A line of mountinfo; the kernel writes blanks in paths as `\040`. */
function parseMount(line: string): Mount[] {
  const [before = '', after = ''] = line.split(' - ')
  const path = before.split(' ')[4]
  const [type = '', , options = ''] = after.split(' ')
  if (path === undefined) return []
  const plain = path.replace(/\\(\d{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
  return [{ path: plain, type, options: options.split(',') }]
}
