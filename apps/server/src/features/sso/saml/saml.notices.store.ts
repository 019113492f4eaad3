import type { Db, Tx } from '../../../platform/db/tables.ts'

declare module '../../../platform/db/tables.ts' {
  interface Tables {
    /** Certificates whose end administrators were told of. */
    sso_certificate_notices: { provider_id: string; fingerprint: string; created_at: number }
  }
}

/** Records that a certificate was told of; false when it was before, by whichever server. */
export async function insertNotice(
  tx: Tx,
  row: { provider_id: string; fingerprint: string; created_at: number },
): Promise<boolean> {
  const added = await tx
    .insertInto('sso_certificate_notices')
    .values(row)
    .onConflict((conflict) => conflict.columns(['provider_id', 'fingerprint']).doNothing())
    .executeTakeFirst()
  return added.numInsertedOrUpdatedRows === 1n
}

/** The certificates that were told of, as `<provider> <fingerprint>`. */
export async function listNotices(db: Db): Promise<Set<string>> {
  const rows = await db.selectFrom('sso_certificate_notices').select(['provider_id', 'fingerprint']).execute()
  return new Set(rows.map(({ provider_id, fingerprint }) => `${provider_id} ${fingerprint}`))
}

/** The administrators who can sign in. */
export async function listAdministrators(db: Db): Promise<{ name: string; email: string }[]> {
  return db
    .selectFrom('users')
    .select(['name', 'email'])
    .where('admin', '=', 1)
    .where('suspended', '=', 0)
    .orderBy('id')
    .execute()
}
