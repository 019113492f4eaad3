import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeHome, makePrivateFile } from './home.files.ts'

const busy = 5
/** Keeps the locks referenced; an unreferenced one would be closed by the garbage collector. */
const held = new Set<DatabaseSync>()

const stopping = ' stopping'
const lookEveryMs = 100

/** Another process works on this home. The message is for people. */
export class HomeTaken extends Error {
  override name = 'HomeTaken'
  /** It was told to stop, and soon leaves the home to the next. */
  readonly isStopping: boolean
  constructor(message: string, isStopping: boolean) {
    super(message)
    this.isStopping = isStopping
  }
}

/**
 * Takes a home for this process alone, until it ends in whatever way or calls what is returned. SQLite's lock on a
 * file does that: the kernel gives it back with the process, and two that start at once cannot both have it.
 * @throws HomeTaken
 */
export function lockHome(home: string): () => void {
  closeHome(home)
  const owner = join(home, 'platform.pid')
  const file = join(home, 'platform.lock')
  makePrivateFile(file)
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    // Nothing is ever written; the files that a journal needs would only lie about.
    lock.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode !== busy) throw error
    throw new HomeTaken(
      `Another FlowForge${named(owner)} works on ${home}. Stop it, or set FORGE_HOME to another folder: each server needs one of its own, also where several share a PostgreSQL database.`,
      read(owner).endsWith(stopping),
    )
  }
  writeFileSync(owner, String(process.pid), { mode: 0o600 })
  held.add(lock)
  return () => {
    held.delete(lock)
    lock.close()
  }
}

/**
 * The same, but waits while the process that has it is stopping. `told` is called once when it has to wait.
 * @throws HomeTaken
 */
export async function waitForHome(home: string, told: () => void): Promise<() => void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return lockHome(home)
    } catch (error) {
      if (!(error instanceof HomeTaken) || !error.isStopping) throw error
      if (tries === 0) told()
    }
    await sleep(lookEveryMs)
  }
}

/** Tells the next process on this home, whose lock this one has, to wait for its end. */
export function leaveHome(home: string): void {
  writeFileSync(join(home, 'platform.pid'), `${process.pid}${stopping}`)
}

function read(owner: string): string {
  try {
    return readFileSync(owner, 'utf8')
  } catch {
    return ''
  }
}

function named(owner: string): string {
  const [pid] = read(owner).split(' ')
  return pid ? ` (process ${Number(pid)})` : ''
}
