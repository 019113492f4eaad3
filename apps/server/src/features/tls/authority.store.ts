import type { Db, Tx } from '../../platform/db/tables.ts'

export interface AuthorityRow {
  id: number
  /** The names it is good for, as JSON. */
  names: string
  /** PEM. */
  certificate: string
  key_sealed: string
  created_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    local_authority: AuthorityRow
  }
}

/** There is one row at most. */
const id = 1

export const findAuthority = (db: Db): Promise<AuthorityRow | undefined> =>
  db.selectFrom('local_authority').selectAll().where('id', '=', id).executeTakeFirst()

/** Keeps a new one in the place of the one for `former` names. Another server may have been first: then that stays. */
export async function keepAuthority(
  tx: Tx,
  row: Omit<AuthorityRow, 'id'>,
  former: string | undefined,
): Promise<AuthorityRow> {
  if (former !== undefined)
    await tx.deleteFrom('local_authority').where('id', '=', id).where('names', '=', former).execute()
  await tx
    .insertInto('local_authority')
    .values({ id, ...row })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await findAuthority(tx))!
}
