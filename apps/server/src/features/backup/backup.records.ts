import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Db, Tx } from '../../platform/db/tables.ts'

export interface BackupRow {
  name: string
  /** The checksum of the file as it was made. */
  sha256: string
  took_ms: number
  /** When the file was last compared with that, in milliseconds. */
  checked_at: number
  /** The fault that was found then; null: none. */
  damage: string | null
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    backup_records: BackupRow
  }
}

export async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

export async function insertRecord(tx: Tx, row: BackupRow): Promise<void> {
  await tx.insertInto('backup_records').values(row).execute()
}

/** By name. */
export async function listRecords(db: Db): Promise<Map<string, BackupRow>> {
  const rows = await db.selectFrom('backup_records').selectAll().execute()
  return new Map(rows.map((row) => [row.name, row]))
}

export async function deleteRecords(db: Db, names: readonly string[]): Promise<void> {
  if (names.length > 0) await db.deleteFrom('backup_records').where('name', 'in', names).execute()
}

/** Compares a file with its record. @returns what is wrong with it; undefined when it is as it was made. */
export async function compareFile(db: Db, row: BackupRow, file: string, now: number): Promise<string | undefined> {
  const damage = await digestOf(file).then(
    (found) => (found === row.sha256 ? undefined : 'The file was changed after it was made'),
    (error: NodeJS.ErrnoException) => `The file cannot be read (${error.code ?? error.message})`,
  )
  const change = { checked_at: now, damage: damage ?? null }
  await db.updateTable('backup_records').set(change).where('name', '=', row.name).execute()
  return damage
}
