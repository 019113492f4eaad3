import type { Db, Tx } from '../../../platform/db/tables.ts'
import { newId } from '../../../platform/ids.ts'
import { nextPeople } from './people.store.ts'

interface RuleRow {
  provider_id: string
  /** From 0, in the order of the editor. */
  position: number
  group_name: string
  /** Null: the right of administrators. */
  team_id: string | null
  /** One application of the team; null: the whole team. */
  application_id: string | null
  role: number
}

/** A role that a rule gave to somebody, so that rules can take it back. */
interface GrantRow {
  id: string
  provider_id: string
  user_id: string
  team_id: string | null
  application_id: string | null
  role: number
}

declare module '../../../platform/db/tables.ts' {
  interface Tables {
    sso_rules: RuleRow
    sso_grants: GrantRow
  }
}

/** The rules of a provider, without those of applications that are deleted and could be had back. */
export async function listRules(db: Db, providerId: string) {
  return db
    .selectFrom('sso_rules as rule')
    .leftJoin('teams as team', 'team.id', 'rule.team_id')
    .leftJoin('applications as application', 'application.id', 'rule.application_id')
    .select(['rule.group_name', 'rule.team_id', 'rule.application_id', 'rule.role'])
    .select(['team.name as team_name', 'application.name as application_name'])
    .where('rule.provider_id', '=', providerId)
    .where('application.deleted_at', 'is', null)
    .orderBy('rule.position')
    .execute()
}

export async function replaceRules(
  tx: Tx,
  providerId: string,
  rows: readonly Omit<RuleRow, 'provider_id' | 'position'>[],
) {
  await tx.deleteFrom('sso_rules').where('provider_id', '=', providerId).execute()
  if (rows.length === 0) return
  const numbered = rows.map((row, position) => ({ ...row, provider_id: providerId, position }))
  await tx.insertInto('sso_rules').values(numbered).execute()
}

/** The names of these teams by their ids. */
export async function teamNames(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('teams').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** These applications with the teams they are of, by their ids. */
export async function applicationsAmong(db: Db, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, { name: string; team_id: string }>()
  const rows = await db
    .selectFrom('applications')
    .select(['id', 'name', 'team_id'])
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** The role of a person in every team of theirs, with its name. */
export async function membershipsOf(db: Db, userId: string) {
  return db
    .selectFrom('team_members as member')
    .innerJoin('teams as team', 'team.id', 'member.team_id')
    .select(['member.team_id', 'member.role', 'team.name'])
    .where('member.user_id', '=', userId)
    .execute()
}

/** The roles of a person in single applications. */
export async function applicationRolesOf(db: Db, userId: string) {
  return db
    .selectFrom('application_members')
    .select(['application_id', 'team_id', 'role'])
    .where('user_id', '=', userId)
    .execute()
}

/** Everything that rules of any provider gave to a person. */
export async function grantsOf(db: Db, userId: string) {
  return db
    .selectFrom('sso_grants as given')
    .leftJoin('teams as team', 'team.id', 'given.team_id')
    .leftJoin('applications as application', 'application.id', 'given.application_id')
    .selectAll('given')
    .select(['team.name as team_name', 'application.name as application_name', 'application.deleted_at'])
    .where('given.user_id', '=', userId)
    .execute()
}

/** The next people after this one to whom rules of a provider gave something, or the first. */
export const usersGranted = (db: Db, providerId: string, after: string): Promise<string[]> =>
  nextPeople(db, 'sso_grants', providerId, after)

/** Keeps what rules of a provider give to a person, in the place of what they gave before. */
export async function replaceGrants(
  tx: Tx,
  of: { provider_id: string; user_id: string },
  granted: readonly Pick<GrantRow, 'team_id' | 'application_id' | 'role'>[],
): Promise<void> {
  await tx
    .deleteFrom('sso_grants')
    .where('provider_id', '=', of.provider_id)
    .where('user_id', '=', of.user_id)
    .execute()
  if (granted.length === 0) return
  await tx
    .insertInto('sso_grants')
    .values(granted.map((row) => ({ id: newId(), ...of, ...row })))
    .execute()
}

/** Forgets what rules of any provider gave to a person, of which somebody has decided by hand. */
export async function deleteGrants(
  tx: Tx,
  userId: string,
  of: { teamId: string; alone: boolean } | { applicationId: string },
): Promise<void> {
  const given = tx.deleteFrom('sso_grants').where('user_id', '=', userId)
  if ('applicationId' in of) await given.where('application_id', '=', of.applicationId).execute()
  else {
    const inTeam = given.where('team_id', '=', of.teamId)
    await (of.alone ? inTeam.where('application_id', 'is', null) : inTeam).execute()
  }
}
