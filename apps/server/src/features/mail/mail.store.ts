import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/tables.ts'

export interface MailRow {
  id: string
  /** The whole message; it may hold a link that signs somebody in, so the database must not show it. */
  sealed: string
  attempts: number
  /** When it may be tried again, in milliseconds. */
  due_at: number
  created_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    mails: MailRow
  }
}

export async function insertMail(tx: Tx, row: MailRow): Promise<void> {
  await tx.insertInto('mails').values(row).execute()
}

export async function findMail(db: Db, id: string): Promise<MailRow | undefined> {
  return db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function postponeMail(tx: Tx, id: string, attempts: number, dueAt: number): Promise<void> {
  await tx.updateTable('mails').set({ attempts, due_at: dueAt }).where('id', '=', id).execute()
}

export async function deleteMail(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('mails').where('id', '=', id).execute()
}

/** Mails that may be tried again, the longest waiting first. */
export async function listDueMails(db: Db, now: number, limit: number): Promise<{ id: string }[]> {
  return db.selectFrom('mails').select('id').where('due_at', '<=', now).orderBy('due_at').limit(limit).execute()
}

/** Number of mails that were tried in vain and wait. */
export async function countWaitingMails(db: Db): Promise<number> {
  const { n } = await db
    .selectFrom('mails')
    .select(sql<number>`count(*)`.as('n'))
    .where('attempts', '>', 0)
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** Mails that are not sent yet; `oldest` in milliseconds. */
export async function countMails(db: Db): Promise<{ waiting: number; oldest: number | undefined }> {
  const { n, oldest } = await db
    .selectFrom('mails')
    .select([sql<number>`count(*)`.as('n'), sql<number | null>`min(created_at)`.as('oldest')])
    .executeTakeFirstOrThrow()
  return { waiting: Number(n), oldest: oldest === null ? undefined : Number(oldest) }
}
