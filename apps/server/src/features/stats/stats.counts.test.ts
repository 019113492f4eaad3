import { expect, test } from 'vitest'
import { openServer, send, type TestUser, until } from '../../../testing/index.ts'

const server = await openServer()
const admin = await server.build.user({ admin: true })

const get = async (path: string, as: TestUser = admin) =>
  (await send(server.address, 'GET', path, { headers: { cookie: as.cookie } })).json

test('[ADM-21] [API-46] the statistics count everything there is', async () => {
  const owner = await server.build.user()
  const team = await server.build.team(owner)
  const application = await server.build.application(owner, team)
  const [one, two] = [await server.build.instance(owner, application), await server.build.instance(owner, application)]
  const state = async (id: string) => (await get(`/api/v1/projects/${id}`, owner)).meta as { state: string }
  for (const { id } of [one, two])
    await until(
      () => state(id),
      (now) => now.state === 'running',
    )
  await send(server.address, 'POST', `/api/v1/projects/${one.id}/actions/suspend`, {
    headers: { cookie: owner.cookie },
  })
  await until(
    () => state(one.id),
    (now) => now.state === 'suspended',
  )
  const guest = await server.build.user()
  await owner.client.call('invitation.create', { params: { teamId: team.id }, body: { user: guest.username } })
  await owner.client.call('device.create', { body: { name: 'Oven 3', type: 'Pi', team: team.id } })
  expect(await get('/api/v1/admin/stats')).toEqual({
    userCount: 3,
    maxUsers: null,
    adminCount: 1,
    inviteCount: 1,
    teamCount: 1,
    maxTeams: null,
    instanceCount: 2,
    maxInstances: null,
    instancesByState: { running: 1, suspended: 1 },
    deviceCount: 1,
    maxDevices: null,
  })
  expect(server.queries.worst.get('GET /api/v1/admin/stats')).toBe(5)
})
