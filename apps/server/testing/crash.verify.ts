import { sql } from 'kysely'
import type { Database } from '../src/platform/db/database.ts'
import { type Fact, gone } from './crash.writer.ts'
import { send } from './request.ts'

type Body = { application?: { id: string }; team?: { id: string }; updates?: { key: string; new?: unknown }[] }

/** Everything that contradicts itself or what was acknowledged, one sentence each. */
export async function verify(
  database: Database,
  address: string,
  facts: readonly Fact[],
  userId: string,
): Promise<string[]> {
  const { read } = database
  const wrong: string[] = []
  const claim = (holds: boolean, text: string) => void (holds || wrong.push(text))
  const [teams, applications, instances, sessions, entries] = await Promise.all([
    read.selectFrom('teams').selectAll().execute(),
    read.selectFrom('applications').selectAll().where('deleted_at', 'is', null).execute(),
    read.selectFrom('instances').selectAll().where('deleted_at', 'is', null).execute(),
    read.selectFrom('sessions').selectAll().where('user_id', '=', userId).execute(),
    read.selectFrom('audit_log').selectAll().orderBy('id').execute(),
  ])

  // Acknowledged writes are there, with a value that was acknowledged or may have been reached.
  const values = new Map([
    ...teams.map((row) => [row.id, row.name] as const),
    ...applications.map((row) => [row.id, row.name] as const),
    ...instances.map((row) => [row.id, row.wanted as string] as const),
  ])
  for (const { kind, id, possible } of facts.filter((fact) => fact.kind !== 'session')) {
    const value = values.get(id) ?? gone
    claim(possible.has(value), `${kind} ${id} is ${value}, acknowledged was ${[...possible].join(' or ')}`)
  }
  for (const { id, possible } of facts.filter((fact) => fact.kind === 'session')) {
    const { status } = await send(address, 'GET', '/api/v1/user', { headers: { cookie: id } })
    claim(
      possible.has(status === 200 ? 'alive' : gone),
      `a session answers ${status}, acknowledged was ${[...possible].join(' or ')}`,
    )
  }

  // Every change has its entry, every entry its change.
  const of = (event: string, scope: string) =>
    entries.filter((entry) => entry.event === event && entry.scope_type === scope)
  const body = (entry: { body: string }) => JSON.parse(entry.body) as Body
  const same = (what: string, a: readonly string[], b: readonly string[]) =>
    claim(
      JSON.stringify(a.toSorted()) === JSON.stringify(b.toSorted()),
      `${what}: ${a.length} objects, ${b.length} entries, or not the same ones`,
    )
  const without = (all: readonly string[], some: readonly string[]) => all.filter((id) => !some.includes(id))
  const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

  same(
    'teams',
    ids(teams),
    of('team.created', 'team').map(({ scope_id }) => scope_id),
  )
  same(
    'teams on the platform',
    ids(teams),
    of('platform.team.created', 'platform').map((entry) => body(entry).team!.id),
  )
  const applicationOf = (entry: { body: string }) => body(entry).application!.id
  const [made, removed] = [
    of('application.created', 'team').map(applicationOf),
    of('application.deleted', 'team').map(applicationOf),
  ]
  same('applications', ids(applications), without(made, removed))
  const scoped = (event: string) => of(event, 'project').map(({ scope_id }) => scope_id)
  same('instances', ids(instances), without(scoped('project.created'), scoped('project.deleted')))
  for (const event of ['project.created', 'project.deleted']) {
    same(
      `${event} in both logs`,
      scoped(event),
      of(event, 'team').map((entry) => (JSON.parse(entry.body) as { project: { id: string } }).project.id),
    )
    claim(new Set(scoped(event)).size === scoped(event).length, `${event} stands there twice`)
  }
  const renamed = (
    row: { id: string; name: string },
    event: string,
    about: (entry: { body: string; scope_id: string }) => string,
  ) => {
    const last = of(event, 'team').findLast((entry) => about(entry) === row.id)
    const name = last && body(last).updates?.find(({ key }) => key === 'name')?.new
    claim(
      name === undefined || name === row.name,
      `${row.id} is called ${row.name}, its last entry says ${String(name)}`,
    )
  }
  for (const team of teams) renamed(team, 'team.settings.updated', ({ scope_id }) => scope_id)
  for (const application of applications) renamed(application, 'application.updated', applicationOf)
  const lasting = new Map([
    ['project.suspended', 'suspended'],
    ['project.started', 'running'],
    ['project.created', 'running'],
  ])
  for (const { id, wanted } of instances) {
    const last = entries.findLast(
      ({ scope_type, scope_id, event }) => scope_type === 'project' && scope_id === id && lasting.has(event),
    )
    claim(
      last !== undefined && lasting.get(last.event) === wanted,
      `instance ${id} should be ${wanted}, its last entry is ${last?.event}`,
    )
  }
  const mine = (event: string) => entries.filter((entry) => entry.event === event && entry.scope_id === userId).length
  claim(
    sessions.length === mine('account.login') - mine('account.logout'),
    `${sessions.length} sessions of ${mine('account.login')} sign-ins`,
  )

  // Nothing is half there.
  const owners = await read.selectFrom('team_members').select('team_id').where('role', '=', 50).execute()
  same(
    'teams and their owners',
    ids(teams),
    owners.map(({ team_id }) => team_id),
  )
  const open = await read
    .selectFrom('jobs')
    .select(['id', 'state'])
    .where('state', 'in', ['queued', 'running'])
    .execute()
  claim(open.length === 0, `${open.length} jobs are open`)
  claim(
    instances.every(({ in_flight }) => in_flight === null),
    'an instance is still in flight',
  )
  const left = [
    ...(await read.selectFrom('jobs').select('subject as id').execute()),
    ...(await read.selectFrom('tokens').select('instance_id as id').execute()),
  ]
  claim(
    left.every(({ id }) => id !== null && values.has(id)),
    'something of a deleted instance is left',
  )
  const counted = await sql<{ n: number }>`select count(*) as n from audit_counts as c where c.count <> (
    select count(*) from audit_log as l where l.scope_type = c.scope_type and l.scope_id = c.scope_id and l.event = c.event)`.execute(
    read,
  )
  claim(Number(counted.rows[0]?.n) === 0, 'the counts of the audit log are wrong')
  if (database.kind === 'sqlite') {
    const integrity = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(read)
    claim(
      JSON.stringify(integrity.rows) === '[{"integrity_check":"ok"}]',
      `integrity: ${JSON.stringify(integrity.rows)}`,
    )
    const orphans = await sql`pragma foreign_key_check`.execute(read)
    claim(orphans.rows.length === 0, `${orphans.rows.length} rows refer to nothing`)
  }
  return wrong
}
