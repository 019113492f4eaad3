import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'

/** A home that a server ran on as another user. The message is for people. */
export class HomeOfAnother extends Error {
  override name = 'HomeOfAnother'
}

/** The names the server itself writes and needs again; a disk may hold other things of its own. */
const own =
  /^(keys|instances|backups|metrics|reserve|restore|home-id|audit-head\.json|platform\.(lock|pid)|forge\.db.*)$/
/** Depth of `instances/<id>/user`, where the files of flows begin. */
const deepest = 3

/**
 * A server that ran as root gave files to root and to the users of instances. One of an ordinary user can neither read
 * nor replace these, and its instances would end at once, again and again.
 * @throws HomeOfAnother with what to do.
 */
export function checkOwner(home: string, uid: number | undefined = process.getuid?.()): void {
  if (uid === undefined || uid === 0) return
  const foreign = foreignIn(home, uid, 0)
  const [first] = foreign
  if (!first) return
  const owners = [...new Set(foreign.map(({ owner }) => owner))].toSorted((a, b) => a - b)
  const named = owners.map((owner) => (owner === 0 ? 'root' : `user ${owner}`)).slice(0, 4)
  const processes = instancesOf(owners)
  const alive =
    processes.length === 0
      ? ''
      : ` Processes of instances still run as these users (${processes.join(', ')}). First end those of this home, as root: \`ls -l /proc/<number>/cwd\` says of which home one is, \`kill <number>\` ends it.`
  throw new HomeOfAnother(
    `A server ran on ${home} as another user: ${named.join(', ')} ${named.length === 1 ? 'owns' : 'own'} ${foreign.length} of its files, such as ${first.path}. ` +
      `Either start this server as root as well, or give the files back, as root: \`chown -R ${nameOf(uid)}: ${home} && rm -f ${home}/instances/*/account.json\`.${alive} Nothing was changed.`,
  )
}

function foreignIn(folder: string, uid: number, depth: number): { path: string; owner: number }[] {
  return namesIn(folder)
    .filter((name) => depth > 0 || own.test(name))
    .flatMap((name) => {
      const path = join(folder, name)
      const { uid: owner, isFolder } = look(path)
      if (owner === undefined) return []
      const inside = isFolder && depth < deepest - 1 ? foreignIn(path, uid, depth + 1) : []
      return owner === uid ? inside : [{ path, owner }, ...inside]
    })
}

function look(path: string): { uid?: number; isFolder: boolean } {
  try {
    const found = lstatSync(path)
    return { uid: found.uid, isFolder: found.isDirectory() }
  } catch {
    return { isFolder: false }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Processes of these users that run the program of instances; whose arguments are shown to everybody. */
function instancesOf(owners: readonly number[]): number[] {
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const { uid } = look(join('/proc', pid))
      return (
        uid !== undefined && owners.includes(uid) && /instance-runtime\/[^\0]*main\.(js|ts)\0/.test(argumentsOf(pid))
      )
    })
    .map(Number)
}

function argumentsOf(pid: string): string {
  try {
    return readFileSync(join('/proc', pid, 'cmdline'), 'utf8')
  } catch {
    return ''
  }
}

function nameOf(uid: number): string {
  try {
    const { username, uid: current } = userInfo()
    return current === uid ? username : String(uid)
  } catch {
    // It has no entry in the list of users.
    return String(uid)
  }
}
