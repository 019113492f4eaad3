import { limited } from '@app/contract'
import { type NotNull, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Reach } from '../../platform/authz/reach.ts'
import { forgetDefaultTeam, type PersonRow, joinedPerson } from '../account/index.ts'
import { within } from '../application-members/index.ts'
import type { ChangeOf } from '../../platform/db/columns.ts'
import { prepared } from '../../platform/db/prepared.ts'
import type { Portion } from '../../platform/db/page.ts'
import type { Db, Flag, Tx } from '../../platform/db/tables.ts'
import { addWords, matchWords, replaceWords, type WordIndex } from '../../platform/db/words.ts'

export interface TeamRow {
  id: string
  name: string
  slug: string
  type_id: string
  created_at: number
  updated_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    teams: TeamRow
    team_words: { team_id: string; word: string }
    team_members: { team_id: string; user_id: string; role: number; created_at: number }
  }
}

const teamBy = (column: 'team.id' | 'team.slug') =>
  prepared((db, { value, userId }: { value: string; userId: string }) =>
    db
      .selectFrom('teams as team')
      .leftJoin('team_members as member', (join) =>
        join.onRef('member.team_id', '=', 'team.id').on('member.user_id', '=', userId),
      )
      .selectAll('team')
      .select('member.role')
      .where(column, '=', value),
  )
const [teamById, teamBySlug] = [teamBy('team.id'), teamBy('team.slug')]

/** A team with the caller's role in it, in one query. */
export async function loadTeam(
  db: Db,
  key: { id: string } | { slug: string },
  userId: string,
): Promise<(TeamRow & { role: number | null }) | undefined> {
  const [rows, value] = 'id' in key ? [teamById, key.id] : [teamBySlug, key.slug]
  return (await rows(db, { value, userId }))[0]
}

/** The words by which teams are found: those of their name and slug, and the id. */
const teamWords: WordIndex = { table: 'team_words', id: 'team_id' }

export type TeamWithCounts = TeamRow & {
  member_count: number
  instance_count: number
  type_name: string
  type_description: string
  type_active: Flag
  type_position: number
  type_properties: string
  /** Null: it never had a subscription, or a trial. */
  billing_status: string | null
  billing_trial_ends_at: number | null
}

/** Conditions that narrow the counts of a team. */
interface Counted {
  members?: RawBuilder<SqlBool>
  instances?: RawBuilder<SqlBool>
}
const everything = sql<SqlBool>`1 = 1`

function withCounts(db: Db, { members = everything, instances = everything }: Counted = {}) {
  return db
    .selectFrom('teams as team')
    .innerJoin('team_types as type', 'type.id', 'team.type_id')
    .leftJoin('subscriptions as subscription', 'subscription.team_id', 'team.id')
    .selectAll('team')
    .select([
      'subscription.status as billing_status',
      'subscription.trial_ends_at as billing_trial_ends_at',
      'type.name as type_name',
      'type.description as type_description',
      'type.active as type_active',
      'type.position as type_position',
      'type.properties as type_properties',
    ])
    .select((q) => [
      q
        .selectFrom('team_members')
        .whereRef('team_id', '=', 'team.id')
        .where(members)
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('member_count'),
      q
        .selectFrom('instances')
        .whereRef('team_id', '=', 'team.id')
        .where('deleted_at', 'is', null)
        .where(instances)
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('instance_count'),
    ])
    .$narrowType<{ member_count: NotNull; instance_count: NotNull }>()
}

/** A team, with the counts of what is within reach: of its members, a limited one knows only themselves. */
export async function findTeam(db: Db, id: string, reach: Reach): Promise<TeamWithCounts | undefined> {
  const limits = within(reach, 'application_id')
  const counted =
    reach === 'all' || !limits ? {} : { members: sql<SqlBool>`user_id = ${reach.userId}`, instances: limits }
  return withCounts(db, counted).where('team.id', '=', id).executeTakeFirst()
}

/** A page of all teams, oldest first, and how many there are; those that a text finds if one is given. */
export async function listAllTeams(
  db: Db,
  page: Portion & { text: string },
): Promise<{ rows: TeamWithCounts[]; count: number }> {
  const match = page.text === '' ? undefined : await matchWords(db, teamWords, page.text)
  let rows = withCounts(db).orderBy('team.id').limit(page.limit)
  if (page.cursor) rows = rows.where('team.id', '>', page.cursor)
  if (match) rows = rows.where(match.holds('team.id'))
  const count = match ? match.count : await countTeams(db)
  return { rows: await rows.execute(), count }
}

export async function countTeams(db: Db): Promise<number> {
  const row = await db
    .selectFrom('teams')
    .select((count) => count.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return Number(row.n)
}

export type TeamOfUser = TeamWithCounts & { role: number; application_roles: number }

/** The teams of a person, with the number of their roles in single applications of each. */
export async function listTeamsOf(db: Db, userId: string): Promise<TeamOfUser[]> {
  const inReach = within({ userId }, 'application_id')
  const unlessLimited = (condition: RawBuilder<SqlBool>) => sql<SqlBool>`(mine.role <> ${limited} or ${condition})`
  return withCounts(db, {
    members: unlessLimited(sql`user_id = ${userId}`),
    ...(inReach && { instances: unlessLimited(inReach) }),
  })
    .innerJoin('team_members as mine', 'mine.team_id', 'team.id')
    .select('mine.role')
    .select((q) =>
      q
        .selectFrom('application_members')
        .whereRef('team_id', '=', 'team.id')
        .where('user_id', '=', userId)
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('application_roles'),
    )
    .$narrowType<{ application_roles: NotNull }>()
    .where('mine.user_id', '=', userId)
    .orderBy('team.id')
    .execute()
}

export async function slugTaken(db: Db, slug: string, exceptId?: string): Promise<boolean> {
  const team = await db.selectFrom('teams').select('id').where('slug', '=', slug).executeTakeFirst()
  return team !== undefined && team.id !== exceptId
}

/** False when the slug was taken in the meantime. */
export async function insertTeam(tx: Tx, row: TeamRow): Promise<boolean> {
  const result = await tx
    .insertInto('teams')
    .values(row)
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .executeTakeFirst()
  const inserted = result.numInsertedOrUpdatedRows === 1n
  if (inserted) await addWords(tx, teamWords, row.id, [row.name, row.slug, row.id])
  return inserted
}

/** Changes these columns of a team, and the words by which it is found. */
export async function updateTeam<Change extends Partial<TeamRow>>(
  tx: Tx,
  id: string,
  change: ChangeOf<TeamRow, Change>,
): Promise<void> {
  const team = await tx
    .updateTable('teams')
    .set(change)
    .where('id', '=', id)
    .returning(['name', 'slug'])
    .executeTakeFirst()
  if (team) await replaceWords(tx, teamWords, id, [team.name, team.slug, id])
}

export async function insertMember(
  tx: Tx,
  member: { team_id: string; user_id: string; role: number; created_at: number },
): Promise<void> {
  await tx.insertInto('team_members').values(member).execute()
}

export async function findRole(db: Db, teamId: string, userId: string): Promise<number | undefined> {
  return (
    await db
      .selectFrom('team_members')
      .select('role')
      .where('team_id', '=', teamId)
      .where('user_id', '=', userId)
      .executeTakeFirst()
  )?.role
}

export async function listTeamIdsOf(
  db: Db,
  userIds: readonly string[],
  atLeast: number,
): Promise<{ user_id: string; team_id: string; role: number }[]> {
  if (userIds.length === 0) return []
  return db
    .selectFrom('team_members')
    .select(['user_id', 'team_id', 'role'])
    .where('user_id', 'in', userIds)
    .where('role', '>=', atLeast)
    .execute()
}

/** The members of a team; only this one when `userId` is given. */
export async function listMembers(db: Db, teamId: string, userId?: string): Promise<(PersonRow & { role: number })[]> {
  const members = db
    .selectFrom('team_members as member')
    .innerJoin('users as user', 'user.id', 'member.user_id')
    .select(joinedPerson)
    .select('member.role')
    .where('member.team_id', '=', teamId)
    .orderBy('user.name')
    .orderBy('user.id')
  return (userId === undefined ? members : members.where('member.user_id', '=', userId)).execute()
}

/** The members among these people, with their names. */
export async function listMembersAmong(db: Db, teamId: string, userIds: readonly string[]) {
  if (userIds.length === 0) return []
  return db
    .selectFrom('team_members as member')
    .innerJoin('users as user', 'user.id', 'member.user_id')
    .select(['user.id', 'user.username', 'user.name'])
    .where('member.team_id', '=', teamId)
    .where('user.id', 'in', userIds)
    .orderBy('user.username')
    .execute()
}

/** Slugs that are this one or begin with it and a dash, and maybe more. */
export async function slugsLike(db: Db, slug: string): Promise<string[]> {
  const rows = await db
    .selectFrom('teams')
    .select('slug')
    .where((where) => where.or([where('slug', '=', slug), where('slug', 'like', `${slug}-%`)]))
    .execute()
  return rows.map((row) => row.slug)
}

/** The applications of a team that are there, and the instances that were deleted and can still be had back. */
export async function leftoversOf(db: Db, teamId: string): Promise<{ applications: boolean; deleted: boolean }> {
  const inTeam = (table: 'applications' | 'instances') =>
    db.selectFrom(table).select('id').where('team_id', '=', teamId)
  const applications = await inTeam('applications').where('deleted_at', 'is', null).executeTakeFirst()
  const deleted = await inTeam('instances').where('deleted_at', 'is not', null).executeTakeFirst()
  return { applications: applications !== undefined, deleted: deleted !== undefined }
}

/** Deletes a team with its memberships and invitations. */
export async function deleteTeam(tx: Tx, id: string): Promise<void> {
  await forgetDefaultTeam(tx, id)
  await tx.deleteFrom('teams').where('id', '=', id).execute()
}
