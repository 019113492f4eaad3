import type { Reach } from '../../platform/authz/reach.ts'
import { contains } from '../../platform/db/like.ts'
import type { Portion } from '../../platform/db/page.ts'
import { prepared } from '../../platform/db/prepared.ts'
import type { Db } from '../../platform/db/tables.ts'
import { within } from '../application-members/index.ts'
import { type BriefInstance, briefColumns as brief, type InstanceRow } from './instances.store.ts'

/** The columns shown of an instance's team, type and stack. */
const joined = [
  'team.name as team_name',
  'team.slug as team_slug',
  'type.name as type_name',
  'type.driver as type_driver',
  'stack.name as stack_name',
  'stack.label as stack_label',
  'stack.properties as stack_properties',
  'stack.replaced_by as stack_replaced_by',
  'target.id as target_id',
  'target.name as target_name',
  'target.description as target_description',
] as const

function whole(db: Db) {
  return db
    .selectFrom('instances as instance')
    .innerJoin('applications as application', 'application.id', 'instance.application_id')
    .innerJoin('teams as team', 'team.id', 'instance.team_id')
    .innerJoin('instance_types as type', 'type.id', 'instance.type_id')
    .innerJoin('stacks as stack', 'stack.id', 'instance.stack_id')
    .innerJoin('templates as template', 'template.id', 'instance.template_id')
    .leftJoin('device_targets', 'device_targets.instance_id', 'instance.id')
    .leftJoin('snapshots as target', 'target.id', 'device_targets.snapshot_id')
    .selectAll('instance')
    .select([
      'application.name as application_name',
      ...joined,
      'template.name as template_name',
      'template.description as template_description',
      'template.settings as template_settings',
      'template.policy as template_policy',
    ])
    .where('instance.deleted_at', 'is', null)
}
export type WholeInstance = NonNullable<Awaited<ReturnType<typeof findWhole>>>

/** An instance with everything its view names. */
export async function findWhole(db: Db, id: string) {
  return whole(db).where('instance.id', '=', id).executeTakeFirst()
}

/** The existing instances among these, in no order. */
export async function listByIds(db: Db, ids: readonly string[]): Promise<WholeInstance[]> {
  return ids.length === 0 ? [] : whole(db).where('instance.id', 'in', ids).execute()
}

export interface Page extends Portion {
  text?: string | undefined
}

/** The instances of a team that are within reach. */
export interface TeamReach {
  teamId: string
  reach: Reach
}

/** A page of the instances of a team within reach, oldest first, with their applications. */
function pageOfTeam(db: Db, { teamId, reach }: TeamReach, page: Page) {
  let rows = db
    .selectFrom('instances as instance')
    .innerJoin('applications as application', 'application.id', 'instance.application_id')
    .select('application.name as application_name')
    .where('instance.team_id', '=', teamId)
    .where('instance.deleted_at', 'is', null)
    .orderBy('instance.id')
    .limit(page.limit)
  const limits = within(reach, 'instance.application_id')
  if (limits) rows = rows.where(limits)
  if (page.cursor) rows = rows.where('instance.id', '>', page.cursor)
  const { text } = page
  if (text) rows = rows.where((row) => contains(row.ref('instance.name_key'), text))
  return rows
}

/** The columns of its own row that the view of an instance shows, besides those of a list. */
const shown = [
  'type_id',
  'stack_id',
  'template_id',
  'sleep_obstacle',
  'health_check',
  'environment',
  'on_errors',
  'takeover',
] as const
type Joined = Exclude<keyof WholeInstance, keyof InstanceRow>
export type ListedInstance = BriefInstance & SummaryInstance & { application_name: string }
export type ViewedInstance = ListedInstance & Pick<WholeInstance, (typeof shown)[number] | Joined>

/** As a list shows them. */
export async function listListed(db: Db, of: TeamReach, page: Page): Promise<ListedInstance[]> {
  return pageOfTeam(db, of, page).select(ofInstance(listed)).execute()
}

/** Whole. Their templates, which are long and few, are read once each. */
export async function listWhole(db: Db, of: TeamReach, page: Page): Promise<ViewedInstance[]> {
  const rows = await pageOfTeam(db, of, page)
    .innerJoin('teams as team', 'team.id', 'instance.team_id')
    .innerJoin('instance_types as type', 'type.id', 'instance.type_id')
    .innerJoin('stacks as stack', 'stack.id', 'instance.stack_id')
    .leftJoin('device_targets', 'device_targets.instance_id', 'instance.id')
    .leftJoin('snapshots as target', 'target.id', 'device_targets.snapshot_id')
    .select(ofInstance([...listed, ...shown]))
    .select(joined)
    .execute()
  const templates = await templatesOf(db, [...new Set(rows.map(({ template_id }) => template_id))])
  return rows.map((row) => Object.assign(row, templates.get(row.template_id)!))
}

async function templatesOf(db: Db, ids: string[]) {
  if (ids.length === 0) return new Map<string, never>()
  const rows = await db
    .selectFrom('templates')
    .select([
      'id',
      'name as template_name',
      'description as template_description',
      'settings as template_settings',
      'policy as template_policy',
    ])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, ...template }) => [id, template]))
}

/** Number of instances of a team within reach, or of those among them with this text in their name. */
export async function countOfTeam(db: Db, { teamId, reach }: TeamReach, text?: string): Promise<number> {
  let rows = db.selectFrom('instances').where('team_id', '=', teamId).where('deleted_at', 'is', null)
  const limits = within(reach, 'application_id')
  if (limits) rows = rows.where(limits)
  if (text) rows = rows.where((row) => contains(row.ref('name_key'), text))
  const row = await rows.select((count) => count.fn.countAll<number>().as('n')).executeTakeFirstOrThrow()
  return Number(row.n)
}

/** The columns a list of names needs. Each column of a long list costs as much as computing with it. */
const summary = ['id', 'application_id', 'name', 'port', 'settings', 'replicas', 'created_at', 'updated_at'] as const
export type SummaryInstance = Pick<InstanceRow, (typeof summary)[number]>

const listed = [...new Set([...brief, ...summary])]
const ofInstance = <K extends keyof InstanceRow>(columns: readonly K[]) =>
  columns.map((column) => `instance.${column}` as const)

export type Owner = TeamReach | { applicationId: string }

const ownedBy = (owner: Owner) =>
  'teamId' in owner
    ? ({ column: 'team_id', id: owner.teamId, limits: within(owner.reach, 'application_id') } as const)
    : ({ column: 'application_id', id: owner.applicationId, limits: undefined } as const)

/** Lists the instances of a team within reach, or of an application, oldest first. */
function lister<K extends keyof InstanceRow>(columns: readonly K[]) {
  const rows = (db: Db, column: 'team_id' | 'application_id', id: string) =>
    db.selectFrom('instances').select(columns).where(column, '=', id).where('deleted_at', 'is', null).orderBy('id')
  const whole = (column: 'team_id' | 'application_id') =>
    prepared((db, { id }: { id: string }) => rows(db, column, id).$castTo<Pick<InstanceRow, K>>())
  const wholeOf = { team_id: whole('team_id'), application_id: whole('application_id') }
  return async (db: Db, owner: Owner): Promise<Pick<InstanceRow, K>[]> => {
    const { column, id, limits } = ownedBy(owner)
    if (!limits) return wholeOf[column](db, { id })
    return rows(db, column, id).where(limits).$castTo<Pick<InstanceRow, K>>().execute()
  }
}

/** As far as a list of names needs them. */
export const listSummaries = lister(summary)

/** As far as their states need them. */
export const listBrief = lister(brief)
