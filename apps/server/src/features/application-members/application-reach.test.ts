import { limited, roles } from '@app/contract'
import { beforeAll, expect, test } from 'vitest'
import { createEditorSignIn } from '../../../testing/editor.sign-in.ts'
import { openPlatform, send, type TestUser } from '../../../testing/index.ts'

const { server, owner, team } = await openPlatform()
const { build } = server
beforeAll(() => build.setting('team:application-roles', true))

const call = (method: string, path: string, as: TestUser, body?: unknown) =>
  send(server.address, method, `/api/v1${path}`, { headers: { cookie: as.cookie }, body })

/** Two applications with an instance each; a limited owner of the first who has this role in the second, if any. */
async function two(inSecond?: typeof roles.viewer | typeof roles.owner) {
  const [line, other] = [await build.application(owner, team), await build.application(owner, team)]
  const [here, there] = [await build.runningInstance(owner, line), await build.runningInstance(owner, other)]
  const user = await build.member(team, limited)
  await build.applicationRole(line, user.id, roles.owner)
  if (inSecond) await build.applicationRole(other, user.id, inSecond)
  return { line, other, here, there, user }
}

test.each([
  [undefined, 404],
  [roles.viewer, 403],
  [roles.owner, 200],
] as const)(
  'with the role %s in another application, calls that name something of it answer %i',
  async (role, status) => {
    const { other, here, there, user } = await two(role)
    const options = { flows: true, credentials: true }
    const push = await call('PUT', `/projects/${here.id}`, user, { sourceProject: { id: there.id, options } })
    expect(push.status).toBe(status)
    const device = await owner.client.call('device.create', { body: { name: 'Oven', type: 'Pi', team: team.id } })
    await owner.client.call('device.update', { params: { deviceId: device.id }, body: { instance: here.id } })
    const assigned = await call('PUT', `/devices/${device.id}`, user, { instance: there.id })
    // The same as for an instance that is not there.
    expect(assigned.status).toBe(status === 404 ? 400 : status)
    const move = await call('PUT', `/projects/${here.id}/application`, user, { applicationId: other.id })
    expect(move.status).toBe(status)
  },
)

test('[PERM-79] devices are seen with the application of their instance: in lists, charts and by their id', async () => {
  const { here, there, user } = await two()
  const made = async (instance: string | null) => {
    const { id } = await owner.client.call('device.create', { body: { name: 'Oven', type: 'Pi', team: team.id } })
    await owner.client.call('device.update', { params: { deviceId: id }, body: { instance } })
    return id
  }
  const [mine, others, none] = [await made(here.id), await made(there.id), await made(null)]
  const { json } = await call('GET', `/teams/${team.id}/devices?query=oven`, user)
  expect([json.count, (json.devices as { id: string }[]).map(({ id }) => id)]).toEqual([1, [mine]])
  expect((await call('GET', `/teams/${team.id}/devices/charts`, user)).json).toMatchObject({ lastSeen: { never: 1 } })
  const statuses = await Promise.all([mine, others, none].map((id) => call('GET', `/devices/${id}`, user)))
  expect(statuses.map(({ status }) => status)).toEqual([200, 404, 404])
})

test('[PERM-80] a personal token loses an application with the role of its owner', async () => {
  const { line, here, user } = await two()
  const { token } = await user.client.call('tokens.create', {
    body: { name: 'CI', scopes: ['project:read'], expiresAt: null },
  })
  const read = async () =>
    (
      await send(server.address, 'GET', `/api/v1/projects/${here.id}`, {
        headers: { authorization: `Bearer ${token}` },
      })
    ).status
  expect(await read()).toBe(200)
  const params = { teamId: team.id, applicationId: line.id, userId: user.id }
  await owner.client.call('applicationMember.changeRole', { params, body: { role: roles.viewer } })
  expect(await read()).toBe(200)
  await owner.client.call('applicationMember.remove', { params })
  expect(await read()).toBe(404)
  const { userId: _, ...home } = params
  await owner.client.call('applicationMember.add', { params: home, body: { user: user.id, role: roles.viewer } })
  expect(await read()).toBe(200)
})

test('[PERM-80] the editor lets a limited member in by the role in its application, and out when that is taken away', async () => {
  const editor = await createEditorSignIn()
  const { server: other, owner: boss, team: bakery, instance, signIn, complete, refresh, location } = editor
  await other.build.setting('team:application-roles', true)
  const { application } = await boss.client.call('instance.get', { params: { instanceId: instance.id } })
  const home = { id: application.id, teamId: bakery.id }
  const [builder, reader, outsider] = [
    await other.build.member(bakery, limited),
    await other.build.member(bakery, limited),
    await other.build.member(bakery, limited),
  ]
  await other.build.applicationRole(home, builder.id, roles.member)
  await other.build.applicationRole(home, reader.id, roles.viewer)
  expect((await signIn(reader)).scope).toBe('read')
  const tokens = await signIn(builder)
  expect(tokens.scope).toBe('*')
  expect(location(await complete(outsider)).searchParams.get('error')).toBe('access_denied')
  await boss.client.call('applicationMember.remove', {
    params: { teamId: bakery.id, applicationId: home.id, userId: builder.id },
  })
  expect((await refresh(tokens.refresh_token!)).status).toBe(400)
  expect((await editor.profile(tokens.access_token!)).status).toBe(401)
  await other.close()
})

test('[PERM-80] when an instance leaves an application, its limited members lose it with the open editor', async () => {
  const { other, here, user } = await two()
  const access = await server.app.database.transact((tx) =>
    server.app.services.tokens.forEditor(tx, user.id, here.id, '*', null),
  )
  const profile = async () =>
    (
      await send(server.address, 'GET', '/api/v1/user', {
        headers: { authorization: `Bearer ${access.access}` },
      })
    ).status
  expect(await profile()).toBe(200)
  await owner.client.call('instance.move', { params: { instanceId: here.id }, body: { applicationId: other.id } })
  expect(await profile()).toBe(401)
  expect((await call('GET', `/projects/${here.id}`, user)).status).toBe(404)
})
