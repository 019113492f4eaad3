import { expect, test } from 'vitest'
import { openWorkshop, send, testClock } from '../../../testing/index.ts'
import { openMetrics } from './stats.routes.ts'

const hour = 3_600_000
const day = 24 * hour
const clock = testClock()
const { server, admin: first, owner, running } = await openWorkshop({ clock })
/** Signs in anew when the clock has passed the end of a session. */
let admin = first
await running()

const asProgram = (token: string, accept = 'application/json', path = '/api/v1/admin/stats') =>
  send(server.address, 'GET', path, { headers: { authorization: `Bearer ${token}`, accept } })

test('[API-46] [ADM-21] [PERM-24] the statistics count what there is; without a licence nothing has a limit', async () => {
  const stats = await admin.client.call('admin.stats')
  expect(stats).toEqual({
    userCount: 2,
    maxUsers: null,
    adminCount: 1,
    inviteCount: 0,
    teamCount: 1,
    maxTeams: null,
    instanceCount: 1,
    maxInstances: null,
    instancesByState: { running: 1 },
    deviceCount: 0,
    maxDevices: null,
  })
  await expect(owner.client.call('admin.stats')).rejects.toMatchObject({ status: 403 })
  const lines = openMetrics({ ...stats, maxTeams: 7 })
  expect(lines).toContain('flowforge_user_count 2\n')
  expect(lines).toContain('flowforge_max_teams 7\n')
  expect(lines).toContain('flowforge_instances_by_state_running 1\n')
  expect(lines).not.toContain('null')
})

test('[API-47] [API-48] [PERM-25] [ASET-16] the token reads the statistics and nothing else, until it is replaced or deleted', async () => {
  const { token } = await admin.client.call('stats.createToken')
  expect(token).toMatch(/^ffu_/)
  expect((await asProgram(token)).json).toMatchObject({ userCount: 2 })
  const metrics = await asProgram(token, 'application/openmetrics-text')
  expect([metrics.status, metrics.text.split('\n')[0]]).toEqual([200, 'flowforge_user_count 2'])
  expect((await asProgram(token, undefined, '/api/v1/admin/stats/history')).status).toBe(200)
  for (const path of ['/api/v1/admin/audit-log', '/api/v1/user', '/api/v1/admin/license'])
    expect([401, 403]).toContain((await asProgram(token, undefined, path)).status)
  const next = await admin.client.call('stats.createToken')
  expect((await asProgram(token)).status).toBe(401)
  expect((await asProgram(next.token)).status).toBe(200)
  await expect(owner.client.call('stats.createToken')).rejects.toMatchObject({ status: 403 })
  await expect(owner.client.call('stats.deleteToken')).rejects.toMatchObject({ status: 403 })
  await admin.client.call('stats.deleteToken')
  expect((await asProgram(next.token)).status).toBe(401)
  const { log } = await admin.client.call('auditLog.list', { query: {} })
  expect(log.map(({ event }) => event).filter((event) => event.includes('stats-token'))).toEqual([
    'platform.stats-token.deleted',
    'platform.stats-token.created',
    'platform.stats-token.created',
  ])
})

test('the settings say whether there is a token, and never which', async () => {
  const said = async () => (await admin.client.call('settings.get'))['platform:stats:token']
  expect(await said()).toBe(false)
  const { token } = await admin.client.call('stats.createToken')
  expect(JSON.stringify(await admin.client.call('settings.get'))).not.toContain(token)
  expect(await said()).toBe(true)
  await admin.client.call('stats.deleteToken')
  expect(await said()).toBe(false)
  expect(await owner.client.call('settings.get')).not.toHaveProperty(['platform:stats:token'])
})

test('the counts are kept by the hour and by the day, once each, and no longer than they are shown', async () => {
  const { stats } = server.app.services
  clock.turn(hour)
  const first = clock.now()
  await stats.record()
  await stats.record()
  clock.turn(hour)
  await server.build.user()
  await stats.record()
  const { points } = await admin.client.call('stats.history', { query: { range: 'week' } })
  expect(points.at(-2)).toEqual({
    at: new Date(first - (first % hour)).toISOString(),
    userCount: 2,
    teamCount: 1,
    instanceCount: 1,
    instancesByState: { running: 1 },
    deviceCount: 0,
  })
  expect(points.at(-1)).toMatchObject({ userCount: 3 })
  clock.turn(9 * day)
  await stats.record()
  admin = await server.build.user({ admin: true })
  const rows = await server.app.database.read.selectFrom('stats_points').selectAll().orderBy('at').execute()
  expect(rows.filter(({ period }) => period === 'hour')).toHaveLength(1)
  expect(
    (await admin.client.call('stats.history', { query: { range: 'quarter' } })).points.length,
  ).toBeGreaterThanOrEqual(2)
  await expect(
    send(server.address, 'GET', '/api/v1/admin/stats/history?range=ever', { headers: { cookie: admin.cookie } }),
  ).resolves.toMatchObject({ status: 400 })
})

test('more than a licence allows is told of once a week and hinders nobody', async () => {
  const told = async () =>
    (await admin.client.call('auditLog.list', { query: { event: 'platform.license.overage' } })).log
  const limits = { users: 1, teams: 50, projects: 0, devices: null }
  await server.build.setting('license', { type: 'EE', expiresAt: clock.now() + 365 * day, limits })
  const { stats } = server.app.services
  await stats.record()
  await stats.record()
  expect((await told()).map(({ body }) => body.info)).toEqual([
    { resource: 'projects', count: 1, limit: 0 },
    { resource: 'users', count: 4, limit: 1 },
  ])
  expect(await admin.client.call('admin.stats')).toMatchObject({
    maxUsers: 1,
    maxTeams: 50,
    maxInstances: 0,
    maxDevices: null,
  })
  clock.turn(7 * day + 1)
  await stats.record()
  admin = await server.build.user({ admin: true })
  expect(await told()).toHaveLength(4)
})
