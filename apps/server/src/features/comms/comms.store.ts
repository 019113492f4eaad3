import type { Db, Tx } from '../../platform/db/tables.ts'

export interface BrokerClientRow {
  username: string
  /** One of the two. */
  device_id: string | null
  instance_id: string | null
  /** Sealed. */
  password: string
  created_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    broker_clients: BrokerClientRow
  }
}

/** A client with what its rights follow from. */
export type FoundClient = Awaited<ReturnType<typeof findClients>>[number]

const clientQuery = (db: Db) =>
  db
    .selectFrom('broker_clients as client')
    .leftJoin('devices as device', 'device.id', 'client.device_id')
    .leftJoin('instances as assigned', (join) =>
      join
        .onRef('assigned.id', '=', 'device.instance_id')
        .onRef('assigned.team_id', '=', 'device.team_id')
        .on('assigned.deleted_at', 'is', null),
    )
    .leftJoin('instances as instance', (join) =>
      join.onRef('instance.id', '=', 'client.instance_id').on('instance.deleted_at', 'is', null),
    )
    .select(['client.username', 'client.password', 'device.id as device_id', 'device.team_id as device_team'])
    .select(['assigned.id as assigned_id', 'instance.id as instance_id', 'instance.team_id as instance_team'])

/** The clients of these names that are there. */
export const findClients = async (db: Db, usernames: readonly string[]) =>
  clientQuery(db).where('client.username', 'in', usernames).execute()

/** A page of all clients, by their names. */
export const listClients = async (db: Db, { after, limit }: { after: string; limit: number }): Promise<FoundClient[]> =>
  clientQuery(db).where('client.username', '>', after).orderBy('client.username').limit(limit).execute()

export async function findPassword(db: Db, username: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('broker_clients')
    .select('password')
    .where('username', '=', username)
    .executeTakeFirst()
  return row?.password
}

/** Adds the client, or gives it another password. */
export async function putClient(tx: Tx, row: BrokerClientRow): Promise<void> {
  await tx
    .insertInto('broker_clients')
    .values(row)
    .onConflict((conflict) => conflict.column('username').doUpdateSet({ password: row.password }))
    .execute()
}

/** Adds the client unless it is there. */
export async function addClient(tx: Tx, row: BrokerClientRow): Promise<void> {
  await tx
    .insertInto('broker_clients')
    .values(row)
    .onConflict((conflict) => conflict.column('username').doNothing())
    .execute()
}
