import type { Db, Tx } from '../../platform/db/tables.ts'

/** The kinds of data that Node-RED keeps with the platform. */
export type StorageKind = 'flows' | 'credentials' | 'settings' | 'sessions'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    instance_storage: { instance_id: string; kind: StorageKind; body: string; updated_at: number }
  }
}

/** The context that ties a sealed value to its instance and kind. */
export const storageContext = (instanceId: string, kind: StorageKind) => `instance:${instanceId}:${kind}`

export async function readStorage(db: Db, instanceId: string, kind: StorageKind): Promise<string | undefined> {
  const row = await db
    .selectFrom('instance_storage')
    .select('body')
    .where('instance_id', '=', instanceId)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return row?.body
}

/** Both at once: the flows and the credentials of an instance, as they are stored. */
export async function readContents(db: Db, instanceId: string): Promise<{ flows?: string; credentials?: string }> {
  const rows = await db
    .selectFrom('instance_storage')
    .select(['kind', 'body'])
    .where('instance_id', '=', instanceId)
    .where('kind', 'in', ['flows', 'credentials'])
    .execute()
  return Object.fromEntries(rows.map(({ kind, body }) => [kind, body]))
}

export async function writeStorage(
  tx: Tx,
  instanceId: string,
  kind: StorageKind,
  body: string,
  now: number,
): Promise<void> {
  await tx
    .insertInto('instance_storage')
    .values({ instance_id: instanceId, kind, body, updated_at: now })
    .onConflict((conflict) => conflict.columns(['instance_id', 'kind']).doUpdateSet({ body, updated_at: now }))
    .execute()
}
