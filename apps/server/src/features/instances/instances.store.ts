import type { DriverState, EnvironmentKind, TakeoverSetting } from '@app/contract'
import type { ChangeOf } from '../../platform/db/columns.ts'
import type { Db, Flag, Tx } from '../../platform/db/tables.ts'
import type { Standing } from '../application-members/index.ts'
import { ownSettings } from '../catalogue/index.ts'

export interface InstanceRow {
  id: string
  team_id: string
  application_id: string
  name: string
  /** Lower case; names are unique platform-wide regardless of case, since they are host names. */
  name_key: string
  /** Where it answers on a platform that gives ports in the place of names; null: it never had one. */
  port: number | null
  type_id: string
  stack_id: string
  template_id: string
  settings: string
  /** Counts the changes of settings, those of the template included. */
  settings_revision: number
  /** The revision that the processes were started with. */
  settings_running: number
  /** Counts the changes of who reaches the addresses of flows. */
  access_revision: number
  /** The revision that the processes enforce; while it is behind, nobody reaches the instance. */
  access_running: number
  /** Why it was started with the modules that it had, in a sentence; null: it has those of its list. */
  modules_fault: string | null
  wanted: 'running' | 'stopped' | 'suspended'
  /** The platform's current operation, until the lease in `in_flight_until` ends. */
  in_flight: string | null
  in_flight_until: number
  /** The state the driver saw last. */
  observed: DriverState
  reason: string | null
  /** The driver's reaction to a crash; JSON. */
  restart: string | null
  versions: string | null
  last_start_at: number | null
  flows_updated_at: number | null
  /** When it was last asked something, to the minute. */
  last_used_at: number | null
  /** 1 while it is suspended only until somebody asks it something. */
  asleep: Flag
  /** Why its flows must not fall asleep, in a sentence; null when nothing is against it. */
  sleep_obstacle: string | null
  /** The health check of new contents, an InstanceCheck as JSON; null: none. */
  health_check: string | null
  /** Shown in the editor; null: as the stages of pipelines say. */
  environment: EnvironmentKind | null
  /** Do new contents with errors that those before did not have pass? */
  on_errors: 'pass' | 'refuse'
  /** Why its flows do not run although it does, a FlowsStopped as JSON; null: they do, or it does not run. */
  flows_stopped: string | null
  /** Takeover setting for new contents. */
  takeover: TakeoverSetting
  credential_secret: string
  /** Number of processes it is to have; null: one, without high availability. */
  replicas: number | null
  /** Its processes as the driver saw them last, if there are several; JSON. */
  members: string | null
  /** The people who have the editor open, an OpenEditors as JSON; valid while the process that reported it runs. */
  open_editors: string | null
  /** Sealed: token and client of its processes, for a further one. */
  access: string | null
  /** The addresses that its process was told when it started; null: it was started by an earlier version, or never. */
  started_as: string | null
  client_id: string | null
  client_secret_hash: string | null
  created_at: number
  updated_at: number
  /** When it was deleted, by the name of whom; it is kept for a while, and nothing but deleted.store.ts sees it. */
  deleted_at: number | null
  deleted_by: string | null
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    instances: InstanceRow
  }
}

/** The columns a status needs. */
const brief = [
  'id',
  'team_id',
  'application_id',
  'name',
  'port',
  'wanted',
  'in_flight',
  'in_flight_until',
  'observed',
  'reason',
  'restart',
  'versions',
  'last_start_at',
  'flows_updated_at',
  'asleep',
  'replicas',
  'members',
  'settings_revision',
  'settings_running',
  'access_revision',
  'access_running',
  'modules_fault',
  'open_editors',
  'flows_stopped',
  'started_as',
] as const
export const briefColumns = brief
export type BriefInstance = Pick<InstanceRow, (typeof brief)[number]>

/** An instance with the caller's roles, in one query. */
export async function loadInstance(db: Db, id: string, userId: string): Promise<(InstanceRow & Standing) | undefined> {
  return db
    .selectFrom('instances as instance')
    .leftJoin('team_members as member', (join) =>
      join.onRef('member.team_id', '=', 'instance.team_id').on('member.user_id', '=', userId),
    )
    .leftJoin('application_members as own', (join) =>
      join.onRef('own.application_id', '=', 'instance.application_id').on('own.user_id', '=', userId),
    )
    .selectAll('instance')
    .select(['member.role', 'own.role as application_role'])
    .where('instance.id', '=', id)
    .where('instance.deleted_at', 'is', null)
    .executeTakeFirst()
}

export async function findInstance(db: Db, id: string): Promise<InstanceRow | undefined> {
  return db.selectFrom('instances').selectAll().where('id', '=', id).where('deleted_at', 'is', null).executeTakeFirst()
}

export async function findByName(db: Db, nameKey: string): Promise<BriefInstance | undefined> {
  return db
    .selectFrom('instances')
    .select(brief)
    .where('name_key', '=', nameKey)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** The instance as of now, which nobody else changes until the transaction ends. */
export async function lockInstance(tx: Tx, id: string, postgres: boolean): Promise<InstanceRow | undefined> {
  const rows = tx.selectFrom('instances').selectAll().where('id', '=', id).where('deleted_at', 'is', null)
  return (postgres ? rows.forUpdate() : rows).executeTakeFirst()
}

/**
 * The name of an application of this team, with the caller's roles, which nobody deletes until the transaction ends;
 * undefined for what is none of it.
 */
export async function holdApplicationOf(
  tx: Tx,
  { teamId, id, userId, postgres }: { teamId: string; id: string; userId: string; postgres: boolean },
) {
  const found = tx
    .selectFrom('applications')
    .leftJoin('team_members as member', (join) =>
      join.onRef('member.team_id', '=', 'applications.team_id').on('member.user_id', '=', userId),
    )
    .leftJoin('application_members as own', (join) =>
      join.onRef('own.application_id', '=', 'applications.id').on('own.user_id', '=', userId),
    )
    .select(['applications.id', 'applications.name', 'member.role', 'own.role as application_role'])
    .where('applications.id', '=', id)
    .where('applications.team_id', '=', teamId)
    .where('applications.deleted_at', 'is', null)
  return (postgres ? found.forShare('applications') : found).executeTakeFirst()
}

export async function findByClient(db: Db, clientId: string): Promise<InstanceRow | undefined> {
  return db
    .selectFrom('instances')
    .selectAll()
    .where('client_id', '=', clientId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** Every instance, the one that was used or changed last first. */
export async function listAllBrief(db: Db): Promise<BriefInstance[]> {
  const rows = await db
    .selectFrom('instances')
    .select(brief)
    .select('last_used_at')
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc')
    .execute()
  const used = (row: (typeof rows)[number]) => Math.max(row.last_used_at ?? 0, row.flows_updated_at ?? 0)
  return rows.sort((a, b) => used(b) - used(a))
}

/** Records that these instances were used just now. */
export async function touchInstances(db: Db, ids: readonly string[], now: number): Promise<void> {
  await db.updateTable('instances').set({ last_used_at: now }).where('id', 'in', ids).execute()
}

/** The facts that decide whether an instance may fall asleep, for these or for all that run. */
export async function listSleepers(db: Db, ids?: readonly string[]) {
  const rows = db
    .selectFrom('instances as instance')
    .innerJoin('templates as template', 'template.id', 'instance.template_id')
    .select([
      'instance.id',
      'instance.team_id',
      'instance.wanted',
      'instance.in_flight',
      'instance.observed',
      'instance.flows_updated_at',
      'instance.sleep_obstacle',
      'instance.settings',
      'template.settings as template_settings',
      'template.policy as template_policy',
    ])
    .where('instance.observed', '=', 'running')
    .where('instance.deleted_at', 'is', null)
  return (ids ? rows.where('instance.id', 'in', ids) : rows).execute()
}
export type Sleeper = Awaited<ReturnType<typeof listSleepers>>[number]

/** False when the name was taken in the meantime. */
export async function insertInstance(tx: Tx, row: InstanceRow): Promise<boolean> {
  const result = await tx
    .insertInto('instances')
    .values(row)
    .onConflict((conflict) => conflict.column('name_key').doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export async function updateInstance<Change extends Partial<InstanceRow>>(
  tx: Tx,
  id: string,
  change: ChangeOf<InstanceRow, Change>,
): Promise<BriefInstance | undefined> {
  return tx.updateTable('instances').set(change).where('id', '=', id).returning(brief).executeTakeFirst()
}

/** Counts a change of the settings of all instances of a template; returns those that run. */
export async function countTemplateChange(tx: Tx, templateId: string, isAccess: boolean): Promise<BriefInstance[]> {
  return tx
    .updateTable('instances')
    .set((row) => ({
      settings_revision: row('settings_revision', '+', 1),
      ...(isAccess ? { access_revision: row('access_revision', '+', 1) } : {}),
    }))
    .where('template_id', '=', templateId)
    .where('deleted_at', 'is', null)
    .returning(brief)
    .execute()
}

/** The instances that run without the protection that they should have. */
export async function listUnprotected(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('instances')
    .select('id')
    .whereRef('access_running', '<', 'access_revision')
    .where('observed', 'in', ['running', 'safe'])
    .where('deleted_at', 'is', null)
    .execute()
  return rows.map(({ id }) => id)
}

/** The states an operation may start from: any, any but suspended by a person, any but running, running, asleep. */
export type From = 'any' | 'awake' | 'idle' | 'running' | 'asleep'

/** Records what the platform is about to do; undefined when it is doing something else already or starts from elsewhere. */
export async function beginOperation(
  tx: Tx,
  id: string,
  change: { state: string; from: From; asleep?: Flag; now: number; until: number },
): Promise<BriefInstance | undefined> {
  const { state, from, asleep, now, until } = change
  let rows = tx
    .updateTable('instances')
    .set({ in_flight: state, in_flight_until: until, updated_at: now, ...(asleep === undefined ? {} : { asleep }) })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('in_flight', 'is', null), where('in_flight_until', '<=', now)]))
  if (from === 'awake')
    rows = rows.where((where) => where.or([where('wanted', '!=', 'suspended'), where('asleep', '=', 1)]))
  if (from === 'running') rows = rows.where('wanted', '=', 'running').where('observed', '=', 'running')
  if (from === 'asleep') rows = rows.where('wanted', '=', 'suspended').where('asleep', '=', 1)
  if (from === 'idle') {
    rows = rows.where((where) => where.or([where('wanted', '=', 'suspended'), where('observed', '!=', 'running')]))
  }
  return rows.returning(brief).executeTakeFirst()
}

/** Number of running instances that were told other addresses than those of today; `told` gives what one is told. */
export async function countMoved(db: Db, told: (row: Pick<InstanceRow, 'name' | 'port'>) => string): Promise<number> {
  const rows = await db
    .selectFrom('instances')
    .select(['name', 'port', 'started_as'])
    .where('observed', 'in', ['running', 'safe'])
    .where('started_as', 'is not', null)
    .where('deleted_at', 'is', null)
    .execute()
  return rows.filter((row) => row.started_as !== told(row)).length
}

export async function deleteInstance(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('instances').where('id', '=', id).execute()
}

/** Gives the instances of a template these modules, where they have none of their own. */
export async function keepModules(tx: Tx, templateId: string, modules: readonly object[]): Promise<void> {
  const rows = await tx
    .selectFrom('instances')
    .select(['id', 'settings'])
    .where('template_id', '=', templateId)
    .execute()
  for (const row of rows) {
    const own = ownSettings(row)
    if (own.palette?.modules) continue
    const settings = JSON.stringify({ ...own, palette: { ...own.palette, modules } })
    await tx.updateTable('instances').set({ settings }).where('id', '=', row.id).execute()
  }
}
