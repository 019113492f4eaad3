import { type Route, type RouteId, routes } from '@app/contract'
import { addressOf } from '@app/client'
import { expect, test } from 'vitest'
import { openServer, send, type TestTeam, untilJobsEnded } from './index.ts'
import { mostQueries } from './queries.ts'

const server = await openServer()
const owner = await server.build.user()

interface Names {
  team: TestTeam
  applicationId: string
  instanceId: string
}

async function fill(applications: number, instances: number): Promise<Names> {
  const team = await server.build.team(owner)
  const names = { team, applicationId: '', instanceId: '' }
  for (let a = 0; a < applications; a++) {
    const application = await server.build.application(owner, team)
    names.applicationId = application.id
    for (let i = 0; i < instances; i++) names.instanceId = (await server.build.instance(owner, application)).id
  }
  await untilJobsEnded(server.app.database)
  return names
}

/** Number of queries that each read needs; a read of what is not in the team is left out. */
async function count({ team, applicationId, instanceId }: Names): Promise<Record<string, number>> {
  server.queries.worst.clear()
  const params: Record<string, string> = { teamId: team.id, teamSlug: team.slug, applicationId, instanceId }
  const counted: Record<string, number> = {}
  for (const [id, route] of Object.entries(routes) as [RouteId, Route][]) {
    const needed = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
    if (
      route.method !== 'GET' ||
      (route.access.kind === 'program' && route.access.program === 'instance') ||
      !needed.every((name) => params[name])
    )
      continue
    await send(server.address, 'GET', addressOf(route.path, params), { headers: { cookie: owner.cookie } })
    const queries = server.queries.worst.get(`GET ${route.path}`)
    if (queries !== undefined) counted[id] = queries
  }
  return counted
}

test('no read needs more queries for 10 applications of 9 instances than for one of one', async () => {
  const few = await count(await fill(1, 1))
  const many = await count(await fill(10, 9))
  expect(many).toEqual(few)
  expect(Object.keys(many)).toEqual(
    expect.arrayContaining([
      'application.listOfTeam',
      'application.statusOfTeam',
      'instance.listOfTeam',
      'team.auditLog',
    ]),
  )
  expect(Math.max(...Object.values(many))).toBeLessThanOrEqual(mostQueries)
})

test('the counter sees the queries of reads and of writes, before and after the body is read', async () => {
  const { worst } = server.queries
  worst.clear()
  await owner.client.call('account.get')
  // The session, and the record with an address that may be waiting.
  expect(worst.get('GET /api/v1/user')).toBe(2)
  await owner.client.call('account.update', { body: { name: 'x' } })
  // The session, the record, the change, two of the words it is found by, two of the audit log, an address that may
  // be waiting.
  expect(worst.get('PUT /api/v1/user')).toBe(8)
})
