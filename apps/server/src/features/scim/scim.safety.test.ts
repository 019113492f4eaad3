import { afterAll, expect, onTestFinished, test } from 'vitest'
import { openDirectory, openMailServer, openServer, openSignOn, tokenIn } from '../../../testing/index.ts'

// The limits of a directory: the accounts of administrators, suspensions by administrators, and the domains of others.
const mails = await openMailServer()
const server = await openServer({ config: { mail: mails.mail } })
const admin = await server.build.user({ admin: true })
const bakery = await openSignOn(server, admin, 'bakery.example')
const directory = await openDirectory(server, admin)
afterAll(async () => {
  await bakery.close()
})

const account = async (id: string) => admin.client.call('user.get', { params: { userId: id } })
const change = async (id: string, body: object) => admin.client.call('user.update', { params: { userId: id }, body })
const active = async (id: string, value: boolean) =>
  (await directory.patch(`/Users/${id}`, { op: 'replace', path: 'active', value })).json.active
const email = (value: string) => ({ op: 'replace', path: 'emails[type eq "work"].value', value })

test('a directory changes neither the address nor the user name of who is an administrator now', async () => {
  const id = await directory.user('rose@plain.example', { emails: [{ value: 'rose@plain.example', type: 'work' }] })
  await change(id, { admin: true })
  const path = `/Users/${id}`
  for (const answer of [
    await directory.patch(path, email('thief@plain.example')),
    await directory.patch(path, { op: 'replace', path: 'userName', value: 'thief' }),
    await directory.call('PUT', path, { userName: 'thief@plain.example' }),
  ])
    expect(answer).toMatchObject({ status: 403, json: { detail: expect.stringContaining('administrator') } })
  expect(await account(id)).toMatchObject({ email: 'rose@plain.example', email_verified: true, admin: true })
  expect((await directory.call('GET', path)).json.userName).toBe('rose@plain.example')

  // Everything else goes on: a new name, and suspending whoever leaves the company.
  expect((await directory.patch(path, { op: 'replace', path: 'displayName', value: 'Rose R.' })).status).toBe(200)
  expect([await active(id, false), await active(id, true)]).toEqual([false, true])
  await change(id, { admin: false })
  expect((await directory.patch(path, email('roses@plain.example'))).status).toBe(200)
})

test('the account of an administrator is not brought back by its directory', async () => {
  const id = await directory.user('back@plain.example')
  await change(id, { admin: true })
  expect((await directory.call('DELETE', `/Users/${id}`)).status).toBe(204)
  const body = { userName: 'back@plain.example', emails: [{ value: 'thief@plain.example' }] }
  for (const sent of [body, { userName: body.userName }])
    expect(await directory.call('POST', '/Users', sent)).toMatchObject({
      status: 403,
      json: { detail: expect.stringContaining('administrator') },
    })
  expect(await account(id)).toMatchObject({ email: 'back@plain.example', suspended: true, admin: true })
  await change(id, { admin: false })
  expect(await directory.user('back@plain.example')).toBe(id)
})

test('a new address that no provider covers is to be confirmed by mail, also after signing in through a provider', async () => {
  const company = await openDirectory(server, admin, { directory: 'Bakery', provider: bakery.params.providerId })
  const id = await company.user('mona@bakery.example')
  await bakery.signIn('mona', undefined)
  await company.patch(`/Users/${id}`, { op: 'replace', path: 'emails', value: [{ value: 'victim@plain.example' }] })
  expect(await account(id)).toMatchObject({ email: 'victim@plain.example', email_verified: false })
  expect(tokenIn(await mails.to('victim@plain.example'))).toBeTruthy()
  await bakery.signIn('mona', undefined)
  expect((await account(id)).email_verified).toBe(false)
  await company.patch(`/Users/${id}`, { op: 'replace', path: 'emails', value: [{ value: 'mona@bakery.example' }] })
  await bakery.signIn('mona', undefined)
  expect(await account(id)).toMatchObject({ email: 'mona@bakery.example', email_verified: true })
})

test('an address that a provider covers is provisioned only by a token for that provider', async () => {
  const mill = await openSignOn(server, admin, 'mill.example')
  onTestFinished(mill.close)
  const refused = { status: 403, json: { detail: expect.stringContaining('Create a SCIM token for that provider') } }
  const other = await openDirectory(server, admin, {
    directory: 'Mill',
    provider: mill.params.providerId,
    adoptExisting: true,
  })
  const local = await server.build.user({ username: 'lena' })
  await change(local.id, { email: 'lena@bakery.example' })
  for (const each of [directory, other]) {
    for (const userName of ['olga@bakery.example', 'Olga@BAKERY.example', 'lena@bakery.example'])
      expect(await each.call('POST', '/Users', { userName })).toMatchObject(refused)
    const id = await each.user('olga@plain.example')
    expect(await each.patch(`/Users/${id}`, email('olga@bakery.example'))).toMatchObject(refused)
    await each.call('DELETE', `/Users/${id}`)
    const back = { userName: 'olga@plain.example', emails: [{ value: 'olga@bakery.example' }] }
    expect(await each.call('POST', '/Users', back)).toMatchObject(refused)
    expect(await account(id)).toMatchObject({ email: 'olga@plain.example', suspended: true })
    await admin.client.call('user.delete', { params: { userId: id } })
  }
  expect(await account(local.id)).toMatchObject({ name: 'lena' })
  const own = await other.user('olga@mill.example')
  expect((await mill.signIn('olga', undefined)).user.id).toBe(own)
})

test('an account of a domain that a provider covers only later is linked by its password, and its address stays', async () => {
  const id = await directory.user('ines@later.example')
  const { providerId: provider } = bakery.params
  const company = await openDirectory(server, admin, { directory: 'Second bakery', provider })
  const moved = await company.user('jana@bakery.example', { emails: [{ value: 'jana@bakery.example', type: 'work' }] })
  expect((await company.patch(`/Users/${moved}`, email('jana@later.example'))).status).toBe(200)
  const later = await openSignOn(server, admin, 'later.example')
  onTestFinished(later.close)
  for (const name of ['ines', 'jana']) await expect(later.signIn(name, undefined)).rejects.toThrow('Not signed in')
  const { signIns } = await admin.client.call('sso.signIns', { params: later.params })
  expect(signIns.map(({ result }) => result)).toEqual(['linking', 'linking'])
  expect(await directory.patch(`/Users/${id}`, email('thief@plain.example'))).toMatchObject({ status: 403 })
  expect((await account(id)).email).toBe('ines@later.example')
  // A person who leaves loses access also then.
  expect(await active(id, false)).toBe(false)
})

test('a token says for which provider it speaks; one without a domain speaks for none', async () => {
  const { providerId } = bakery.params
  const body = { name: 'Bound', directory: 'Bound', expiresAt: null, provider: providerId }
  const { token: _secret, ...made } = await admin.client.call('scim.createToken', { body })
  expect(made.provider).toEqual({ id: providerId, name: 'Company', domainFilter: '@bakery.example' })
  const find = async () => (await admin.client.call('scim.tokens')).tokens.find(({ id }) => id === made.id)
  expect(await find()).toEqual(made)
  const { id: open } = await admin.client.call('sso.create', { body: { name: 'Open', type: 'oidc' } })
  for (const provider of [open, 'none'])
    await expect(admin.client.call('scim.createToken', { body: { ...body, provider } })).rejects.toMatchObject({
      status: 400,
      fields: { provider: expect.any(String) },
    })
  const rows = await server.app.database.read
    .selectFrom('audit_log')
    .select('body')
    .where('event', '=', 'platform.scim-token.created')
    .execute()
  expect(rows.map((row) => JSON.parse(row.body) as object)).toContainEqual({
    info: expect.objectContaining({ name: 'Bound', provider: { id: providerId, name: 'Company' } }),
  })

  const { id: gone } = await admin.client.call('sso.create', { body: { name: 'Gone', domainFilter: 'gone.example' } })
  const bound = await admin.client.call('scim.createToken', { body: { ...body, provider: gone } })
  await admin.client.call('sso.delete', { params: { providerId: gone }, query: {} })
  const { tokens } = await admin.client.call('scim.tokens')
  expect(tokens.find(({ id }) => id === bound.id)).toMatchObject({ provider: null })
})

test('a suspension by an administrator stays, whatever the directory had done before', async () => {
  const id = await directory.user('sam@plain.example')
  expect(await active(id, false)).toBe(false)
  await change(id, { suspended: false })
  await change(id, { suspended: true })
  expect(await active(id, true)).toBe(false)

  // One that the directory has set is the administrator's once they confirm it.
  const other = await directory.user('pam@plain.example')
  await active(other, false)
  await change(other, { suspended: true })
  expect(await active(other, true)).toBe(false)
  expect((await account(other)).suspended).toBe(true)
})

test('a suspension by an administrator outlives deleting, creating and taking over', async () => {
  const id = await directory.user('tim@plain.example')
  await change(id, { suspended: true })
  await directory.call('DELETE', `/Users/${id}`)
  expect(await directory.user('tim@plain.example', { active: false })).toBe(id)
  expect(await active(id, true)).toBe(false)

  const local = await server.build.user({ username: 'kim' })
  await change(local.id, { suspended: true })
  const adopting = await openDirectory(server, admin, { directory: 'Adopting', adoptExisting: true })
  expect(await adopting.user('kim@example.com', { active: false })).toBe(local.id)
  const lifted = await adopting.patch(`/Users/${local.id}`, { op: 'replace', path: 'active', value: true })
  expect(lifted.json.active).toBe(false)
})
