import type { DatabaseSync } from 'node:sqlite'

const busyMs = 2_000

/** Older versions of Node.js warn of this module when it is loaded, which would stand in the log of every instance. */
function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}

/**
 * Opens the database of the persistent context, and makes it if it is not there. Two processes may have it open: each
 * change is one transaction, and is in the file when it returns, so the end of a process loses nothing. `isAcrossMachines`:
 * they may be on different machines, which share storage and no memory, so only the locks of that can be used.
 * @throws Error when the file is no database or the disk fails.
 */
export function openDatabase(file: string, isAcrossMachines: boolean): DatabaseSync {
  const database = new (loadSqlite().DatabaseSync)(file, { timeout: busyMs })
  try {
    database.exec(`pragma journal_mode = ${isAcrossMachines ? 'delete' : 'wal'}`)
    database.exec(`pragma synchronous = ${isAcrossMachines ? 'full' : 'normal'}`)
    database.exec('pragma journal_size_limit = 4194304')
    inTransaction(database, () => database.exec(schema))
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** `total` saves adding up all sizes at every change. `unused` has since when no node or flow has a scope. */
const schema = `
  create table if not exists entries (
    scope text not null, key text not null, value text not null, size integer not null, updated integer not null,
    unique (scope, key));
  create table if not exists total (one integer primary key check (one = 1), bytes integer not null);
  insert or ignore into total values (1, 0);
  create table if not exists unused (scope text primary key, since integer not null);`

/** All of it or nothing. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('begin immediate')
  try {
    const result = work()
    database.exec('commit')
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}
