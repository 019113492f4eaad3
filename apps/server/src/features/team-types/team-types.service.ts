import type { TeamType, TeamTypeInput, TeamTypePatch, TeamTypeProperties } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { type ColumnMap, columnsOf } from '../../platform/db/columns.ts'
import { type Database, whenBroken } from '../../platform/db/database.ts'
import { type Db, flag, type Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { type Audit, changes, platformScope } from '../audit/index.ts'
import type { Quotas } from './quotas.service.ts'
import {
  deleteTeamType,
  findTeamType,
  insertTeamType,
  listTeamTypes,
  lockTeamType,
  namesOfInstanceTypes,
  type TeamTypeRow,
  type TeamTypeWithUse,
  updateTeamType,
} from './team-types.store.ts'
import { teamTypeProperties, usedTypeView } from './team-types.view.ts'

export interface TeamTypeDependencies {
  database: Database
  clock: Clock
  audit: Audit
  quotas: Quotas
}

export type TeamTypes = ReturnType<typeof createTeamTypes>

const ref = ({ id, name }: Pick<TeamTypeRow, 'id' | 'name'>) => ({ info: { id, name } })
const editable: ColumnMap<TeamTypePatch, TeamTypeRow> = {
  name: 'name',
  description: 'description',
  active: { active: flag },
  order: 'position',
  properties: { properties: (properties) => JSON.stringify(properties) },
}

/** A row as its audit entries tell it, each property by itself. */
function told(row: TeamTypeRow): Record<string, unknown> {
  const { name, description, active, position: order } = row
  const flat: Record<string, unknown> = { name, description, active: active === 1, order }
  for (const [key, value] of Object.entries(teamTypeProperties(row.properties, row.id)))
    flat[`properties.${key}`] = value
  return flat
}

function differences(before: TeamTypeRow, after: TeamTypeRow): ReturnType<typeof changes> {
  const [old, now] = [told(before), told(after)]
  const gone = Object.keys(old).filter((key) => !(key in now))
  return [...changes(old, now), ...gone.map((key) => ({ key, old: old[key], dif: 'deleted' as const }))]
}

/** Team types: what teams may have, made and changed by administrators. */
export function createTeamTypes({ database, clock, audit, quotas }: TeamTypeDependencies) {
  const { read } = database

  async function found(id: string): Promise<TeamTypeWithUse> {
    const row = await findTeamType(read, id)
    if (!row) throw fail('not_found')
    return row
  }

  /** @throws Failure invalid_project_type for a rule about an instance type that does not exist. */
  async function checkProperties(db: Db, { instanceTypes = {} }: TeamTypeProperties = {}): Promise<void> {
    const ids = Object.keys(instanceTypes)
    const names = await namesOfInstanceTypes(db, ids)
    const unknown = ids.find((id) => !names.has(id))
    if (unknown === undefined) return
    const field = `properties.instanceTypes.${unknown}`
    throw fail('invalid_project_type', 'There is no such instance type', { field })
  }

  async function unlessTaken<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return database
      .transact(work)
      .catch(
        whenBroken('unique', () => fail('invalid_name', 'The name must be unique', { field: 'name', status: 409 })),
      )
  }

  async function insert(tx: Tx, input: TeamTypeInput): Promise<TeamTypeRow> {
    const row: TeamTypeRow = {
      id: newId(),
      name: input.name,
      description: input.description ?? '',
      active: flag(input.active ?? true),
      properties: JSON.stringify(input.properties ?? {}),
      position: input.order ?? 1,
      created_at: clock.now(),
    }
    await insertTeamType(tx, row)
    return row
  }

  return {
    /** A type without an actor, for a new platform. Returns its id. */
    insert: async (tx: Tx, input: TeamTypeInput): Promise<string> => (await insert(tx, input)).id,

    get: async (id: string, admin: boolean): Promise<TeamType> => usedTypeView(await found(id), admin),
    async list(filter: 'active' | 'inactive' | 'all', admin: boolean): Promise<TeamType[]> {
      const rows = await listTeamTypes(read, filter === 'all' ? undefined : filter === 'active')
      return rows.map((row) => usedTypeView(row, admin))
    },
    /** The first active type, which personal teams get. */
    first: async (): Promise<TeamTypeRow | undefined> => (await listTeamTypes(read, true))[0],
    /** A type that a team can be given. @throws Failure invalid_team_type. */
    async choose(id: string): Promise<TeamTypeRow> {
      const row = await findTeamType(read, id)
      if (!row?.active) throw fail('invalid_team_type', undefined, { field: 'type' })
      return row
    },

    /** @throws Failure invalid_name 409 when the name is taken, invalid_project_type. */
    async create(actor: Actor, input: TeamTypeInput): Promise<string> {
      return unlessTaken(async (tx) => {
        await checkProperties(tx, input.properties)
        const row = await insert(tx, input)
        await audit.record(tx, actor, 'platform.team-type.created', platformScope, ref(row))
        return row.id
      })
    },

    /** Nothing that teams have is touched. @throws Failure invalid_name 409, invalid_project_type. */
    async update(actor: Actor, id: string, patch: TeamTypePatch): Promise<void> {
      await unlessTaken(async (tx) => {
        const row = await lockTeamType(tx, id, database.kind === 'postgres')
        if (!row) throw fail('not_found')
        await checkProperties(tx, patch.properties)
        const change = columnsOf(patch, editable)
        const updates = differences(row, { ...row, ...change })
        if (updates.length === 0) return
        await updateTeamType(tx, id, change)
        await audit.record(tx, actor, 'platform.team-type.updated', platformScope, {
          ...ref({ ...row, ...change }),
          updates,
        })
      })
    },

    /** The teams that would exceed the limits after a change. @throws Failure not_found, invalid_project_type. */
    async preview(id: string, patch: TeamTypePatch) {
      const row = await found(id)
      await checkProperties(read, patch.properties)
      return quotas.preview(id, patch.properties ?? teamTypeProperties(row.properties, id))
    },

    /** @throws Failure invalid_request while teams have it. */
    async remove(actor: Actor, id: string): Promise<void> {
      const used = () =>
        fail('invalid_request', 'You cannot delete a team type that teams have. Make it inactive instead.')
      const change = database.transact(async (tx) => {
        const row = await findTeamType(tx, id)
        if (!row) throw fail('not_found')
        if (Number(row.team_count) > 0) throw used()
        await deleteTeamType(tx, id)
        await audit.record(tx, actor, 'platform.team-type.deleted', platformScope, ref(row))
      })
      // A team was given it in the same moment.
      await change.catch(whenBroken('reference', used))
    },
  }
}
