import { type PersonRow, personColumns } from '../account/index.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'

export interface InvitationRow {
  id: string
  team_id: string
  invitor_id: string
  /** Somebody with an account, or an address without one. Neither of the two: whoever has the link. */
  invitee_id: string | null
  email: string | null
  email_key: string | null
  role: number
  /** The hash of the code in the mail to an address, whose reader gives it back; or of the code of a link. */
  code_hash: string | null
  created_at: number
  expires_at: number
  sent_at: number | null
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    invitations: InvitationRow
  }
}

export type ListedInvitation = InvitationRow & { team_name: string; team_slug: string }

/** Selects invitations: those of one person, of one team, for one address, or all. */
export interface InvitationFilter {
  id?: string
  inviteeId?: string
  teamId?: string
  emailKey?: string
  codeHash?: string
  /** For a link, which is for nobody by name. */
  linkHash?: string
}

/** Invitations that are not answered and not expired, the oldest first. */
export async function listInvitations(db: Db, filter: InvitationFilter, now: number): Promise<ListedInvitation[]> {
  let rows = db
    .selectFrom('invitations as invitation')
    .innerJoin('teams as team', 'team.id', 'invitation.team_id')
    .selectAll('invitation')
    .select(['team.name as team_name', 'team.slug as team_slug'])
    .where('invitation.expires_at', '>', now)
    .orderBy('invitation.id')
  if (filter.id !== undefined) rows = rows.where('invitation.id', '=', filter.id)
  if (filter.inviteeId !== undefined) rows = rows.where('invitee_id', '=', filter.inviteeId)
  if (filter.teamId !== undefined) rows = rows.where('team_id', '=', filter.teamId)
  if (filter.emailKey !== undefined) rows = rows.where('email_key', '=', filter.emailKey)
  if (filter.codeHash !== undefined) rows = rows.where('code_hash', '=', filter.codeHash)
  if (filter.linkHash !== undefined)
    rows = rows.where('code_hash', '=', filter.linkHash).where('invitee_id', 'is', null).where('email_key', 'is', null)
  return rows.execute()
}

export async function listUsers(db: Db, ids: readonly string[]): Promise<PersonRow[]> {
  if (ids.length === 0) return []
  return db.selectFrom('users').select(personColumns).where('id', 'in', ids).execute()
}

/** Users whose name or address is among these keys. */
export async function listUsersByKeys(db: Db, keys: readonly string[]): Promise<PersonRow[]> {
  return db
    .selectFrom('users')
    .select(personColumns)
    .where((where) => where.or([where('username_key', 'in', keys), where('email_key', 'in', keys)]))
    .execute()
}

/** Number of open links of a team. */
export async function countLinks(tx: Tx, teamId: string): Promise<number> {
  const { links } = await tx
    .selectFrom('invitations')
    .select(({ fn }) => fn.countAll().as('links'))
    .where('team_id', '=', teamId)
    .where('invitee_id', 'is', null)
    .where('email_key', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(links)
}

/** Adds what is not invited yet; returns what was added. */
export async function insertInvitations(tx: Tx, rows: readonly InvitationRow[]): Promise<InvitationRow[]> {
  if (rows.length === 0) return []
  return tx
    .insertInto('invitations')
    .values([...rows])
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .execute()
}

/** Gives an invitation new times and a new code; false when it was mailed after `notSince`, answered or withdrawn. */
export async function renewInvitation(
  tx: Tx,
  id: string,
  change: { sent_at: number; expires_at: number; code_hash: string | null },
  notSince: number,
): Promise<boolean> {
  const result = await tx
    .updateTable('invitations')
    .set(change)
    .where('id', '=', id)
    .where((where) => where.or([where('sent_at', 'is', null), where('sent_at', '<=', notSince)]))
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Makes an invitation of an address, or a link, one of this person's account, unless there is one already. */
export async function readdress(tx: Tx, { id, team_id }: InvitationRow, userId: string): Promise<void> {
  const same = tx.selectFrom('invitations').select('id').where('team_id', '=', team_id).where('invitee_id', '=', userId)
  if (await same.executeTakeFirst()) await deleteInvitations(tx, [id])
  else
    await tx
      .updateTable('invitations')
      .set({ invitee_id: userId, email: null, email_key: null, code_hash: null })
      .where('id', '=', id)
      .execute()
}

/** False when it was answered or withdrawn meanwhile. */
export async function deleteInvitation(tx: Tx, id: string): Promise<boolean> {
  return (await tx.deleteFrom('invitations').where('id', '=', id).executeTakeFirst()).numDeletedRows === 1n
}

export async function deleteInvitations(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom('invitations').where('id', 'in', ids).execute()
}

export async function deleteExpired(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('invitations').where('expires_at', '<=', now).execute()
}
