import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/tables.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    rate_limits: { key: string; count: number; resets_at: number }
  }
}

/** Maximum count of a key within a window. */
export interface Limit {
  key: string
  most: number
}

/** Counts within fixed windows, shared by all server processes. Times are milliseconds. */
export function createLimiter(now: () => number, windowMs: number) {
  async function add(tx: Tx, keys: readonly string[], at: number) {
    const until = at + windowMs
    return tx
      .insertInto('rate_limits')
      .values(keys.map((key) => ({ key, count: 1, resets_at: until })))
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet({
          count: sql`case when rate_limits.resets_at <= ${at} then 1 else rate_limits.count + 1 end`,
          resets_at: sql`case when rate_limits.resets_at <= ${at} then ${until} else rate_limits.resets_at end`,
        }),
      )
      .returningAll()
      .execute()
  }

  return {
    /** Counts once more; how often it was within the window, each number once also among servers. */
    count: async (tx: Tx, key: string): Promise<number> => (await add(tx, [key], now()))[0]?.count ?? 0,

    /** Seconds to wait when a key is full already, else 0. Only reads, so whoever goes on trying costs next to nothing. */
    async wait(db: Db, limits: readonly Limit[]): Promise<number> {
      const at = now()
      const rows = await db
        .selectFrom('rate_limits')
        .selectAll()
        .where(
          'key',
          'in',
          limits.map(({ key }) => key),
        )
        .where('resets_at', '>', at)
        .execute()
      const full = rows.filter((row) => limits.some(({ key, most }) => key === row.key && row.count >= most))
      return Math.max(0, ...full.map((row) => Math.ceil((row.resets_at - at) / 1000)))
    },

    /**
     * Counts one try under every key before it is made, so that tries made at once cannot all see room.
     * Seconds to wait when a key is full, else 0; the caller undoes the transaction of a try that may not be made.
     */
    async take(tx: Tx, limits: readonly Limit[]): Promise<number> {
      const at = now()
      const rows = await add(
        tx,
        limits.map(({ key }) => key),
        at,
      )
      const full = rows.filter((row) => limits.some(({ key, most }) => key === row.key && row.count > most))
      return Math.max(0, ...full.map((row) => Math.ceil((row.resets_at - at) / 1000)))
    },

    /** Takes back a try that turned out to be none. */
    async giveBack(tx: Tx, ...keys: string[]): Promise<void> {
      await tx.updateTable('rate_limits').set({ count: sql`count - 1` }).where('key', 'in', keys).execute()
    },

    /** Forgets these keys, and every window that has ended. */
    async clear(tx: Tx, ...keys: string[]): Promise<void> {
      await tx
        .deleteFrom('rate_limits')
        .where((where) => where.or([where('key', 'in', keys), where('resets_at', '<=', now())]))
        .execute()
    },
  }
}

/** Forgets windows that have ended. Returns how many, at most `atMost`. */
export async function deleteEndedLimits(db: Db, now: number, atMost: number): Promise<number> {
  const ended = db.selectFrom('rate_limits').select('key').where('resets_at', '<=', now).limit(atMost)
  return Number((await db.deleteFrom('rate_limits').where('key', 'in', ended).executeTakeFirst()).numDeletedRows)
}
