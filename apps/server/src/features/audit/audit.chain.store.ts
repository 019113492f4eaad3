import { sql } from 'kysely'
import type { Signer } from '../../platform/crypto.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import { type Checkpoint, checkpointMac } from './audit.chain.ts'
import type { AuditRow } from './audit.store.ts'

type Name = 'head' | 'cut'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** Checkpoints of the chain. */
    audit_checkpoints: Checkpoint & { name: Name; mac: string }
  }
}

/** The stored checkpoint; its `mac` is to be checked by who relies on it. */
export async function findCheckpoint(db: Db, name: Name): Promise<(Checkpoint & { mac: string }) | undefined> {
  return db.selectFrom('audit_checkpoints').selectAll().where('name', '=', name).executeTakeFirst()
}

export async function writeCheckpoint(
  tx: Tx,
  signer: Signer,
  name: Name,
  { position, seal, entries, at }: Checkpoint,
): Promise<void> {
  const row = { position, seal, entries, at, mac: checkpointMac(signer, name, { position, seal, entries, at }) }
  await tx
    .insertInto('audit_checkpoints')
    .values({ name, ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute()
}

/** Lets one server at a time change the chain. The embedded database has one anyway. */
export async function lockChain(tx: Tx, postgres: boolean): Promise<void> {
  if (postgres) await sql`select pg_advisory_xact_lock(727015)`.execute(tx)
}

export async function listUnsealed(db: Db, limit: number): Promise<AuditRow[]> {
  return db.selectFrom('audit_log').selectAll().where('position', 'is', null).orderBy('id').limit(limit).execute()
}

export async function countUnsealed(db: Db): Promise<number> {
  const { total } = await db
    .selectFrom('audit_log')
    .where('position', 'is', null)
    .select((count) => count.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/** `seals` in the order of their ids. */
export async function writeSeals(tx: Tx, seals: { id: number; position: number; seal: string }[]): Promise<void> {
  const rows = sql.join(
    seals.map(
      ({ id, position, seal }) => sql`(cast(${id} as bigint), cast(${position} as bigint), cast(${seal} as text))`,
    ),
  )
  // Without the bounds SQLite goes through the whole log, or through all that is not sealed, for every batch.
  await sql`with sealed (id, position, seal) as (values ${rows})
    update audit_log set position = sealed.position, seal = sealed.seal from sealed
    where audit_log.id = sealed.id and audit_log.id between ${seals[0]?.id} and ${seals.at(-1)?.id}`.execute(tx)
}

/** Sealed entries after a position, in the order of the chain. */
export async function listSealed(db: Db, after: number, limit: number): Promise<AuditRow[]> {
  return db.selectFrom('audit_log').selectAll().where('position', '>', after).orderBy('position').limit(limit).execute()
}

/** Removes the sealed entries up to a position, and takes them out of the counts. */
export async function removeThrough(tx: Tx, position: number): Promise<void> {
  const gone = await tx
    .deleteFrom('audit_log')
    .where('position', '<=', position)
    .returning(['scope_type', 'scope_id', 'event'])
    .execute()
  const counts = new Map<string, { row: (typeof gone)[number]; count: number }>()
  for (const row of gone) {
    const key = JSON.stringify([row.scope_type, row.scope_id, row.event])
    counts.set(key, { row, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  const rows = sql.join(
    [...counts.values()].map(
      ({ row, count }) =>
        sql`(cast(${row.scope_type} as text), cast(${row.scope_id} as text), cast(${row.event} as text), cast(${count} as bigint))`,
    ),
  )
  await sql`with gone (scope_type, scope_id, event, count) as (values ${rows})
    update audit_counts set count = audit_counts.count - gone.count from gone
    where audit_counts.scope_type = gone.scope_type and audit_counts.scope_id = gone.scope_id and audit_counts.event = gone.event`.execute(
    tx,
  )
}
