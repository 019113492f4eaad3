import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/tables.ts'
import { asKey, asText, conditionOf, type FilterColumns } from './filter.sql.ts'
import type { ListPortion } from './scim-users.store.ts'

export interface ScimGroupRow {
  id: string
  directory: string
  display_name: string
  display_name_key: string
  external_id: string | null
  created_at: number
  updated_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    scim_groups: ScimGroupRow
    scim_group_members: { group_id: string; user_id: string }
  }
}

const columns: FilterColumns = {
  id: { column: sql`scim_groups.id`, store: asText },
  externalid: { column: sql`scim_groups.external_id`, store: asText },
  displayname: { column: sql`scim_groups.display_name_key`, store: asKey },
}

export async function insertGroup(tx: Tx, row: ScimGroupRow): Promise<void> {
  await tx.insertInto('scim_groups').values(row).execute()
}

export async function findGroup(db: Db, directory: string, id: string): Promise<ScimGroupRow | undefined> {
  return db
    .selectFrom('scim_groups')
    .selectAll()
    .where('id', '=', id)
    .where('directory', '=', directory)
    .executeTakeFirst()
}

/** Oldest first. */
export async function listGroups(db: Db, { directory, filter, offset, limit }: ListPortion) {
  let rows = db.selectFrom('scim_groups').selectAll().where('directory', '=', directory)
  let count = db
    .selectFrom('scim_groups')
    .select((one) => one.fn.countAll<number>().as('n'))
    .where('directory', '=', directory)
  if (filter) {
    const condition = conditionOf(filter, columns)
    rows = rows.where(condition)
    count = count.where(condition)
  }
  const { n } = await count.executeTakeFirstOrThrow()
  if (limit === 0) return { rows: [], count: Number(n) }
  return { rows: await rows.orderBy('id').offset(offset).limit(limit).execute(), count: Number(n) }
}

export async function updateGroup(tx: Tx, id: string, change: Partial<ScimGroupRow>): Promise<void> {
  await tx.updateTable('scim_groups').set(change).where('id', '=', id).execute()
}

export async function deleteGroup(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('scim_groups').where('id', '=', id).execute()
}

/** Everybody in these groups, with the name by which they are shown. */
export async function membersOf(db: Db, groupIds: readonly string[]) {
  if (groupIds.length === 0) return []
  return db
    .selectFrom('scim_group_members as member')
    .innerJoin('users as account', 'account.id', 'member.user_id')
    .select(['member.group_id', 'member.user_id', 'account.name'])
    .where('member.group_id', 'in', groupIds)
    .orderBy('member.user_id')
    .execute()
}

/** The groups of these people. */
export async function groupsOfUsers(db: Db, userIds: readonly string[]) {
  if (userIds.length === 0) return []
  return db
    .selectFrom('scim_group_members as member')
    .innerJoin('scim_groups as one', 'one.id', 'member.group_id')
    .select(['member.user_id', 'one.id', 'one.display_name', 'one.external_id'])
    .where('member.user_id', 'in', userIds)
    .orderBy('one.id')
    .execute()
}

/**
 * The groups with one of these names or external ids that the directories of a provider push, and whether the person is in
 * each.
 */
export async function pushedGroups(db: Db, providerId: string, userId: string, names: readonly string[]) {
  return db
    .selectFrom('scim_groups as one')
    .leftJoin('scim_group_members as member', (join) =>
      join.onRef('member.group_id', '=', 'one.id').on('member.user_id', '=', userId),
    )
    .select(['one.display_name', 'one.external_id', 'member.user_id'])
    .where('one.directory', 'in', (tokens) =>
      tokens.selectFrom('scim_tokens').select('directory').where('provider_id', '=', providerId),
    )
    .where((group) => group.or([group('one.display_name', 'in', names), group('one.external_id', 'in', names)]))
    .execute()
}

/** More rows than a statement may have parameters are sent in several. */
const portion = 400

export async function addMembers(tx: Tx, groupId: string, userIds: readonly string[]): Promise<void> {
  for (let at = 0; at < userIds.length; at += portion) {
    const rows = userIds.slice(at, at + portion).map((user_id) => ({ group_id: groupId, user_id }))
    await tx
      .insertInto('scim_group_members')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

export async function removeMembers(tx: Tx, groupId: string, userIds: readonly string[]): Promise<void> {
  for (let at = 0; at < userIds.length; at += portion)
    await tx
      .deleteFrom('scim_group_members')
      .where('group_id', '=', groupId)
      .where('user_id', 'in', userIds.slice(at, at + portion))
      .execute()
}

export async function removeFromAllGroups(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('scim_group_members').where('user_id', '=', userId).execute()
}

/** Which of these people the directory has provisioned, and not deleted. */
export async function provisionedAmong(db: Db, directory: string, ids: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>()
  for (let at = 0; at < ids.length; at += portion) {
    const rows = await db
      .selectFrom('scim_users')
      .select('user_id')
      .where('directory', '=', directory)
      .where('removed_at', 'is', null)
      .where('user_id', 'in', ids.slice(at, at + portion))
      .execute()
    for (const { user_id } of rows) found.add(user_id)
  }
  return found
}

/** Every group with the number of its members, by name. */
export async function countedGroups(db: Db) {
  return db
    .selectFrom('scim_groups as one')
    .leftJoin('scim_group_members as member', 'member.group_id', 'one.id')
    .select(['one.id', 'one.directory', 'one.display_name', 'one.updated_at'])
    .select((each) => each.fn.count<number>('member.user_id').as('members'))
    .groupBy(['one.id', 'one.directory', 'one.display_name', 'one.updated_at'])
    .orderBy('one.display_name')
    .execute()
}
