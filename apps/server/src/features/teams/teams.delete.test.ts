import { roles } from '@app/contract'
import { expect, test } from 'vitest'
import { openPlatform, send, type TestUser } from '../../../testing/index.ts'

const { server, admin } = await openPlatform()

const remove = async (id: string, who: TestUser) =>
  send(server.address, 'DELETE', `/api/v1/teams/${id}`, { headers: { cookie: who.cookie } })

test('[TSET-08] [API-34] a team goes when its last application is gone, and its name is free again', async () => {
  const owner = await server.build.user()
  const team = await server.build.team(owner)
  const application = await server.build.application(owner, team)
  const refused = await remove(team.id, owner)
  expect([refused.status, refused.json.code]).toEqual([400, 'invalid_request'])
  await owner.client.call('application.delete', { params: { applicationId: application.id } })
  expect((await remove(team.id, owner)).json).toEqual({ status: 'okay' })
  expect((await remove(team.id, owner)).status).toBe(404)
  expect((await owner.client.call('team.mine')).teams).toEqual([])
  const events = await server.app.database.read
    .selectFrom('audit_log')
    .select(['event', 'scope_id'])
    .where('event', 'in', ['team.deleted', 'platform.team.deleted'])
    .orderBy('id')
    .execute()
  expect(events.map(({ event, scope_id }) => [event, scope_id])).toEqual([
    ['team.deleted', team.id],
    ['platform.team.deleted', 'platform'],
  ])
  const again = await server.build.team(owner, team.slug)
  expect(again.slug).toBe(team.slug)
})

test('members other than owners cannot, and people of other teams do not find it', async () => {
  const owner = await server.build.user()
  const team = await server.build.team(owner)
  expect((await remove(team.id, await server.build.member(team, roles.member))).status).toBe(403)
  expect((await remove(team.id, await server.build.user())).status).toBe(404)
  expect((await remove(team.id, admin)).status).toBe(200)
})
