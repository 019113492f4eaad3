import { expect, test } from 'vitest'
import { openServer, send, untilJobsEnded } from '../../../testing/index.ts'
import type { EditorGrant } from '../tokens/index.ts'

const server = await openServer()
await server.build.platform()

let serial = 0
/** Somebody who owns two teams, each with an instance, and has the editor of the first one open. */
async function world() {
  const owner = await server.build.user()
  const team = await server.build.team(owner)
  const elsewhere = await server.build.team(owner)
  const [opened, sibling, foreign] = await Promise.all(
    [team, team, elsewhere].map(async (of) =>
      server.build.instance(owner, await server.build.application(owner, of), `reach-${(serial += 1)}`),
    ),
  )
  await untilJobsEnded(server.app.database)
  const { database, services } = server.app
  const token = async (grant: EditorGrant) =>
    (await database.transact((tx) => services.tokens.forEditor(tx, owner.id, opened!.id, grant))).access
  return { owner, team, elsewhere, opened: opened!, sibling: sibling!, foreign: foreign!, token }
}

test('an editor token shows who its person is, and opens nothing of their teams but its own instance, of which it may do nothing', async () => {
  const { owner, team, elsewhere, opened, sibling, foreign, token } = await world()
  const versions = async (id: string) => {
    const { versions: all } = await owner.client.call('version.list', { params: { instanceId: id } })
    return all
  }
  expect(await versions(foreign.id)).toBeInstanceOf(Array)
  for (const grant of ['*', 'read', 'http'] as const) {
    const headers = { authorization: `Bearer ${await token(grant)}` }
    const status = async (method: string, path: string, body?: unknown) =>
      (await send(server.address, method, path, { headers, body })).status
    const profile = await send(server.address, 'GET', '/api/v1/user', { headers })
    expect(profile.json).toMatchObject({ id: owner.id, username: owner.username })
    for (const { id } of [team, elsewhere]) {
      expect(await status('GET', `/api/v1/teams/${id}`)).toBe(404)
      expect(await status('GET', `/api/v1/teams/${id}/dashboard-instances`)).toBe(404)
      expect(await status('GET', `/storage/library/${id}/?type=flows`)).toBe(404)
    }
    for (const { id } of [sibling, foreign]) {
      expect(await status('GET', `/api/v1/projects/${id}`)).toBe(404)
      expect(await status('GET', `/api/v1/projects/${id}/versions/none/flows`)).toBe(404)
      expect(await status('GET', `/storage/${id}/flows`)).toBe(401)
    }
    expect(await status('GET', `/api/v1/projects/${opened.id}`)).toBe(403)
    expect(await status('GET', `/api/v1/projects/${opened.id}/versions/none/flows`)).toBe(403)
    for (const path of ['/api/v1/user/teams', '/api/v1/team-types', '/api/v1/stacks', '/api/v1/teams'])
      expect([path, await status('GET', path)]).toEqual([path, 403])
  }
})

test('the profile that an editor reads says nothing of the person beyond who they are', async () => {
  const { owner, team, token } = await world()
  await owner.client.call('account.update', { body: { defaultTeam: team.id } })
  const headers = { authorization: `Bearer ${await token('*')}` }
  const { json } = await send(server.address, 'GET', '/api/v1/user', { headers })
  expect(Object.keys(json).toSorted()).toEqual(
    ['admin', 'avatar', 'createdAt', 'email', 'email_verified', 'id', 'name', 'suspended', 'username'].toSorted(),
  )
  expect(await owner.client.call('account.get')).toMatchObject({ defaultTeam: team.id })
})
