import { createSigner, type Keys, type Signer } from '../../platform/crypto.ts'
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
export function signEntry(signer: Signer, row: Contents): string {
  const serial = newId()
  return `${serial}.${signer.sign(entryText(serial, row))}`
}

/** Entries that are not sealed yet come after every other. */
export function isSignedEntry(signer: Signer, row: AuditRow): boolean {
  if (row.mac === null) return false
  const [serial = '', given = '', ...more] = row.mac.split('.')
  return more.length === 0 && signer.verifies(entryText(serial, row), given, Number(row.position ?? Infinity))
}

/** Ties an entry to its place and to everything before it: `previous` is the seal of the entry before. */
export function sealOf(
  signer: Signer,
  previous: string,
  position: number,
  row: Omit<AuditRow, 'position' | 'seal'>,
): string {
  return signer.sign(sealText(previous, position, row))
}

const sealText = (previous: string, position: number, row: Omit<AuditRow, 'position' | 'seal'>) =>
  JSON.stringify(['seal', previous, position, Number(row.id), row.mac, ...contents(row)])

/** Was this entry sealed by the platform, at this place and after the one with the seal `previous`? */
export const isSealed = (signer: Signer, previous: string, position: number, row: AuditRow): boolean =>
  row.seal !== null && signer.verifies(sealText(previous, position, row), row.seal, position)

/** Signs the entries of a platform as its own, under a key that follows from the master key. */
export const auditSigner = (keys: Keys): Signer => createSigner(keys, 'audit log')

/** A signed note of where the chain ends, or begins after older entries were removed. */
export interface Checkpoint {
  position: number
  seal: string
  /** Number of entries that were removed so far; 0 at the end of the chain. */
  entries: number
  at: number
}

export function checkpointMac(
  signer: Signer,
  name: 'head' | 'cut',
  { position, seal, entries, at }: Checkpoint,
): string {
  return signer.sign(checkpointText(name, { position, seal, entries, at }))
}

const checkpointText = (name: 'head' | 'cut', { position, seal, entries, at }: Checkpoint) =>
  JSON.stringify([name, position, seal, entries, at])

export const isSignedCheckpoint = (
  signer: Signer,
  name: 'head' | 'cut',
  given: Checkpoint & { mac: string },
): boolean => signer.verifies(checkpointText(name, given), given.mac, given.position)
