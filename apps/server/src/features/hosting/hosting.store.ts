import { sql } from 'kysely'
import type { ChangeOf } from '../../platform/db/columns.ts'
import type { Database } from '../../platform/db/database.ts'
import { databaseNow } from '../../platform/db/now.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'

export interface HostRow {
  id: number
  /** The id of the FORGE_HOME that the instances run under. */
  home: string
  /** The run of the server that works on it. */
  holder: string
  /** Machine and FORGE_HOME, for people. */
  name: string
  pid: number
  /** 0: it ended in order. */
  seen_at: number
  /** The server that went silent, and from which the instances were taken over; its processes may still run. */
  former_home: string | null
  former_name: string | null
  former_at: number | null
  stop_asked_at: number | null
  stopped_at: number | null
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    instance_host: HostRow
  }
}

/** After so long without a word another server that starts takes the instances over. */
export const takenMs = 60_000
export type Holder = Pick<HostRow, 'home' | 'holder' | 'name' | 'pid'>

/** True when the instances run under this home from now on, and by this run of a server. */
export async function takeHost(db: Db, kind: Database['kind'], own: Holder): Promise<boolean> {
  const now = databaseNow(kind)
  const isOther = sql<boolean>`instance_host.home <> ${own.home} and instance_host.seen_at > 0`
  /** Values kept when the row is its own; a home that comes back knows about its processes. */
  const former = <T>(value: 'home' | 'name', column: 'former_home' | 'former_name') =>
    sql<T>`case when ${isOther} then instance_host.${sql.ref(value)}
      when instance_host.former_home = ${own.home} then null else instance_host.${sql.ref(column)} end`
  const taken = await db
    .insertInto('instance_host')
    .values({
      id: 1,
      ...own,
      seen_at: now,
      former_home: null,
      former_name: null,
      former_at: null,
      stop_asked_at: null,
      stopped_at: null,
    })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({
          ...own,
          seen_at: now,
          former_home: former<string | null>('home', 'former_home'),
          former_name: former<string | null>('name', 'former_name'),
          former_at: sql<number | null>`case when ${isOther} then ${now}
            when instance_host.former_home = ${own.home} then null else instance_host.former_at end`,
        })
        .where((row) =>
          row.or([
            row('instance_host.home', '=', own.home),
            row('instance_host.seen_at', '<', sql<number>`${now} - ${takenMs}`),
          ]),
        ),
    )
    .returning('id')
    .executeTakeFirst()
  return taken !== undefined
}

/** Says that it is there. Undefined when another run holds the instances. */
export async function beatHost(
  db: Db,
  kind: Database['kind'],
  holder: string,
): Promise<Pick<HostRow, 'stop_asked_at' | 'stopped_at'> | undefined> {
  return db
    .updateTable('instance_host')
    .set({ seen_at: databaseNow(kind) })
    .where('holder', '=', holder)
    .returning(['stop_asked_at', 'stopped_at'])
    .executeTakeFirst()
}

/** Does this run hold the instances, and until this transaction has ended? */
export async function holdsHost(
  tx: Tx,
  kind: Database['kind'],
  holder: string,
): Promise<Pick<HostRow, 'stop_asked_at'> | undefined> {
  const row = tx.selectFrom('instance_host').select('stop_asked_at').where('holder', '=', holder)
  return (kind === 'postgres' ? row.forShare() : row).executeTakeFirst()
}

/** The row, with how long ago its server was heard of; undefined before the first server. */
export async function findHost(db: Db, kind: Database['kind']): Promise<(HostRow & { silent: number }) | undefined> {
  return db
    .selectFrom('instance_host')
    .selectAll()
    .select(sql<number>`${databaseNow(kind)} - seen_at`.as('silent'))
    .executeTakeFirst()
}

export async function releaseHost(db: Db, holder: string): Promise<void> {
  await db.updateTable('instance_host').set({ seen_at: 0 }).where('holder', '=', holder).execute()
}

export async function updateHost<Change extends Partial<HostRow>>(
  db: Db,
  change: ChangeOf<HostRow, Change>,
): Promise<void> {
  await db.updateTable('instance_host').set(change).where('id', '=', 1).execute()
}

/** All instances are to be ended, also when no server has run any yet. */
export async function askStop(db: Db, now: number): Promise<void> {
  const asked = { stop_asked_at: now, stopped_at: null }
  await db
    .insertInto('instance_host')
    .values({
      id: 1,
      home: '',
      holder: '',
      name: '',
      pid: 0,
      seen_at: 0,
      former_home: null,
      former_name: null,
      former_at: null,
      ...asked,
    })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(asked))
    .execute()
}

/** A server whose instances another one runs now has ended what it had. */
export async function clearFormer(db: Db, home: string): Promise<void> {
  await db
    .updateTable('instance_host')
    .set({ former_home: null, former_name: null, former_at: null })
    .where('former_home', '=', home)
    .execute()
}
