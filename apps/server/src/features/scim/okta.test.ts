import { expect, test } from 'vitest'
import { openDirectory, openServer } from '../../../testing/index.ts'

// The requests are those that Okta documents for SCIM 2.0 ("SCIM 2.0 protocol reference"), in the order in which it makes
// them. They were written from that text, not recorded.
const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
const server = await openServer()
const admin = await server.build.user({ admin: true })
const okta = await openDirectory(server, admin, { name: 'Okta', directory: 'Okta' })

const account = async (id: string) => admin.client.call('user.get', { params: { userId: id } })

test('Okta looks a person up, creates, updates, deactivates and reactivates them', async () => {
  const lookUp = '/Users?filter=userName%20eq%20%22test.user%40okta.local%22&startIndex=1&count=100'
  expect((await okta.call('GET', lookUp)).json).toMatchObject({ totalResults: 0, itemsPerPage: 0 })
  const body = {
    schemas: [userSchema],
    userName: 'test.user@okta.local',
    name: { givenName: 'Test', familyName: 'User' },
    emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
    displayName: 'Test User',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
  }
  const created = await okta.call('POST', '/Users', body)
  expect(created).toMatchObject({ status: 201, json: { userName: body.userName, active: true, groups: [] } })
  expect(created.text).not.toContain('password')
  const rows = await server.app.database.read.selectFrom('scim_users').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(body.password)
  const id = created.json.id as string
  const login = server.build.anonymous.call('account.login', {
    body: { username: 'test-user', password: body.password },
  })
  await expect(login).rejects.toMatchObject({ status: 401 })
  expect((await okta.call('GET', lookUp)).json).toMatchObject({ totalResults: 1, Resources: [{ id }] })

  const name = { givenName: 'Another', familyName: 'User' }
  const updated = await okta.call('PUT', `/Users/${id}`, { ...body, id, name, displayName: 'Another User' })
  expect(updated).toMatchObject({ status: 200, json: { id, name, locale: 'en-US' } })
  expect((await account(id)).name).toBe('Another User')

  const off = await okta.patch(`/Users/${id}`, { op: 'replace', value: { active: false } })
  expect(off).toMatchObject({ status: 200, json: { active: false } })
  expect((await account(id)).suspended).toBe(true)
  await okta.patch(`/Users/${id}`, { op: 'replace', value: { active: true } })
  expect((await account(id)).suspended).toBe(false)
  expect((await okta.call('GET', '/Users?startIndex=1&count=100')).json).toMatchObject({ totalResults: 1 })
})

test('Okta pushes a group, its name and its members', async () => {
  const [one, two] = [await okta.user('one@okta.local'), await okta.user('two@okta.local')]
  expect((await okta.call('GET', '/Groups?startIndex=1&count=100')).json).toMatchObject({ totalResults: 0 })
  const members = [{ value: one, display: 'one@okta.local' }]
  const created = await okta.call('POST', '/Groups', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: 'Test SCIMv2',
    members,
  })
  expect(created).toMatchObject({ status: 201, json: { displayName: 'Test SCIMv2', members: [{ value: one }] } })
  const id = created.json.id as string
  const path = `/Groups/${id}`
  const named = await okta.patch(path, { op: 'replace', value: { id, displayName: 'Test SCIMv2.1' } })
  expect(named.status).toBe(204)
  const now = async () => {
    const { displayName, members: all } = (await okta.call('GET', path)).json as {
      displayName: string
      members: { value: string }[]
    }
    return [displayName, ...all.map(({ value }) => value)]
  }
  expect(await now()).toEqual(['Test SCIMv2.1', one])
  await okta.patch(
    path,
    { op: 'remove', path: `members[value eq "${one}"]` },
    { op: 'add', path: 'members', value: [{ value: two, display: 'two@okta.local' }] },
  )
  expect(await now()).toEqual(['Test SCIMv2.1', two])
  await okta.patch(path, { op: 'replace', path: 'members', value: [{ value: one }, { value: two }] })
  expect(await now()).toEqual(['Test SCIMv2.1', ...[one, two].toSorted()])
  await okta.patch(path, { op: 'replace', path: 'members', value: [] })
  expect(await now()).toEqual(['Test SCIMv2.1'])
  const put = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], id, displayName: 'Renamed', members }
  expect((await okta.call('PUT', path, put)).status).toBe(200)
  expect(await now()).toEqual(['Renamed', one])
  expect((await okta.call('DELETE', path)).status).toBe(204)
})
