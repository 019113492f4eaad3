import type { AuditFault, AuditFaultKind } from '@app/contract'
import type { Keys } from '../../platform/crypto.ts'
import type { Db } from '../../platform/db/tables.ts'
import { auditSigner, isSignedEntry, isSealed, isSignedCheckpoint } from './audit.chain.ts'
import { countUnsealed, findCheckpoint, listSealed, listUnsealed } from './audit.chain.store.ts'
import { readHead } from './audit.head.ts'
import type { ChainDependencies } from './audit.sealer.ts'
import type { AuditRow } from './audit.store.ts'

const batch = 2000
const faultsMost = 100

export interface Verdict {
  /** Sealed entries that were checked. */
  checked: number
  /** Committed entries that wait for their seal. */
  unsealed: number
  /** Entries that retention has removed; the chain begins after them. */
  removed: number
  /** The errors in the order of the chain, at most 100; none: nothing was changed. */
  faults: AuditFault[]
}

/** Whether a key is the one under which the end of the chain was signed; undefined while there is no chain. */
export async function provesAudit(db: Db, keys: Keys): Promise<boolean | undefined> {
  // A database of before the chain has no such table.
  const head = await findCheckpoint(db, 'head').catch(() => undefined)
  return head && isSignedCheckpoint(auditSigner(keys), 'head', head)
}

/**
 * Walks the whole chain from where it begins to its end and says what is not as the platform wrote it.
 * Reads in batches and lets others work between them. `progress` gets the number checked so far.
 */
export async function verifyChain(
  { database, signer, config }: Pick<ChainDependencies, 'database' | 'signer' | 'config'>,
  progress: (checked: number) => void = () => undefined,
): Promise<Verdict> {
  const db = database.read
  const faults: AuditFault[] = []
  const fault = (kind: AuditFaultKind, position: number, entry?: AuditRow, count = 1) => {
    if (faults.length < faultsMost)
      faults.push({ kind, position, count, ...(entry ? { entry: String(entry.id) } : {}) })
  }
  // Before the entries: what is sealed meanwhile lies behind this end.
  const [head, cut, seen] = [await findCheckpoint(db, 'head'), await findCheckpoint(db, 'cut'), readHead(config.home)]
  if (head && !isSignedCheckpoint(signer, 'head', head)) fault('head', head.position)
  if (cut && !isSignedCheckpoint(signer, 'cut', cut)) fault('cut', cut.position)

  let position = cut?.position ?? 0
  let seal = cut?.seal ?? ''
  let checked = 0
  let hasMacs = false
  /** Seals at the places that the end of the chain, and what this server has seen of it, speak of. */
  const remembered = new Map([[position, seal]])
  for (;;) {
    const rows = await listSealed(db, position, batch)
    for (const row of rows) {
      const place = Number(row.position)
      if (place !== position + 1) {
        fault('removed', position + 1, undefined, place - position - 1)
        // The entry before is gone; the links after it can still be checked.
        seal = ''
      }
      judge(row, place === position + 1 ? seal : undefined)
      position = place
      seal = row.seal ?? ''
      if (position === head?.position || position === seen?.position) remembered.set(position, seal)
      checked += 1
    }
    progress(checked)
    if (rows.length < batch) break
    await new Promise((resolve) => setImmediate(resolve))
  }

  function judge(row: AuditRow, previous: string | undefined): void {
    const genuine = isSignedEntry(signer, row)
    hasMacs ||= row.mac !== null
    if (row.mac === null ? hasMacs : !genuine)
      return fault(row.mac === null ? 'inserted' : 'altered', Number(row.position), row)
    if (previous === undefined || isSealed(signer, previous, Number(row.position), row)) return
    // A genuine entry in a wrong place was moved; one from before there were MACs may as well have been altered.
    fault(genuine ? 'moved' : 'altered', Number(row.position), row)
  }

  const end = Math.max(head?.position ?? 0, seen?.position ?? 0)
  if (position < end) fault('removed', position + 1, undefined, end - position)
  for (const known of [head, seen]) {
    const found = known && remembered.get(known.position)
    if (found !== undefined && found !== known?.seal && faults.length === 0) fault('head', known!.position)
  }
  for (const row of await listUnsealed(db, batch))
    if (!isSignedEntry(signer, row) && (hasMacs || row.mac)) fault('inserted', 0, row)
  return { checked, unsealed: await countUnsealed(db), removed: cut?.entries ?? 0, faults }
}
