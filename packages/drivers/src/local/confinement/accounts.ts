import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  lstatSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DriverError } from '../../driver.ts'
import type { Config } from '../config.ts'
import type { Paths } from '../paths.ts'
import { Account, writeWhole } from '../record.store.ts'

/** Claims of all platforms on this machine: two homes must not give away the same user. */
const claimsDir = '/var/lib/flowforge/accounts'
const open = 0o711
const closed = 0o700

/**
 * Users of the operating system for instances: numbers from a range, without an entry in any list of users. One
 * belongs to one instance for as long as its folder exists. A claim is a file named after the number that holds the
 * path of that folder, so that two processes cannot give the same away.
 */
export function createAccounts({ home, instancesDir, stacksDir, modulesDir, accounts }: Config) {
  const shared = [instancesDir, stacksDir, modulesDir]

  function claim(folder: string): Account {
    const { first, last } = accounts!
    const taken = claims()
    // The one after the last that is taken: what was given back rests for as long as there are others.
    const from = Math.max(first, ...[...taken.keys()].filter((uid) => uid >= first && uid < last).map((uid) => uid + 1))
    for (let step = 0, size = last - first + 1; step < size; step += 1) {
      const uid = first + ((from - first + step) % size)
      if (!taken.has(uid) && tryClaim(uid, folder)) return { uid, gid: uid }
    }
    throw new DriverError('no_account', `All ${last - first + 1} users that are set aside for instances are in use`)
  }

  /** Nobody but the platform gets at what lies in its home, now and after files were added. */
  function closeHome(): void {
    for (const name of readdirSync(home)) {
      const path = join(home, name)
      const { mode, uid } = lstatSync(path)
      if (shared.includes(path) || (mode & 0o077) === 0 || uid !== process.getuid?.()) continue
      if ((mode & 0o170000) !== 0o120000) chmodSync(path, mode & 0o700)
    }
    chmodSync(home, open)
    chmodSync(instancesDir, open)
  }

  /** The user of an instance; undefined when it has none, or its note is not to be believed. */
  function find({ account: path, folder }: Paths): Account | undefined {
    try {
      const account = Account.parse(JSON.parse(readFileSync(path, 'utf8')))
      if (account.uid < accounts!.first || account.uid > accounts!.last) return undefined
      // Where claims do not last, as in a container that was made anew, the note claims its number again.
      return tryClaim(account.uid, folder) || claimOf(account.uid) === folder ? account : undefined
    } catch {
      return undefined
    }
  }

  return {
    find,

    /** A user for as long as a folder exists. @throws DriverError when none is left. */
    lend: claim,

    /** Gives an instance its user, unless it has one, and its folders to that user. @throws DriverError when none is left. */
    settle(paths: Paths): Account {
      const known = find(paths)
      const account = known ?? claim(paths.folder)
      if (!known) writeWhole(paths.account, JSON.stringify(account))
      closeHome()
      // The folder stays ours: what is written there about the instance is out of its reach. Its group may pass.
      chownSync(paths.folder, statSync(paths.folder).uid, account.gid)
      chmodSync(paths.folder, 0o710)
      for (const path of [paths.userDir, paths.logDir, paths.socketDir]) if (existsSync(path)) giveTo(path, account)
      return account
    },

    /** The folder of this user is going to be this one, which must be there: nobody takes a user whose folder is. */
    reassign({ uid }: Account, { folder }: Paths): void {
      const beside = `${claimsDir}.${process.pid}.tmp`
      writeFileSync(beside, folder, { mode: 0o600 })
      renameSync(beside, join(claimsDir, String(uid)))
    },

    /** Gives the users of instances back whose folders are gone, and says which. */
    sweep(): number[] {
      const gone = [...claims()].flatMap(([uid, folder]) => (existsSync(folder) ? [] : [uid]))
      for (const uid of gone) rmSync(join(claimsDir, String(uid)), { force: true })
      return gone
    },
  }
}

export type Accounts = ReturnType<typeof createAccounts>

function claims(): Map<number, string> {
  // Commands ask too, and leave no folder of root on a machine whose server runs as another user.
  const names = existsSync(claimsDir) ? readdirSync(claimsDir) : []
  return new Map(names.map((name) => [Number(name), claimOf(Number(name)) ?? '']))
}

function claimOf(uid: number): string | undefined {
  try {
    return readFileSync(join(claimsDir, String(uid)), 'utf8')
  } catch {
    return undefined
  }
}

function tryClaim(uid: number, folder: string): boolean {
  mkdirSync(claimsDir, { recursive: true, mode: closed })
  try {
    writeFileSync(join(claimsDir, String(uid)), folder, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** With everything in it, once. A file with several names is shared between instances and belongs to none. */
function giveTo(path: string, { uid, gid }: Account): void {
  if (lstatSync(path).uid === uid) return
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    const full = join(entry.parentPath, entry.name)
    if (entry.isDirectory() || lstatSync(full).nlink === 1) lchownSync(full, uid, gid)
  }
  // Last: where it was done, it was done whole.
  lchownSync(path, uid, gid)
}
