import { createMarker, type Keys, type Marker } from '../../platform/crypto.ts'
import { newId } from '../../platform/ids.ts'
import type { AuditRow, NewEntry } from './audit.store.ts'

type Contents = Omit<NewEntry, 'mac'>

/** Everything that an entry says, in one fixed form. */
function contents(row: Contents): unknown[] {
  const { created_at, event, scope_type, scope_id, trigger_id, trigger_type, trigger_name, username, address, body } =
    row
  return [created_at, event, scope_type, scope_id, trigger_id, trigger_type, trigger_name, username, address, body]
}

const entryText = (serial: string, row: Contents) => JSON.stringify(['entry', serial, ...contents(row)])

/** Shows that the platform wrote these contents. Its serial number is in it, so that a copy of an entry is one. */
export function markEntry(mark: Marker, row: Contents): string {
  const serial = newId()
  return `${serial}.${mark(entryText(serial, row))}`
}

/** Entries that are not sealed yet come after every other. */
export function isMarked(mark: Marker, row: AuditRow): boolean {
  if (row.mac === null) return false
  const [serial = '', given = '', ...more] = row.mac.split('.')
  return more.length === 0 && mark.matches(entryText(serial, row), given, Number(row.position ?? Infinity))
}

/** Ties an entry to its place and to everything before it: `previous` is the seal of the entry before. */
export function sealOf(
  mark: Marker,
  previous: string,
  position: number,
  row: Omit<AuditRow, 'position' | 'seal'>,
): string {
  return mark(sealText(previous, position, row))
}

const sealText = (previous: string, position: number, row: Omit<AuditRow, 'position' | 'seal'>) =>
  JSON.stringify(['seal', previous, position, Number(row.id), row.mac, ...contents(row)])

/** Was this entry sealed by the platform, at this place and after the one with the seal `previous`? */
export const isSealed = (mark: Marker, previous: string, position: number, row: AuditRow): boolean =>
  row.seal !== null && mark.matches(sealText(previous, position, row), row.seal, position)

/** The secret that marks the entries of a platform as its own; it follows from the master key. */
export const auditMarker = (keys: Keys): Marker => createMarker(keys, 'audit log')

/** Where the chain ends, or begins after older entries were removed. */
export interface Mark {
  position: number
  seal: string
  /** How many entries were removed so far; 0 at the end of the chain. */
  entries: number
  at: number
}

export function markOf(mark: Marker, name: 'head' | 'cut', { position, seal, entries, at }: Mark): string {
  return mark(markText(name, { position, seal, entries, at }))
}

const markText = (name: 'head' | 'cut', { position, seal, entries, at }: Mark) =>
  JSON.stringify([name, position, seal, entries, at])

export const isSigned = (mark: Marker, name: 'head' | 'cut', given: Mark & { mac: string }): boolean =>
  mark.matches(markText(name, given), given.mac, given.position)
