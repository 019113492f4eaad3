import type { Kysely, Transaction } from 'kysely'

/** Every table and its row type. A feature's store adds its own by declaring this interface again. */
// biome-ignore lint: filled by declaration merging
export interface Tables {}

/** Reads, alone or within a transaction. */
export type Db = Kysely<Tables>

/** Writes belong to a transaction, together with the audit entry of what they change. */
export type Tx = Transaction<Tables>

/** Booleans are 0 and 1 on both databases. */
export type Flag = 0 | 1
export function flag(value: boolean): Flag {
  return value ? 1 : 0
}
