import type { versionKinds } from '@app/contract'
import { dropBlobs } from '../../platform/blobs/blobs.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'

export type VersionKind = (typeof versionKinds)[number]

export interface VersionRow {
  id: string
  instance_id: string
  kind: VersionKind
  user_id: string | null
  user_name: string | null
  /** 1: the instance says so, and did not show it. */
  user_claimed: number
  /** The version that was restored, and when it had come about. */
  from_id: string | null
  from_at: number | null
  /** The deployment that brought it, or put it back. */
  deployment_id: string | null
  flows_hash: string
  /** As it stands in the storage of the instance: encrypted by Node-RED, then sealed. */
  credentials: string | null
  nodes: number
  changes: string | null
  created_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    flow_versions: VersionRow
  }
}

const listed = [
  'id',
  'kind',
  'user_id',
  'user_name',
  'user_claimed',
  'from_id',
  'from_at',
  'deployment_id',
  'nodes',
  'changes',
  'created_at',
  'flows_hash',
] as const
export type ListedVersion = Pick<VersionRow, (typeof listed)[number]>

/** All versions of an instance, newest first. */
export async function listVersions(db: Db, instanceId: string): Promise<ListedVersion[]> {
  return db
    .selectFrom('flow_versions')
    .select(listed)
    .where('instance_id', '=', instanceId)
    .orderBy('id', 'desc')
    .execute()
}

export async function findVersion(db: Db, instanceId: string, id: string): Promise<VersionRow | undefined> {
  return db
    .selectFrom('flow_versions')
    .selectAll()
    .where('instance_id', '=', instanceId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** The newest version, among those that were stored or those that were refused. */
export async function newestVersion(db: Db, instanceId: string, refused: boolean): Promise<VersionRow | undefined> {
  return db
    .selectFrom('flow_versions')
    .selectAll()
    .where('instance_id', '=', instanceId)
    .where('kind', refused ? '=' : '!=', 'refused')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function insertVersion(tx: Tx, row: VersionRow): Promise<void> {
  await tx.insertInto('flow_versions').values(row).execute()
}

/** Names the deployment that records a duplicate of an instance, once its version is there. */
export async function nameDuplicate(tx: Tx, instanceId: string, deploymentId: string): Promise<void> {
  await tx
    .updateTable('flow_versions')
    .set({ deployment_id: deploymentId })
    .where('instance_id', '=', instanceId)
    .where('kind', '=', 'duplicate')
    .execute()
}

/** Lets go of all but the newest `keep` of those that were stored, or of those that were refused. */
export async function trimVersions(tx: Tx, instanceId: string, refused: boolean, keep: number): Promise<void> {
  const old = await tx
    .deleteFrom('flow_versions')
    .where('id', 'in', (rows) =>
      rows
        .selectFrom('flow_versions')
        .select('id')
        .where('instance_id', '=', instanceId)
        .where('kind', refused ? '=' : '!=', 'refused')
        .orderBy('id', 'desc')
        .limit(1_000)
        .offset(keep),
    )
    .returning('flows_hash')
    .execute()
  await dropBlobs(
    tx,
    old.map(({ flows_hash }) => flows_hash),
  )
}

/** Removes every version of an instance that is going away. */
export async function deleteVersions(tx: Tx, instanceId: string): Promise<void> {
  const gone = await tx
    .deleteFrom('flow_versions')
    .where('instance_id', '=', instanceId)
    .returning('flows_hash')
    .execute()
  await dropBlobs(
    tx,
    gone.map(({ flows_hash }) => flows_hash),
  )
}
