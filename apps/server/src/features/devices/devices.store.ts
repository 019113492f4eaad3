import type { Device, TakeoverSetting } from '@app/contract'
import type { ChangeOf } from '../../platform/db/columns.ts'
import type { Portion } from '../../platform/db/page.ts'
import type { Db, Flag, Tx } from '../../platform/db/tables.ts'
import { type DeviceFilter, matching } from './devices.filter.ts'
import { joinedTags } from './tags/tags.filter.ts'

export interface DeviceRow {
  id: string
  team_id: string
  name: string
  type: string
  /** Name and type in lower case, for searching. */
  search_key: string
  /** Kept while that instance is deleted and can be had back; until then the device counts as assigned to none. */
  instance_id: string | null
  /** The snapshot it runs, as its agent reports. */
  active_snapshot_id: string | null
  status: string
  /** Why its flows do not run, StoredTrouble as JSON; null: they run, or its agent does not say. */
  trouble: string | null
  agent_version: string | null
  /** As its agent says them; null: it does not. */
  nodejs_version: string | null
  nodered_version: string | null
  last_seen_at: number | null
  /** The target its agent did not take, RefusedTarget as JSON. */
  refused: string | null
  mode: Device['mode']
  /** Hash of the token of its tunnel; null: editor access is off. */
  editor_token_hash: string | null
  /** When its agent was last asked to open the tunnel. */
  editor_asked_at: number | null
  /** 1 while its agent holds the tunnel open. */
  editor_connected: Flag
  /** Takeover setting for new targets. */
  takeover: TakeoverSetting
  /** The last attempt of its agent at a target, DeviceAttempt as JSON, and when that was heard of. */
  last_deployment: string | null
  deployment_reported_at: number | null
  /** The open resources of its Node-RED, FlowsOpens as JSON. */
  opens: string | null
  /** The settings of its Node-RED, DeviceNodeRed as JSON without what is null; null: none. */
  nodered: string | null
  /** The memory limit of its Node-RED as its agent reports it, DeviceMemoryLimit as JSON; null: it does not. */
  memory_limit: string | null
  /** The installation of the agent that called last; null: it does not say. */
  agent_id: string | null
  /** An AgentUpdater, as its agent says it; null: it does not. */
  agent_updater: string | null
  /** The order its agent has not answered yet, AgentOrder with its time as JSON. */
  agent_order: string | null
  /** Result of the last order, AgentUpdate with its time as JSON. */
  agent_update: string | null
  /** 'running' or 'suspended', as people told its agent; null: nobody did. */
  target_state: string | null
  /** The id of the event that its agent reported last for the audit log; null: none that had one. */
  audit_report: string | null
  /** When another installation called while that one did. */
  shared_at: number | null
  /** Its variables, EnvEntry[] as JSON, sealed; null: none. */
  env: string | null
  /** The hash of name, type, variables and settings of Node-RED. */
  settings_hash: string
  token_hash: string
  /** Sealed. */
  credential_secret: string
  /** The provisioning token with which it registered, which may be gone; null: a person added it. */
  registered_by: string | null
  created_at: number
  updated_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    devices: DeviceRow
    /** Written by triggers, when a device goes or gets another token. */
    revoked_device_tokens: { hash: string }
  }
}

/** A device with its team and the caller's roles, in one query. */
export async function loadDevice(db: Db, id: string, userId: string) {
  return db
    .selectFrom('devices as device')
    .innerJoin('teams as team', 'team.id', 'device.team_id')
    .leftJoin('team_members as member', (join) =>
      join.onRef('member.team_id', '=', 'device.team_id').on('member.user_id', '=', userId),
    )
    .leftJoin('instances as instance', (join) =>
      join.onRef('instance.id', '=', 'device.instance_id').on('instance.deleted_at', 'is', null),
    )
    .leftJoin('application_members as own', (join) =>
      join.onRef('own.application_id', '=', 'instance.application_id').on('own.user_id', '=', userId),
    )
    .selectAll('device')
    .select(['team.name as team_name', 'team.slug as team_slug', 'member.role', 'own.role as application_role'])
    .where('device.id', '=', id)
    .executeTakeFirst()
}

function whole(db: Db) {
  return db
    .selectFrom('devices as device')
    .innerJoin('teams as team', 'team.id', 'device.team_id')
    .leftJoin('instances as instance', (join) =>
      join.onRef('instance.id', '=', 'device.instance_id').on('instance.deleted_at', 'is', null),
    )
    .leftJoin('applications as application', 'application.id', 'instance.application_id')
    .leftJoin('device_targets as target', 'target.instance_id', 'instance.id')
    .leftJoin('snapshots as wanted', 'wanted.id', 'target.snapshot_id')
    .leftJoin('snapshots as active', 'active.id', 'device.active_snapshot_id')
    .selectAll('device')
    .select(['team.name as team_name', 'team.slug as team_slug', 'target.snapshot_id as wanted_id'])
    .select([
      'instance.id as assigned_id',
      'instance.name as instance_name',
      'instance.settings as instance_settings',
      'instance.on_errors as instance_on_errors',
      'instance.port as instance_port',
      'instance.replicas as instance_replicas',
      'instance.created_at as instance_created_at',
      'instance.updated_at as instance_updated_at',
      'instance.application_id',
      'application.name as application_name',
    ])
    .select(['wanted.name as wanted_name', 'wanted.description as wanted_description'])
    .select(['active.name as active_name', 'active.description as active_description'])
    .select(joinedTags.as('tags'))
}
/** A device with everything its view names; `assigned_id` is the instance it is assigned to now. */
export type WholeDevice = Awaited<ReturnType<typeof listDevices>>[number]

/** A device, for a call of a person. */
export async function findDevice(db: Db, id: string): Promise<WholeDevice | undefined> {
  return whole(db).where('device.id', '=', id).executeTakeFirst()
}

/** With the template of its instance, as its agent is told of both. */
const withTemplate = (db: Db) =>
  whole(db)
    .leftJoin('templates as template', 'template.id', 'instance.template_id')
    .select(['template.settings as template_settings', 'template.policy as template_policy'])
export type ToldDevice = NonNullable<Awaited<ReturnType<typeof findToldDevice>>>

/** A device, for a call of its agent. */
export async function findToldDevice(db: Db, id: string) {
  return withTemplate(db).where('device.id', '=', id).executeTakeFirst()
}

/** These devices, and all of these instances. Any number: they are read in parts. */
export async function findTold(db: Db, ids: readonly string[], instances: readonly string[]): Promise<ToldDevice[]> {
  const found = new Map<string, ToldDevice>()
  for (let at = 0; at < ids.length; at += told) {
    const rows = await withTemplate(db)
      .where('device.id', 'in', ids.slice(at, at + told))
      .execute()
    for (const row of rows) found.set(row.id, row)
  }
  for (let after: string | undefined = ''; instances.length > 0 && after !== undefined; ) {
    const rows: ToldDevice[] = await withTemplate(db)
      .where('device.instance_id', 'in', instances)
      .where('device.id', '>', after)
      .orderBy('device.id')
      .limit(told)
      .execute()
    for (const row of rows) found.set(row.id, row)
    after = rows.length === told ? rows.at(-1)?.id : undefined
  }
  return [...found.values()]
}
const told = 500

/** In the order of creation. */
export async function listDevices(db: Db, filter: DeviceFilter, page: Portion) {
  let rows = whole(db).where(matching(filter)).orderBy('device.id').limit(page.limit)
  if (page.cursor) rows = rows.where('device.id', '>', page.cursor)
  return rows.execute()
}

/** An instance's devices with what they run, for a check before a new target. */
export async function listTargeted(db: Db, instanceId: string) {
  return db
    .selectFrom('devices as device')
    .leftJoin('snapshots as active', 'active.id', 'device.active_snapshot_id')
    .select(['device.id', 'device.name', 'device.env', 'device.nodejs_version', 'device.active_snapshot_id'])
    .select([
      'device.status',
      'device.agent_id',
      'device.takeover',
      'device.opens',
      'device.nodered',
      'active.flows_hash',
    ])
    .where('device.instance_id', '=', instanceId)
    .orderBy('device.id')
    .limit(10_000)
    .execute()
}
export type TargetedRow = Awaited<ReturnType<typeof listTargeted>>[number]

export async function countDevices(db: Db, filter: DeviceFilter): Promise<number> {
  const rows = db.selectFrom('devices as device').where(matching(filter))
  const { n } = await rows.select((count) => count.fn.countAll<number>().as('n')).executeTakeFirstOrThrow()
  return Number(n)
}

const ofTeam = (db: Db, teamId: string, ids: readonly string[]) =>
  db.selectFrom('devices').selectAll().where('team_id', '=', teamId).where('id', 'in', ids).orderBy('id')

/** The devices of the team among these ids. */
export async function findOfTeam(db: Db, teamId: string, ids: readonly string[]): Promise<DeviceRow[]> {
  return ofTeam(db, teamId, ids).execute()
}

/** The same, locked until the transaction ends. */
export async function lockDevices(
  tx: Tx,
  teamId: string,
  ids: readonly string[],
  postgres: boolean,
): Promise<DeviceRow[]> {
  const rows = ofTeam(tx, teamId, ids)
  return (postgres ? rows.forUpdate() : rows).execute()
}

export async function updateDevices<Change extends Partial<DeviceRow>>(
  tx: Tx,
  ids: readonly string[],
  change: ChangeOf<DeviceRow, Change>,
): Promise<void> {
  if (ids.length > 0) await tx.updateTable('devices').set(change).where('id', 'in', ids).execute()
}

export async function deleteDevices(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom('devices').where('id', 'in', ids).execute()
}

/** The device a token belongs to. */
export async function findByToken(db: Db, hash: string) {
  return db.selectFrom('devices').select(['id', 'team_id']).where('token_hash', '=', hash).executeTakeFirst()
}

/** Did a device have this token, which was taken from it? */
export async function isRevoked(db: Db, hash: string): Promise<boolean> {
  const row = await db.selectFrom('revoked_device_tokens').select('hash').where('hash', '=', hash).executeTakeFirst()
  return row !== undefined
}

export async function insertDevice(tx: Tx, row: DeviceRow): Promise<void> {
  await tx.insertInto('devices').values(row).execute()
}

/** The device as of now, which nobody else changes until the transaction ends. */
export async function lockDevice(tx: Tx, id: string, postgres: boolean): Promise<DeviceRow | undefined> {
  const rows = tx.selectFrom('devices').selectAll().where('id', '=', id)
  return (postgres ? rows.forUpdate() : rows).executeTakeFirst()
}

export async function updateDevice<Change extends Partial<DeviceRow>>(
  tx: Tx,
  id: string,
  change: ChangeOf<DeviceRow, Change>,
): Promise<void> {
  await tx.updateTable('devices').set(change).where('id', '=', id).execute()
}

/** False when it is gone already. */
export async function deleteDevice(tx: Tx, id: string): Promise<boolean> {
  return (await tx.deleteFrom('devices').where('id', '=', id).executeTakeFirst()).numDeletedRows === 1n
}

/** The devices among these that exist. */
export async function existing(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.selectFrom('devices').select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}

/** Is there a snapshot of this id in this team? A device may say anything. */
export async function hasSnapshot(db: Db, teamId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('snapshots as snapshot')
    .innerJoin('instances as instance', 'instance.id', 'snapshot.instance_id')
    .select('snapshot.id')
    .where('snapshot.id', '=', id)
    .where('instance.team_id', '=', teamId)
    .executeTakeFirst()
  return row !== undefined
}

/** The existing instances among these, by id. */
export async function instancesOf(db: Db, ids: readonly (string | null)[]) {
  const named = ids.filter((id) => id !== null)
  if (named.length === 0) return new Map<string, never>()
  const rows = await db
    .selectFrom('instances')
    .select(['id', 'name', 'team_id', 'application_id'])
    .where('id', 'in', named)
    .where('deleted_at', 'is', null)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Whether this event of a device is another than the one that its agent reported last. */
export async function takeReport(tx: Tx, id: string, report: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('devices')
    .set({ audit_report: report })
    .where('id', '=', id)
    .where((where) => where.or([where('audit_report', 'is', null), where('audit_report', '<>', report)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
