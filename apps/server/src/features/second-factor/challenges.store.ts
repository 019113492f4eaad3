import type { Db, Flag, Tables, Tx } from '../../platform/db/tables.ts'

/** The purpose of a challenge; it is good for no other. */
export type Purpose = 'add' | 'prove' | 'sign-in'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    passkey_challenges: { challenge: string; user_id: string; purpose: Purpose; expires_at: number }
    sign_in_steps: {
      token_hash: string
      user_id: string
      /** The password that was right; when it is another one by now, the step is over. */
      password_hash: string
      expires_at: number
      /** A provider signed the person in, in the place of the password. */
      by_provider: Flag
    }
  }
}

/** Keeps a challenge, and forgets those of this user for the same purpose and all that have expired. */
export async function insertChallenge(
  tx: Tx,
  row: { challenge: string; user_id: string; purpose: Purpose; expires_at: number },
  now: number,
): Promise<void> {
  await tx
    .deleteFrom('passkey_challenges')
    .where((where) =>
      where.or([where('expires_at', '<=', now), where.and({ user_id: row.user_id, purpose: row.purpose })]),
    )
    .execute()
  await tx.insertInto('passkey_challenges').values(row).execute()
}

/** Uses a challenge up; false when it was not made for this, was used before or has expired. */
export async function takeChallenge(
  tx: Tx,
  { challenge, userId, purpose, now }: { challenge: string; userId: string; purpose: Purpose; now: number },
): Promise<boolean> {
  const result = await tx
    .deleteFrom('passkey_challenges')
    .where('challenge', '=', challenge)
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return result.numDeletedRows === 1n
}

/** Keeps a sign-in that waits for its second step, and forgets those that have expired. */
export async function insertStep(tx: Tx, row: Tables['sign_in_steps'], now: number): Promise<void> {
  await tx.deleteFrom('sign_in_steps').where('expires_at', '<=', now).execute()
  await tx.insertInto('sign_in_steps').values(row).execute()
}

/** The sign-in that waits behind this token. */
export async function findStep(db: Db, tokenHash: string, now: number) {
  return db
    .selectFrom('sign_in_steps')
    .select(['user_id', 'password_hash', 'by_provider'])
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Ends a step; false when it has ended already. */
export async function deleteStep(tx: Tx, tokenHash: string): Promise<boolean> {
  const result = await tx.deleteFrom('sign_in_steps').where('token_hash', '=', tokenHash).executeTakeFirst()
  return result.numDeletedRows === 1n
}
