import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { closeHome, makePrivateFile } from './home.files.ts'

const busy = 5
/** What nobody refers to any more would be closed one day. */
const held = new Set<DatabaseSync>()

/** Another process works on this home. The message is for people. */
export class HomeTaken extends Error {
  override name = 'HomeTaken'
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
    )
  }
  writeFileSync(owner, String(process.pid), { mode: 0o600 })
  held.add(lock)
  return () => {
    held.delete(lock)
    lock.close()
  }
}

function named(owner: string): string {
  try {
    return ` (process ${Number(readFileSync(owner, 'utf8'))})`
  } catch {
    return ''
  }
}
