import type { Db, Flag, Tx } from '../../platform/db/tables.ts'

/**
 * A checkout at the provider. `state` is open, complete or expired; of a team that paid already it is a duplicate, and
 * refunded once its payment was given back.
 */
export interface CheckoutRow {
  id: string
  team_id: string
  user_id: string
  /** Sealed: whoever has the address may enter payment details. */
  url: string
  /** Cents that the customer gets. */
  credit: number
  credit_given: Flag
  state: string
  created_at: number
}

/** A message of the provider. It is kept before anything follows from it. */
export interface EventRow {
  id: string
  team_id: string
  type: string
  checkout_id: string | null
  subscription_id: string | null
  happened_at: number
  received_at: number
  handled_at: number | null
}

/** A change of a quantity. Its id is the key under which the provider does it once. */
export interface ChangeRow {
  id: string
  team_id: string
  subscription_id: string
  product_id: string
  quantity: number
  created_at: number
  sent_at: number | null
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    billing_checkouts: CheckoutRow
    billing_events: EventRow
    billing_changes: ChangeRow
  }
}

/** Keeps a message. False when it came before. */
export async function insertEvent(tx: Tx, row: EventRow): Promise<boolean> {
  const result = await tx
    .insertInto('billing_events')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** Messages about a team that nothing was done about yet, in the order in which they happened. */
export async function listOpenEvents(db: Db, teamId: string): Promise<EventRow[]> {
  return db
    .selectFrom('billing_events')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('handled_at', 'is', null)
    .orderBy('happened_at')
    .orderBy('id')
    .execute()
}

export async function markHandled(tx: Tx, ids: readonly string[], now: number): Promise<void> {
  if (ids.length > 0) await tx.updateTable('billing_events').set({ handled_at: now }).where('id', 'in', ids).execute()
}

export async function insertCheckout(tx: Tx, row: CheckoutRow): Promise<void> {
  await tx
    .insertInto('billing_checkouts')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

export async function updateCheckout(tx: Tx, id: string, change: Partial<CheckoutRow>): Promise<void> {
  await tx.updateTable('billing_checkouts').set(change).where('id', '=', id).execute()
}

/** A provider ends a checkout after a day; longer ago nobody completed it. */
const openMs = 48 * 3_600_000

/** May somebody still complete it? */
export const isCheckoutOpen = ({ state, created_at }: CheckoutRow, now: number): boolean =>
  state === 'open' && Number(created_at) > now - openMs

/** Payments of banks take days; one that has not come after two weeks does not come. */
const refundMs = 14 * 86_400_000

/** May there still be a payment of it that has to be given back? */
export const isOwed = ({ state, created_at }: CheckoutRow, now: number): boolean =>
  state === 'duplicate' && Number(created_at) > now - refundMs

/**
 * Has the person of this checkout completed another one? Only one transaction at a time answers that for a person, so that
 * two teams which pay at once do not both get the credit.
 */
export async function findCreditedUser(
  tx: Tx,
  { id, user_id }: Pick<CheckoutRow, 'id' | 'user_id'>,
  postgres: boolean,
): Promise<boolean> {
  const all = tx.selectFrom('billing_checkouts').select(['id', 'state']).where('user_id', '=', user_id).orderBy('id')
  const rows = await (postgres ? all.forUpdate() : all).execute()
  return rows.some((row) => row.id !== id && row.state === 'complete')
}

/** The checkouts of a team, newest first. */
export async function listCheckouts(db: Db, teamId: string): Promise<CheckoutRow[]> {
  return db
    .selectFrom('billing_checkouts')
    .selectAll()
    .where('team_id', '=', teamId)
    .orderBy('created_at', 'desc')
    .execute()
}

/** Has this person completed a checkout? */
export async function hasPaid(db: Db, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('billing_checkouts')
    .select('id')
    .where('user_id', '=', userId)
    .where('state', '=', 'complete')
    .executeTakeFirst()
  return row !== undefined
}

export async function insertChanges(tx: Tx, rows: readonly ChangeRow[]): Promise<void> {
  if (rows.length > 0)
    await tx
      .insertInto('billing_changes')
      .values([...rows])
      .execute()
}

/** Changes that may not have reached the provider, in their order. */
export async function listOpenChanges(db: Db, teamId: string): Promise<ChangeRow[]> {
  return db
    .selectFrom('billing_changes')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('sent_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Forgets a change that the provider refused; the next comparison makes another one. */
export async function dropChange(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('billing_changes').where('id', '=', id).execute()
}

export async function markSent(tx: Tx, id: string, now: number): Promise<void> {
  await tx.updateTable('billing_changes').set({ sent_at: now }).where('id', '=', id).execute()
}

/** Forgets changes of a subscription that has ended. */
export async function dropChanges(tx: Tx, teamId: string): Promise<void> {
  await tx.deleteFrom('billing_changes').where('team_id', '=', teamId).where('sent_at', 'is', null).execute()
}

const keptMs = 400 * 86_400_000

/** Messages and changes older than what accounting asks for within a year. */
export async function exchangeSweep(db: Db, now: number, atMost: number): Promise<number> {
  const before = now - keptMs
  const events = db.selectFrom('billing_events').select('id').where('received_at', '<', before).limit(atMost)
  const { numDeletedRows } = await db.deleteFrom('billing_events').where('id', 'in', events).executeTakeFirst()
  const changes = db.selectFrom('billing_changes').select('id').where('sent_at', '<', before).limit(atMost)
  const sent = await db.deleteFrom('billing_changes').where('id', 'in', changes).executeTakeFirst()
  return Number(numDeletedRows + sent.numDeletedRows)
}
