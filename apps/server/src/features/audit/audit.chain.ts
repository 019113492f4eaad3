import { createMarker, type Marker } from '../../platform/crypto.ts'
import { newId } from '../../platform/ids.ts'
import type { AuditRow, NewEntry } from './audit.store.ts'

type Contents = Omit<NewEntry, 'mac'>

/** Everything that an entry says, in one fixed form. */
function contents(row: Contents): unknown[] {
  const { created_at, event, scope_type, scope_id, trigger_id, trigger_type, trigger_name, username, address, body } =
    row
  return [created_at, event, scope_type, scope_id, trigger_id, trigger_type, trigger_name, username, address, body]
}

const marked = (mark: Marker, serial: string, row: Contents) =>
  `${serial}.${mark(JSON.stringify(['entry', serial, ...contents(row)]))}`

/** Shows that the platform wrote these contents. Its serial number is in it, so that a copy of an entry is one. */
export function markEntry(mark: Marker, row: Contents): string {
  return marked(mark, newId(), row)
}

export function isMarked(mark: Marker, row: AuditRow): boolean {
  return row.mac !== null && row.mac === marked(mark, row.mac.split('.')[0] ?? '', row)
}

/** Ties an entry to its place and to everything before it: `previous` is the seal of the entry before. */
export function sealOf(
  mark: Marker,
  previous: string,
  position: number,
  row: Omit<AuditRow, 'position' | 'seal'>,
): string {
  return mark(JSON.stringify(['seal', previous, position, Number(row.id), row.mac, ...contents(row)]))
}

/** What marks the entries of a platform as its own: known only to who has its master key. */
export const auditMarker = (masterKey: Buffer): Marker => createMarker(masterKey, 'audit log')

/** Where the chain ends, or begins after older entries were removed. */
export interface Mark {
  position: number
  seal: string
  /** How many entries were removed so far; 0 at the end of the chain. */
  entries: number
  at: number
}

export function markOf(mark: Marker, name: 'head' | 'cut', { position, seal, entries, at }: Mark): string {
  return mark(JSON.stringify([name, position, seal, entries, at]))
}
