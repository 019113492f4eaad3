import type { ChangeOf } from '../../platform/db/columns.ts'
import type { Db, Flag, Tx } from '../../platform/db/tables.ts'

export interface TeamTypeRow {
  id: string
  name: string
  description: string
  active: Flag
  properties: string
  position: number
  created_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    team_types: TeamTypeRow
  }
}

export type TeamTypeWithUse = TeamTypeRow & { team_count: number | null }

function withUse(db: Db) {
  return db
    .selectFrom('team_types as type')
    .selectAll('type')
    .select((q) =>
      q
        .selectFrom('teams')
        .whereRef('type_id', '=', 'type.id')
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('team_count'),
    )
}

/** Team types by their order, then their names; only active or inactive ones if told. */
export async function listTeamTypes(db: Db, active?: boolean): Promise<TeamTypeWithUse[]> {
  const types = withUse(db).orderBy('type.position').orderBy('type.name')
  return (active === undefined ? types : types.where('type.active', '=', active ? 1 : 0)).execute()
}

export async function findTeamType(db: Db, id: string): Promise<TeamTypeWithUse | undefined> {
  return withUse(db).where('type.id', '=', id).executeTakeFirst()
}

const typeOfTeam = (db: Db, teamId: string) =>
  db
    .selectFrom('teams as team')
    .innerJoin('team_types as type', 'type.id', 'team.type_id')
    .selectAll('type')
    .where('team.id', '=', teamId)

/** The type of a team. */
export async function findTypeOfTeam(db: Db, teamId: string): Promise<TeamTypeRow | undefined> {
  return typeOfTeam(db, teamId).executeTakeFirst()
}

/** The same, and the team is held until the transaction ends, so that one at a time counts what it has. */
export async function lockTypeOfTeam(tx: Tx, teamId: string, postgres: boolean): Promise<TeamTypeRow | undefined> {
  const type = typeOfTeam(tx, teamId)
  return (postgres ? type.forNoKeyUpdate('team') : type).executeTakeFirst()
}

/** Holds a team type until the transaction ends, so that two changes of it come one after the other. */
export async function lockTeamType(tx: Tx, id: string, postgres: boolean): Promise<TeamTypeRow | undefined> {
  const type = tx.selectFrom('team_types').selectAll().where('id', '=', id)
  return (postgres ? type.forNoKeyUpdate() : type).executeTakeFirst()
}

export async function insertTeamType(tx: Tx, row: TeamTypeRow): Promise<void> {
  await tx.insertInto('team_types').values(row).execute()
}

export async function updateTeamType<Change extends Partial<TeamTypeRow>>(
  tx: Tx,
  id: string,
  change: ChangeOf<TeamTypeRow, Change>,
): Promise<void> {
  await tx.updateTable('team_types').set(change).where('id', '=', id).execute()
}

export async function deleteTeamType(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('team_types').where('id', '=', id).execute()
}

/** The names of these instance types, as far as they exist. */
export async function namesOfInstanceTypes(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('instance_types').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}
