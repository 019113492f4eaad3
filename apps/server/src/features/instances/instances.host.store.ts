import { sql } from 'kysely'
import type { Db } from '../../platform/db/tables.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    instance_host: { id: number; home: string; seen_at: number }
  }
}

/** The clock of the database, since those of two machines differ. */
const now = sql<number>`(extract(epoch from now()) * 1000)::bigint`
const silentMs = 60_000

/** True when the instances run under this home from now on. PostgreSQL only. */
export async function takeHost(db: Db, home: string): Promise<boolean> {
  const taken = await db
    .insertInto('instance_host')
    .values({ id: 1, home, seen_at: now })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ home, seen_at: now })
        .where((row) =>
          row.or([
            row('instance_host.home', '=', home),
            row('instance_host.seen_at', '<', sql<number>`${now} - ${silentMs}::bigint`),
          ]),
        ),
    )
    .returning('id')
    .executeTakeFirst()
  return taken !== undefined
}

export async function releaseHost(db: Db, home: string): Promise<void> {
  await db.updateTable('instance_host').set({ seen_at: 0 }).where('home', '=', home).execute()
}
