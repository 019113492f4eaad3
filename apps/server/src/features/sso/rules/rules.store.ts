import type { Db, Tx } from '../../../platform/db/tables.ts'
import { newId } from '../../../platform/ids.ts'

interface RuleRow {
  provider_id: string
  /** From 0, in the order of the editor. */
  position: number
  group_name: string
  /** Null: the right of administrators. */
  team_id: string | null
  role: number
}

/** A role that a rule gave to somebody, so that rules can take it back. */
interface GrantRow {
  id: string
  provider_id: string
  user_id: string
  team_id: string | null
  role: number
}

declare module '../../../platform/db/tables.ts' {
  interface Tables {
    sso_rules: RuleRow
    sso_grants: GrantRow
  }
}

export async function listRules(db: Db, providerId: string) {
  return db
    .selectFrom('sso_rules as rule')
    .leftJoin('teams as team', 'team.id', 'rule.team_id')
    .select(['rule.group_name', 'rule.team_id', 'rule.role', 'team.name as team_name'])
    .where('rule.provider_id', '=', providerId)
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

/** The role of a person in every team of theirs, with its name. */
export async function membershipsOf(db: Db, userId: string) {
  return db
    .selectFrom('team_members as member')
    .innerJoin('teams as team', 'team.id', 'member.team_id')
    .select(['member.team_id', 'member.role', 'team.name'])
    .where('member.user_id', '=', userId)
    .execute()
}

/** Everything that rules of any provider gave to a person. */
export async function grantsOf(db: Db, userId: string): Promise<GrantRow[]> {
  return db.selectFrom('sso_grants').selectAll().where('user_id', '=', userId).execute()
}

/** Keeps what rules of a provider give to a person, in the place of what they gave before. */
export async function replaceGrants(
  tx: Tx,
  of: { provider_id: string; user_id: string },
  granted: readonly { teamId: string | null; role: number }[],
): Promise<void> {
  await tx
    .deleteFrom('sso_grants')
    .where('provider_id', '=', of.provider_id)
    .where('user_id', '=', of.user_id)
    .execute()
  if (granted.length === 0) return
  const rows = granted.map(({ teamId, role }) => ({ id: newId(), ...of, team_id: teamId, role }))
  await tx.insertInto('sso_grants').values(rows).execute()
}
