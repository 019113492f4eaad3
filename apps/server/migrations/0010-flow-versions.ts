import { type Kysely, sql } from 'kysely'
import { createHash } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'

interface Old {
  instances: { id: string; deleted_at: number | null }
  instance_storage: { instance_id: string; kind: string; body: string; updated_at: number }
  blobs: { hash: string; body: string; size: number; refs: number }
  flow_versions: {
    id: string
    instance_id: string
    kind: string
    flows_hash: string
    credentials: string | null
    nodes: number
    created_at: number
  }
}

/** Versions of flows, beginning with those that are there; instances and applications that can be had back for a while. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table flow_versions (
    id text primary key, instance_id text not null references instances (id) on delete cascade, kind text not null,
    user_id text, user_name text, from_id text, from_at bigint, flows_hash text not null references blobs (hash),
    credentials text, nodes integer not null, changes text, created_at bigint not null)`.execute(db)
  await sql`create index flow_versions_instance on flow_versions (instance_id, id)`.execute(db)
  await sql`create index flow_versions_flows on flow_versions (flows_hash)`.execute(db)
  await sql`alter table instances add column deleted_at bigint`.execute(db)
  await sql`alter table instances add column deleted_by text`.execute(db)
  await sql`create index instances_deleted on instances (deleted_at, id) where deleted_at is not null`.execute(db)
  await sql`alter table applications add column deleted_at bigint`.execute(db)
  await keepStored(db)
}

/** One instance at a time, since all flows of a platform need not fit into memory. */
async function keepStored(db: Kysely<Old>): Promise<void> {
  const all = await db.selectFrom('instance_storage').select('instance_id').where('kind', '=', 'flows').execute()
  for (const { instance_id } of all) {
    const rows = await db.selectFrom('instance_storage').selectAll().where('instance_id', '=', instance_id).execute()
    const flows = rows.find(({ kind }) => kind === 'flows')!
    const bytes = Buffer.from(flows.body)
    const hash = createHash('sha256').update(bytes).digest('hex')
    await db
      .insertInto('blobs')
      .values({ hash, body: deflateRawSync(bytes).toString('base64'), size: bytes.length, refs: 1 })
      .onConflict((conflict) => conflict.column('hash').doUpdateSet({ refs: sql`blobs.refs + 1` }))
      .execute()
    const parsed = JSON.parse(flows.body) as unknown
    await db
      .insertInto('flow_versions')
      .values({
        // Sorts before every id that is made from now on.
        id: `0-${instance_id}`,
        instance_id,
        kind: 'earlier',
        flows_hash: hash,
        credentials: rows.find(({ kind }) => kind === 'credentials')?.body ?? null,
        nodes: Array.isArray(parsed) ? parsed.length : 0,
        created_at: flows.updated_at,
      })
      .execute()
  }
}
