import { limitOf, type TeamTypeProperties } from '@app/contract'
import { type Expression, expressionBuilder, type SqlBool } from 'kysely'
import type { Db, Tables } from '../../platform/db/tables.ts'

const q = expressionBuilder<Tables & { team: Tables['teams'] }, 'team'>()

/** Sub-queries of what a `team` has. Deleted instances that can be restored do not count. */
const membersOf = () =>
  q
    .selectFrom('team_members')
    .whereRef('team_members.team_id', '=', 'team.id')
    .select((count) => count.fn.countAll<number>().as('n'))
const invitedTo = (now: number) =>
  q
    .selectFrom('invitations')
    .whereRef('invitations.team_id', '=', 'team.id')
    .where('invitations.expires_at', '>', now)
    .select((count) => count.fn.countAll<number>().as('n'))
const instancesOf = (typeId?: string) => {
  const instances = q
    .selectFrom('instances')
    .whereRef('instances.team_id', '=', 'team.id')
    .where('instances.deleted_at', 'is', null)
    .select((count) => count.fn.countAll<number>().as('n'))
  return typeId === undefined ? instances : instances.where('instances.type_id', '=', typeId)
}
const devicesOf = () =>
  q
    .selectFrom('devices')
    .whereRef('devices.team_id', '=', 'team.id')
    .select((count) => count.fn.countAll<number>().as('n'))

/** The counts of everything that is limited in a team. */
export interface Usage {
  members: number
  invited: number
  instances: number
  devices: number
}

const usage = (db: Db, now: number) =>
  db
    .selectFrom('teams as team')
    .select([
      membersOf().as('members'),
      invitedTo(now).as('invited'),
      instancesOf().as('instances'),
      devicesOf().as('devices'),
    ])

const numbers = (row: Record<keyof Usage, number | null>): Usage => ({
  members: Number(row.members),
  invited: Number(row.invited),
  instances: Number(row.instances),
  devices: Number(row.devices),
})

export async function usageOf(db: Db, teamId: string, now: number): Promise<Usage> {
  return numbers(await usage(db, now).where('team.id', '=', teamId).executeTakeFirstOrThrow())
}

/** Instances by team and type. */
export async function instancesByType(
  db: Db,
  teamIds: readonly string[],
): Promise<{ team_id: string; type_id: string; n: number }[]> {
  if (teamIds.length === 0) return []
  const rows = await db
    .selectFrom('instances')
    .select(['team_id', 'type_id', (count) => count.fn.countAll<number>().as('n')])
    .where('team_id', 'in', teamIds)
    .where('deleted_at', 'is', null)
    .groupBy(['team_id', 'type_id'])
    .execute()
  return rows.map((row) => ({ ...row, n: Number(row.n) }))
}

/** Active instance types, and the inactive ones among these, by their order. */
export async function listInstanceTypes(db: Db, used: readonly string[]): Promise<{ id: string; name: string }[]> {
  return db
    .selectFrom('instance_types')
    .select(['id', 'name'])
    .where((where) => where.or([where('active', '=', 1), ...(used.length > 0 ? [where('id', 'in', used)] : [])]))
    .orderBy('position')
    .orderBy('name')
    .execute()
}

/** A limit of instances of one type; 0: it is not allowed. */
export const limitsByType = ({ instanceTypes = {} }: TeamTypeProperties): [id: string, limit: number][] =>
  Object.entries(instanceTypes).flatMap(([id, { allowed, limit }]): [string, number][] => {
    const most = allowed ? limitOf(limit) : 0
    return most === undefined ? [] : [[id, most]]
  })

/** Teams of a type that have more than these properties allow, oldest first, and how many there are. */
export async function listExceeding(
  db: Db,
  typeId: string,
  properties: TeamTypeProperties,
  { now, limit }: { now: number; limit: number },
): Promise<{ count: number; rows: (Usage & { id: string; name: string; slug: string })[] }> {
  const [members, instances, devices] = [properties.userLimit, properties.runtimeLimit, properties.deviceLimit].map(
    limitOf,
  )
  const exceeds: Expression<SqlBool>[] = [
    ...(members === undefined ? [] : [q(q(membersOf(), '+', invitedTo(now)), '>', members)]),
    ...(instances === undefined ? [] : [q(instancesOf(), '>', instances)]),
    ...(devices === undefined ? [] : [q(devicesOf(), '>', devices)]),
    ...limitsByType(properties).map(([id, most]) => q(instancesOf(id), '>', most)),
  ]
  if (exceeds.length === 0) return { count: 0, rows: [] }
  const isOne = q.and([q('team.type_id', '=', typeId), q.or(exceeds)])
  const { n } = await db
    .selectFrom('teams as team')
    .where(isOne)
    .select((count) => count.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  const rows = await usage(db, now)
    .select(['team.id', 'team.name', 'team.slug'])
    .where(isOne)
    .orderBy('team.id')
    .limit(limit)
    .execute()
  return {
    count: Number(n),
    rows: rows.map(({ id, name, slug, ...used }) => ({ id, name, slug, ...numbers(used) })),
  }
}
