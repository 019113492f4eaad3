import { type QueryOf, type RouteId, type Routes, routes } from '@app/contract'
import { addressOf } from '@app/client'
import { beforeAll, expect, test } from 'vitest'
import { send, startServer, type TestServer, type TestUser, untilJobsEnded } from './index.ts'

/** The calls that answer a page of a list. The cursors of a log wait for its newest lines, so it never ends. */
type Paged = Exclude<
  { [Id in RouteId]: 'cursor' extends keyof QueryOf<Routes[Id]> ? Id : never }[RouteId],
  'instance.logs'
>

/** The key of the rows of each list. */
const lists: Record<Paged, string> = {
  'auditLog.list': 'log',
  'deployment.list': 'deployments',
  'device.auditLog': 'log',
  'device.list': 'devices',
  'device.listOfInstance': 'devices',
  'device.listOfTeam': 'devices',
  'history.list': 'history',
  'instance.auditLog': 'log',
  'instance.listOfTeam': 'projects',
  'instance.openOfTeam': 'projects',
  'instanceType.list': 'types',
  'metrics.team': 'instances',
  'provisioning.list': 'tokens',
  'snapshot.list': 'snapshots',
  'sso.list': 'providers',
  'stack.list': 'stacks',
  'team.auditLog': 'log',
  'team.list': 'teams',
  'template.list': 'templates',
  'user.list': 'users',
}

let server: TestServer
let admin: TestUser
let params: { teamId: string; instanceId: string; deviceId: string }

/** A platform with three of everything that is listed, at least. */
beforeAll(async () => {
  server = await startServer()
  const { build, app } = server
  await build.setting('user:sso', true)
  admin = await build.user({ admin: true })
  const team = await build.team(admin)
  const application = await build.application(admin, team)
  const { id: instanceId } = await build.runningInstance(admin, application)
  params = { teamId: team.id, instanceId, deviceId: '' }
  const { projectType } = await build.choice()
  const { client } = admin
  for (const name of ['one', 'two', 'three']) {
    await build.user()
    await build.team(admin)
    await build.instance(admin, application)
    await client.call('instanceType.create', { body: { name } })
    await client.call('stack.create', {
      body: { name, projectType, properties: { nodered: '5.0.7', memory: 256 } },
    })
    await client.call('template.create', { body: { name } })
    await client.call('sso.create', { body: { name, domainFilter: `@${name}.example.com` } })
    await client.call('provisioning.create', { params, body: { name } })
    const device = await client.call('device.create', { body: { name, team: team.id } })
    await client.call('device.update', { params: { deviceId: device.id }, body: { instance: instanceId } })
    await client.call('device.update', { params: { deviceId: device.id }, body: { type: 'Pi' } })
    params.deviceId = device.id
    await client.call('snapshot.create', { params, body: { name } })
    await client.call('instance.import', { params, body: { flows: JSON.stringify([{ id: name, type: 'tab' }]) } })
    await untilJobsEnded(app.database)
  }
  return () => server.close()
}, 60_000)

test.each(Object.entries(lists))('[API-07] %s leads on to no page without rows', async (id, key) => {
  const path = addressOf(routes[id as Paged].path, params)
  const page = async (query: string) => {
    const { json } = await send(server.address, 'GET', `${path}?${query}`, { headers: { cookie: admin.cookie } })
    const { meta, [key]: rows } = json as { meta: { next_cursor?: string }; [key: string]: unknown }
    return { rows: (rows as { id: string }[]).map((row) => row.id), next: meta.next_cursor }
  }
  const { rows: all, next } = await page('limit=100')
  expect([all.length >= 3, next]).toEqual([true, undefined])
  for (const limit of [2, all.length - 1, all.length, all.length + 1]) {
    const pages = [await page(`limit=${limit}`)]
    for (let cursor = pages[0]!.next; cursor; cursor = pages.at(-1)!.next)
      pages.push(await page(`limit=${limit}&cursor=${cursor}`))
    expect(pages.flatMap(({ rows }) => rows)).toEqual(all)
    expect(pages).toHaveLength(Math.ceil(all.length / limit))
  }
})
