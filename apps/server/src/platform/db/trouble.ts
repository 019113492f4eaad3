/** Why a database or a disk refuses work that is sound in itself. */
export type Trouble = 'full' | 'read-only' | 'away'

/** Marks the error of a connection to PostgreSQL that could not be made or broke, which has no code of its own. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
}

/** SQLite's primary result codes: busy, locked, read-only, disk I/O, full, cannot open. */
const ofSqlite: Record<number, Trouble> = { 5: 'away', 6: 'away', 8: 'read-only', 10: 'away', 13: 'full', 14: 'away' }
/** Growing the file of shared memory fails like this on a full disk. */
const noSharedMemory = 4874
const ofSystem: Record<string, Trouble> = { ENOSPC: 'full', EDQUOT: 'full', EROFS: 'read-only' }
/** PostgreSQL: disk full; read-only; too many connections; being shut down, crashed, starting; a statement took too long. */
const ofPostgres: Record<string, Trouble> = {
  '53100': 'full',
  '25006': 'read-only',
  '53300': 'away',
  '57P01': 'away',
  '57P02': 'away',
  '57P03': 'away',
  '57014': 'away',
}

/** Tells trouble of the database or the disk from defects; undefined for any other error. */
export function troubleOf(error: unknown): Trouble | undefined {
  if (error instanceof ConnectionLost) return 'away'
  const { code = '', errcode } = (error ?? {}) as { code?: string; errcode?: number }
  if (errcode === noSharedMemory) return 'full'
  if (errcode !== undefined) return ofSqlite[errcode & 0xff]
  if (code.startsWith('08')) return 'away'
  return ofPostgres[code] ?? ofSystem[code]
}
