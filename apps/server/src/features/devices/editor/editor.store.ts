import type { Db, Tx } from '../../../platform/db/tables.ts'
import type { Sweep } from '../../../platform/sweeper.ts'

/** A person who has the editor of a device open; for the first seconds a code with which their browser gets there. */
export interface EditorSessionRow {
  /** Hash of the cookie, or of the code. */
  hash: string
  kind: 'code' | 'session'
  device_id: string
  user_id: string
  /** The session of the console from which they came. */
  session: string
  expires_at: number
}

declare module '../../../platform/db/tables.ts' {
  interface Tables {
    device_editor_sessions: EditorSessionRow
  }
}

export async function insertSession(db: Db, row: EditorSessionRow): Promise<void> {
  await db.insertInto('device_editor_sessions').values(row).execute()
}

export async function findSession(db: Db, hash: string, now: number): Promise<EditorSessionRow | undefined> {
  return db
    .selectFrom('device_editor_sessions')
    .selectAll()
    .where('hash', '=', hash)
    .where('kind', '=', 'session')
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** The code, which is used up. */
export async function takeCode(db: Db, hash: string, now: number): Promise<EditorSessionRow | undefined> {
  const row = await db
    .deleteFrom('device_editor_sessions')
    .where('hash', '=', hash)
    .where('kind', '=', 'code')
    .returningAll()
    .executeTakeFirst()
  return row && row.expires_at > now ? row : undefined
}

/** A device with what is known of its tunnel. */
export async function findEditor(db: Db, id: string) {
  return db
    .selectFrom('devices')
    .select(['id', 'team_id', 'name', 'mode', 'editor_token_hash', 'editor_connected', 'agent_id', 'agent_version'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Whether the agent of a device holds its tunnel open. */
export async function setConnected(tx: Tx, id: string, isConnected: boolean): Promise<void> {
  await tx
    .updateTable('devices')
    .set({ editor_connected: isConnected ? 1 : 0 })
    .where('id', '=', id)
    .execute()
}

/** After a start no tunnel is open. */
export async function forgetConnected(db: Db): Promise<void> {
  await db.updateTable('devices').set({ editor_connected: 0 }).where('editor_connected', '=', 1).execute()
}

export const editorSessionSweep: Sweep = async (db, now) =>
  Number(
    (await db.deleteFrom('device_editor_sessions').where('expires_at', '<=', now).executeTakeFirst()).numDeletedRows,
  )
