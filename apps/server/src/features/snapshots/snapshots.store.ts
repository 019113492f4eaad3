import { contains } from '../../platform/db/like.ts'
import type { Portion } from '../../platform/db/page.ts'
import type { Db, Flag, Tx } from '../../platform/db/tables.ts'
import { personColumns } from '../account/index.ts'

/** Its contents are blobs: the snapshot holds one reference to each of them. */
export interface SnapshotRow {
  id: string
  instance_id: string
  name: string
  /** Lower case, for searching. */
  name_key: string
  description: string
  user_id: string | null
  /** 1 when the platform took it by itself. */
  automatic: Flag
  /** Versions by the names of modules; JSON. */
  modules: string
  flows_hash: string
  /** As the storage of the instance keeps them, so only that instance can open them; null without any. */
  credentials_hash: string | null
  /** The settings of the instance of its own, with its variables; secret ones sealed. */
  settings_hash: string
  created_at: number
  updated_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    snapshots: SnapshotRow
    /** The snapshot that the devices of an instance should run; no row: none. */
    device_targets: { instance_id: string; snapshot_id: string }
  }
}

export async function insertSnapshot(tx: Tx, row: SnapshotRow): Promise<void> {
  await tx.insertInto('snapshots').values(row).execute()
}

export async function findSnapshot(db: Db, instanceId: string, id: string): Promise<SnapshotRow | undefined> {
  return db
    .selectFrom('snapshots')
    .selectAll()
    .where('id', '=', id)
    .where('instance_id', '=', instanceId)
    .executeTakeFirst()
}

/** `byPeople`: without those that the platform took by itself. */
interface Sought {
  text?: string | undefined
  byPeople?: boolean | undefined
}

/** A page of the snapshots of an instance, newest first. */
export async function listSnapshots(db: Db, instanceId: string, page: Portion & Sought): Promise<SnapshotRow[]> {
  let rows = db.selectFrom('snapshots').selectAll().where('instance_id', '=', instanceId)
  if (page.byPeople) rows = rows.where('automatic', '=', 0)
  if (page.cursor) rows = rows.where('id', '<', page.cursor)
  const { text } = page
  if (text) rows = rows.where((snapshot) => contains(snapshot.ref('name_key'), text))
  return rows.orderBy('id', 'desc').limit(page.limit).execute()
}

export async function countSnapshots(db: Db, instanceId: string, { text, byPeople }: Sought): Promise<number> {
  let rows = db.selectFrom('snapshots').where('instance_id', '=', instanceId)
  if (byPeople) rows = rows.where('automatic', '=', 0)
  if (text) rows = rows.where((snapshot) => contains(snapshot.ref('name_key'), text))
  const { n } = await rows.select((count) => count.fn.countAll<number>().as('n')).executeTakeFirstOrThrow()
  return Number(n)
}

/** The people who took these snapshots, by id. */
export async function listTakers(db: Db, rows: readonly SnapshotRow[]) {
  const ids = [...new Set(rows.flatMap(({ user_id }) => user_id ?? []))]
  if (ids.length === 0) return new Map<string, never>()
  const users = await db.selectFrom('users').select(personColumns).where('id', 'in', ids).execute()
  return new Map(users.map((user) => [user.id, user]))
}

const hashes = ['flows_hash', 'credentials_hash', 'settings_hash'] as const
export type Hashes = Pick<SnapshotRow, (typeof hashes)[number]>

/** Removes one snapshot, or all of an instance; what they kept is for the caller to drop. */
export async function deleteSnapshots(tx: Tx, instanceId: string, id?: string): Promise<Hashes[]> {
  let rows = tx.deleteFrom('snapshots').where('instance_id', '=', instanceId)
  if (id !== undefined) rows = rows.where('id', '=', id)
  return rows.returning(hashes).execute()
}

/** Number of devices that run each of these, as they say; absent: none. */
export async function countRunning(db: Db, rows: readonly Pick<SnapshotRow, 'id'>[]): Promise<Map<string, number>> {
  if (rows.length === 0) return new Map()
  const ids = rows.map(({ id }) => id)
  const counts = await db
    .selectFrom('devices')
    .select((count) => ['active_snapshot_id', count.fn.countAll<number>().as('n')])
    .where('active_snapshot_id', 'in', ids)
    .groupBy('active_snapshot_id')
    .execute()
  return new Map(counts.map(({ active_snapshot_id, n }) => [active_snapshot_id ?? '', Number(n)]))
}

export async function findTarget(db: Db, instanceId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('device_targets')
    .select('snapshot_id')
    .where('instance_id', '=', instanceId)
    .executeTakeFirst()
  return row?.snapshot_id
}

/** The hash of the flows of the target; undefined without one. */
export async function findTargetFlows(db: Db, instanceId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('device_targets')
    .innerJoin('snapshots', 'snapshots.id', 'device_targets.snapshot_id')
    .select('snapshots.flows_hash')
    .where('device_targets.instance_id', '=', instanceId)
    .executeTakeFirst()
  return row?.flows_hash
}

/** Undefined: none. */
export async function writeTarget(tx: Tx, instanceId: string, id: string | undefined): Promise<void> {
  if (id === undefined) {
    await tx.deleteFrom('device_targets').where('instance_id', '=', instanceId).execute()
    return
  }
  await tx
    .insertInto('device_targets')
    .values({ instance_id: instanceId, snapshot_id: id })
    .onConflict((conflict) => conflict.column('instance_id').doUpdateSet({ snapshot_id: id }))
    .execute()
}
