import {
  type Exceeded,
  limitOf,
  switches,
  type Switch,
  teamFeatures,
  type TeamQuotas,
  type TeamTypePreview,
  type TeamTypeProperties,
  typeHas,
} from '@app/contract'
import type { Clock } from '../../platform/clock.ts'
import { counted } from '../../platform/counted.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { instancesByType, limitsByType, listExceeding, listInstanceTypes, type Usage, usageOf } from './quotas.store.ts'
import {
  findTeamType,
  findTypeOfTeam,
  lockTypeOfTeam,
  namesOfInstanceTypes,
  type TeamTypeRow,
} from './team-types.store.ts'
import { teamTypeProperties } from './team-types.view.ts'

const listedAtOnce = 100

type Type = Pick<TeamTypeRow, 'id' | 'name'> & { properties: TeamTypeProperties }

export type Quotas = ReturnType<typeof createQuotas>

/** Which features a team type leaves its teams. */
const featuresOf = (properties: TeamTypeProperties) =>
  Object.fromEntries(teamFeatures.map((name) => [name, typeHas(properties, name)])) as TeamQuotas['features']

/** The sentence that refuses a feature which a team type leaves out. */
const reason = (type: Pick<Type, 'name'>, name: Switch): string =>
  `${switches[name].replace(/switched off on this platform$/, 'not part of the team type')} “${type.name}”`

/**
 * The limits of teams. Whatever adds a member, an instance or a device asks here first, in the transaction
 * that adds it: the team is held until that ends, so two servers do not give away the last place twice.
 */
export function createQuotas({ database, clock }: { database: Database; clock: Clock }) {
  const { read } = database

  function known(row: TeamTypeRow | undefined): Type {
    if (!row) throw fail('not_found')
    return { id: row.id, name: row.name, properties: teamTypeProperties(row.properties, row.id) }
  }
  const typeOf = async (db: Db, teamId: string) => known(await findTypeOfTeam(db, teamId))

  /** The type of a team that is held if its type limits this. */
  async function heldType(tx: Tx, teamId: string, limits: (type: Type) => unknown): Promise<Type> {
    const type = await typeOf(tx, teamId)
    if (limits(type) === undefined) return type
    const held = () => lockTypeOfTeam(tx, teamId, database.kind === 'postgres')
    // PostgreSQL finds no row when the team got another type while this waited, and the new one the second time.
    return known((await held()) ?? (await held()))
  }

  const ofType = (properties: TeamTypeProperties, typeId: string) => properties.instanceTypes?.[typeId]

  async function checkInstanceType(tx: Tx, teamId: string, { id, name, properties }: Type, typeId: string) {
    const rule = ofType(properties, typeId)
    if (!rule) return
    if (!rule.allowed) {
      const sentence = `Teams of type “${name}” cannot use this instance type`
      throw fail('invalid_project_type', sentence, { field: 'projectType' })
    }
    const most = limitOf(rule.limit)
    if (most === undefined) return
    const used = (await instancesByType(tx, [teamId])).find(({ type_id }) => type_id === typeId)?.n ?? 0
    if (used < most) return
    const label = (await namesOfInstanceTypes(tx, [typeId])).get(typeId) ?? id
    const sentence = `The team has ${used} of ${counted(most, 'instance')} of type “${label}” that its type “${name}” allows`
    throw fail('instance_limit_reached', sentence, { field: 'projectType' })
  }

  /** The limits that this exceeds. */
  function exceededBy(
    used: Usage,
    byType: Map<string, number>,
    names: Map<string, string>,
    limits: TeamTypeProperties,
  ) {
    const counts: [Exceeded['what'], number, number | undefined][] = [
      ['members', used.members + used.invited, limitOf(limits.userLimit)],
      ['instances', used.instances, limitOf(limits.runtimeLimit)],
      ['devices', used.devices, limitOf(limits.deviceLimit)],
    ]
    const exceeded = counts.flatMap(([what, n, limit]): Exceeded[] =>
      limit !== undefined && n > limit ? [{ what, used: n, limit }] : [],
    )
    const ofTypes = limitsByType(limits).flatMap(([id, limit]): Exceeded[] => {
      const n = byType.get(id) ?? 0
      return n > limit
        ? [{ what: 'instanceType', instanceType: { id, name: names.get(id) ?? id }, used: n, limit }]
        : []
    })
    return [...exceeded, ...ofTypes]
  }

  return {
    /** Why the type of this team does not leave it what stands behind a switch; undefined when it does. */
    async lacks(teamId: string, name: Switch): Promise<string | undefined> {
      const row = (teamFeatures as readonly Switch[]).includes(name) ? await findTypeOfTeam(read, teamId) : undefined
      if (!row || typeHas(teamTypeProperties(row.properties, row.id), name)) return undefined
      return reason(row, name)
    },

    /**
     * Before an instance is added to a team, or comes back to it.
     * @throws Failure instance_limit_reached; invalid_project_type for a type that the team cannot use; invalid_ha.
     */
    async addInstance(tx: Tx, teamId: string, instance: { typeId: string; replicas: number | null }): Promise<void> {
      const type = await heldType(
        tx,
        teamId,
        ({ properties }) => limitOf(properties.runtimeLimit) ?? ofType(properties, instance.typeId),
      )
      const { name, properties } = type
      if (instance.replicas !== null && !typeHas(properties, 'ha'))
        throw fail('invalid_ha', reason(type, 'ha'), { field: 'ha' })
      await checkInstanceType(tx, teamId, type, instance.typeId)
      const most = limitOf(properties.runtimeLimit)
      if (most === undefined) return
      const { instances } = await usageOf(tx, teamId, clock.now())
      if (instances < most) return
      const sentence = `The team has ${instances} of the ${counted(most, 'instance')} that its type “${name}” allows`
      throw fail('instance_limit_reached', sentence)
    },

    /** Before an instance of a team gets another type. @throws Failure as for a new one of that type. */
    async changeInstanceType(tx: Tx, teamId: string, typeId: string): Promise<void> {
      const type = await heldType(tx, teamId, ({ properties }) => ofType(properties, typeId))
      await checkInstanceType(tx, teamId, type, typeId)
    },

    /** Before devices are added to a team. @throws Failure device_limit_reached, devices_unavailable. */
    async addDevice(tx: Tx, teamId: string): Promise<void> {
      const type = await heldType(tx, teamId, ({ properties }) => limitOf(properties.deviceLimit))
      if (!typeHas(type.properties, 'devices')) throw fail('devices_unavailable', reason(type, 'devices'))
      const most = limitOf(type.properties.deviceLimit)
      if (most === undefined) return
      const { devices } = await usageOf(tx, teamId, clock.now())
      if (devices < most) return
      const sentence = `The team has ${devices} of the ${counted(most, 'device')} that its type “${type.name}” allows`
      throw fail('device_limit_reached', sentence)
    },

    /**
     * Before people are invited, who each have a seat from then on, or join.
     * @returns the seats of the team, undefined where there is no limit
     */
    async seats(tx: Tx, teamId: string): Promise<{ members: number; invited: number; most: number } | undefined> {
      const { properties } = await heldType(tx, teamId, (type) => limitOf(type.properties.userLimit))
      const most = limitOf(properties.userLimit)
      return most === undefined ? undefined : { ...(await usageOf(tx, teamId, clock.now())), most }
    },

    /** The quotas of a team under its own type, or under another one. @throws Failure invalid_team_type. */
    async ofTeam(teamId: string, typeId?: string): Promise<TeamQuotas> {
      const other = typeId === undefined ? undefined : await findTeamType(read, typeId)
      if (typeId !== undefined && !other)
        throw fail('invalid_team_type', 'There is no such team type', { field: 'type' })
      const type = other
        ? { ...other, properties: teamTypeProperties(other.properties, other.id) }
        : await typeOf(read, teamId)
      const { properties } = type
      const used = await usageOf(read, teamId, clock.now())
      const byType = new Map((await instancesByType(read, [teamId])).map(({ type_id, n }) => [type_id, n]))
      const limit = (most: number | undefined) => limitOf(most) ?? null
      const rules = properties.instanceTypes ?? {}
      return {
        type: { id: type.id, name: type.name },
        members: { used: used.members + used.invited, limit: limit(properties.userLimit) },
        instances: { used: used.instances, limit: limit(properties.runtimeLimit) },
        devices: { used: used.devices, limit: limit(properties.deviceLimit) },
        instanceTypes: (await listInstanceTypes(read, [...byType.keys()])).map(({ id, name }) => ({
          id,
          name,
          allowed: rules[id]?.allowed ?? true,
          used: byType.get(id) ?? 0,
          limit: limit(rules[id]?.limit),
        })),
        features: featuresOf(properties),
      }
    },

    /** The teams of a type that have more than these properties allow. */
    async preview(typeId: string, properties: TeamTypeProperties): Promise<TeamTypePreview> {
      const { count, rows } = await listExceeding(read, typeId, properties, { now: clock.now(), limit: listedAtOnce })
      const counts = await instancesByType(
        read,
        rows.map(({ id }) => id),
      )
      const names = await namesOfInstanceTypes(read, Object.keys(properties.instanceTypes ?? {}))
      const byTeam = Map.groupBy(counts, ({ team_id }) => team_id)
      return {
        count,
        teams: rows.map(({ id, name, slug, ...used }) => {
          const byType = new Map(byTeam.get(id)?.map(({ type_id, n }) => [type_id, n]))
          return { id, name, slug, exceeds: exceededBy(used, byType, names, properties) }
        }),
      }
    },
  }
}
