import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../platform/db/tables.ts'

export interface Counts {
  users: number
  admins: number
  invitations: number
  teams: number
}

const count = (table: string, condition = sql<SqlBool>`1 = 1`) =>
  sql<number>`(select count(*) from ${sql.table(table)} where ${condition})`

/** How many people, invitations and teams there are, and how many instances in each state shown; one query. */
export async function countAll(db: Db, now: number): Promise<{ counts: Counts; states: Record<string, number> }> {
  const { rows } = await sql<{ kind: string; n: number }>`
    select 'users' as kind, ${count('users')} as n
    union all select 'admins', ${count('users', sql`admin = 1`)}
    union all select 'invitations', ${count('invitations', sql`expires_at > ${now}`)}
    union all select 'teams', ${count('teams')}
    union all select 'state:' || shown.state, count(*) from (
      select case when in_flight is not null and in_flight_until > ${now} then in_flight
        when wanted = 'suspended' then 'suspended' else observed end as state from instances) as shown
      group by shown.state`.execute(db)
  const all = new Map(rows.map(({ kind, n }) => [kind, Number(n)]))
  const of = (kind: string) => all.get(kind) ?? 0
  const states = [...all].filter(([kind]) => kind.startsWith('state:')).map(([kind, n]) => [kind.slice(6), n])
  return {
    counts: { users: of('users'), admins: of('admins'), invitations: of('invitations'), teams: of('teams') },
    states: Object.fromEntries(states) as Record<string, number>,
  }
}
