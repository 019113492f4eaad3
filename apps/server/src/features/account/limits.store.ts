import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    rate_limits: { key: string; count: number; resets_at: number }
  }
}

/** Counts within fixed windows, shared by all server processes. */
export interface Limiter {
  /** Seconds to wait before `key` may be tried again; 0 when it may be now. */
  wait(limits: readonly { key: string; most: number }[]): Promise<number>
  count(keys: readonly string[]): Promise<void>
  clear(key: string): Promise<void>
}

export function createLimiter(database: Database, now: () => number, windowMs: number): Limiter {
  return {
    async wait(limits) {
      const rows = await database.read
        .selectFrom('rate_limits')
        .selectAll()
        .where(
          'key',
          'in',
          limits.map(({ key }) => key),
        )
        .where('resets_at', '>', now())
        .execute()
      const full = rows.filter((row) => limits.some(({ key, most }) => key === row.key && row.count >= most))
      return Math.max(0, ...full.map((row) => Math.ceil((row.resets_at - now()) / 1000)))
    },
    async count(keys) {
      const until = now() + windowMs
      await database.transact(async (tx) => {
        await tx.deleteFrom('rate_limits').where('resets_at', '<=', now()).execute()
        await tx
          .insertInto('rate_limits')
          .values(keys.map((key) => ({ key, count: 1, resets_at: until })))
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ count: sql`rate_limits.count + 1` }))
          .execute()
      })
    },
    clear: async (key) => void (await database.read.deleteFrom('rate_limits').where('key', '=', key).execute()),
  }
}
