import type { Driver } from '@app/drivers'
import { counted } from '../../platform/counted.ts'
import type { Services } from '../../platform/features/services.ts'
import { intervals } from '@app/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import { type ColumnMap, fieldsOf } from '../../platform/db/columns.ts'
import { type Database, whenBroken } from '../../platform/db/database.ts'
import { objectColumn } from '../../platform/db/json.ts'
import { fail } from '../../platform/http/failure.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { type Audit, changes } from '../audit/index.ts'
import { countInstances, type UseColumn } from './catalogue.edit.store.ts'

export interface EditDependencies {
  database: Database
  clock: Clock
  audit: Audit
  vault: Vault
  hooks: Services['hooks']
  driver: Driver
}

/** Everything here stands in the log of the platform. */
const readKeys = objectColumn('the properties')

/** A stored field as the calls write it; of a JSON text each key by itself. */
function told(id: string, field: string, value: unknown): [string, unknown][] {
  if (field === 'active') return [[field, value === 1]]
  if (field !== 'properties') return [[field, value]]
  return Object.entries(readKeys(String(value), id)).map(([key, one]) => [`${field}.${key}`, one])
}

/** The differences between a row and its change, for the audit log. */
export function updatesOf<Patch, Row extends { id: string }>(
  row: Row,
  change: Partial<Row>,
  map: ColumnMap<Patch, Row>,
): ReturnType<typeof changes> {
  const next = Object.entries(fieldsOf(change, map))
  const former = Object.entries(fieldsOf(row, map)).filter(([field]) => next.some(([changed]) => changed === field))
  const [old, now] = [former, next].map((entries) =>
    Object.fromEntries(entries.flatMap(([field, value]) => told(row.id, field, value))),
  ) as [Record<string, unknown>, Record<string, unknown>]
  const gone = Object.keys(old).filter((key) => key.includes('.') && !(key in now))
  return [...changes(old, now), ...gone.map((key) => ({ key, old: old[key], dif: 'deleted' as const }))]
}

/** Why something cannot be deleted, in the words of ATPL-06, ATYPE-14 and ASTACK-16. */
const inUse = (what: string) => `You cannot delete ${what} that is still being used by instances.`
const days = intervals.deletedKept / (24 * 3_600_000)
/** An instance that could be restored only without it could not be restored. */
const needed = (what: string, n: number) =>
  `You cannot delete ${what} that ${n === 1 ? 'a deleted instance needs' : `${n} deleted instances need`} to be restored: they can be for ${counted(days, 'day')}.`

/** @throws Failure invalid_request while instances are of it, or deleted ones may be restored to it. */
export async function checkUnused(tx: Tx, what: string, column: UseColumn, id: string): Promise<void> {
  const { present, deleted } = await countInstances(tx, column, id)
  if (present > 0) throw fail('invalid_request', inUse(what))
  if (deleted > 0) throw fail('invalid_request', needed(what, deleted))
}

/**
 * Does something that needs a name of its own.
 * @throws Failure invalid_name 409 when the name is taken.
 */
export async function nameTaken<T>(work: () => Promise<T>): Promise<T> {
  return work().catch(
    whenBroken('unique', () => fail('invalid_name', 'The name must be unique', { field: 'name', status: 409 })),
  )
}

/**
 * Deletes something; an instance that was made of it in the same moment keeps it.
 * @throws Failure invalid_request when it is in use.
 */
export async function unlessUsed<T>(what: string, work: () => Promise<T>): Promise<T> {
  return work().catch(whenBroken('reference', () => fail('invalid_request', inUse(what))))
}
