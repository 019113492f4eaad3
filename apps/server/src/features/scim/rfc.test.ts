import { expect, test } from 'vitest'
import { openDirectory, openServer } from '../../../testing/index.ts'

// The resources and requests are the examples of RFC 7643 and RFC 7644, with addresses that this platform accepts.
const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const server = await openServer()
const admin = await server.build.user({ admin: true })
const directory = await openDirectory(server, admin)

/** The full user of RFC 7643, with the extension for companies. */
const jensen = {
  schemas: [core, enterprise],
  externalId: '701984',
  userName: 'bjensen@example.com',
  name: {
    formatted: 'Ms. Barbara J Jensen, III',
    familyName: 'Jensen',
    givenName: 'Barbara',
    middleName: 'Jane',
    honorificPrefix: 'Ms.',
    honorificSuffix: 'III',
  },
  displayName: 'Babs Jensen',
  nickName: 'Babs',
  profileUrl: 'https://login.example.com/bjensen',
  emails: [
    { value: 'bjensen@example.com', type: 'work', primary: true },
    { value: 'babs@jensen.org', type: 'home' },
  ],
  addresses: [
    {
      streetAddress: '100 Universal City Plaza',
      locality: 'Hollywood',
      region: 'CA',
      postalCode: '91608',
      country: 'USA',
      formatted: '100 Universal City Plaza\nHollywood, CA 91608 USA',
      type: 'work',
      primary: true,
    },
    {
      streetAddress: '456 Hollywood Blvd',
      locality: 'Hollywood',
      region: 'CA',
      postalCode: '91608',
      country: 'USA',
      formatted: '456 Hollywood Blvd\nHollywood, CA 91608 USA',
      type: 'home',
    },
  ],
  phoneNumbers: [
    { value: '555-555-5555', type: 'work' },
    { value: '555-555-4444', type: 'mobile' },
  ],
  ims: [{ value: 'someaimhandle', type: 'aim' }],
  userType: 'Employee',
  title: 'Tour Guide',
  preferredLanguage: 'en-US',
  locale: 'en-US',
  timezone: 'America/Los_Angeles',
  active: true,
  [enterprise]: {
    employeeNumber: '701984',
    costCenter: '4130',
    organization: 'Universal Studios',
    division: 'Theme Park',
    department: 'Tour Operations',
    manager: { value: '26118915-6090-4610-87e4-49d8ca9f808d', displayName: 'John Smith' },
  },
}

test('the full user of RFC 7643 is made, and read back as it was sent, without its password', async () => {
  const made = await directory.call('POST', '/Users', { ...jensen, password: 't1meMa$heen' })
  expect(made.status).toBe(201)
  const id = made.json.id as string
  expect(made.headers.get('location')).toBe(`${server.config.baseUrl}/scim/v2/Users/${id}`)
  const read = await directory.call('GET', `/Users/${id}`)
  expect(read.headers.get('content-type')).toContain('application/scim+json')
  expect(read.json).toMatchObject(jensen)
  expect(read.json.meta).toMatchObject({ resourceType: 'User', location: made.headers.get('location') })
  expect(read.text).not.toContain('password')
  const again = await directory.call('POST', '/Users', jensen)
  expect([again.status, again.json.scimType]).toEqual([409, 'uniqueness'])

  // Section 3.9 of RFC 7644: attributes of attributes, and of extensions, are asked for by their paths.
  const only = async (query: string) => {
    const { schemas, ...rest } = (await directory.call('GET', `/Users/${id}?${query}`)).json
    expect(schemas).toEqual([core, enterprise])
    return rest
  }
  expect(await only('attributes=userName')).toEqual({ id, userName: jensen.userName })
  expect(await only('attributes=name.familyName,emails.value')).toEqual({
    id,
    name: { familyName: 'Jensen' },
    emails: jensen.emails.map(({ value }) => ({ value })),
  })
  expect(await only(`attributes=${core}:title,${enterprise}:department`)).toEqual({
    id,
    title: jensen.title,
    [enterprise]: { department: 'Tour Operations' },
  })
  const rest = await only(`excludedAttributes=addresses,name.formatted,${enterprise},id`)
  expect(rest).not.toHaveProperty('addresses')
  expect(rest).not.toHaveProperty(enterprise)
  expect(rest).toMatchObject({ id, title: jensen.title, name: { familyName: 'Jensen' } })
  expect(rest.name).not.toHaveProperty('formatted')
})

test('the filters of RFC 7644 find who they describe, or are refused as such where no index serves them', async () => {
  await directory.user('jsmith@example.com', { displayName: 'John Smith', externalId: '9' })
  const names = async (filter: string) => {
    const { status, json } = await directory.find('/Users', filter)
    if (status !== 200) return [status, json.scimType]
    return (json.Resources as { userName: string }[]).map(({ userName }) => userName).toSorted()
  }
  const [babs, john] = ['bjensen@example.com', 'jsmith@example.com']
  expect(await names('userName eq "bjensen@example.com"')).toEqual([babs])
  expect(await names('userName sw "J"')).toEqual([john])
  expect(await names(`${core}:userName sw "J"`)).toEqual([john])
  expect(await names('emails co "example.com" and active eq true')).toEqual([babs, john])
  expect(await names('emails[type eq "work" and value co "@example.com"]')).toEqual([babs, john])
  expect(await names('not (externalId eq "9")')).toEqual([babs])
  expect(await names('userName sw "b" or displayName co "Smith"')).toEqual([babs, john])
  expect(await names('externalId pr')).toEqual([babs, john])
  for (const filter of ['name.familyName co "O\'Malley"', 'meta.lastModified gt "2011-05-13T04:42:34Z"', 'userName =='])
    expect(await names(filter)).toEqual([400, 'invalidFilter'])
})

test('lists come by pages, counted from one', async () => {
  const page = async (query: string) => (await directory.call('GET', `/Users?${query}`)).json
  const first = await page('startIndex=1&count=1')
  const second = await page('startIndex=2&count=1')
  expect(first).toMatchObject({ totalResults: 2, itemsPerPage: 1, startIndex: 1 })
  expect(second).toMatchObject({ totalResults: 2, itemsPerPage: 1, startIndex: 2 })
  const [one, other] = [first, second].map(({ Resources }) => (Resources as { id: string }[])[0]!.id)
  expect(one).not.toBe(other)
  expect(await page('count=0')).toMatchObject({ totalResults: 2, Resources: [] })
  expect(await page('startIndex=-5&count=1')).toMatchObject({ startIndex: 1 })
})

test('the changes of RFC 7644 are made: values by paths, by filters and without a path', async () => {
  const [id] = ((await directory.find('/Users', 'externalId eq "701984"')).json.Resources as { id: string }[]).map(
    (one) => one.id,
  )
  const change = async (...operations: object[]) => {
    const answer = await directory.patch(`/Users/${id}`, ...operations)
    expect([200, 204]).toContain(answer.status)
    return (await directory.call('GET', `/Users/${id}`)).json as unknown as typeof jensen
  }
  expect(
    await change({ op: 'replace', path: 'addresses[type eq "work"].streetAddress', value: '1010 Broadway Ave' }),
  ).toMatchObject({
    addresses: [{ streetAddress: '1010 Broadway Ave', type: 'work' }, { type: 'home' }],
  })
  const added = await change({ op: 'add', value: { nickName: 'Babsy', ims: [{ value: 'babs', type: 'xmpp' }] } })
  expect(added).toMatchObject({ nickName: 'Babsy', ims: [{ type: 'aim' }, { value: 'babs', type: 'xmpp' }] })
  expect((await change({ op: 'remove', path: 'phoneNumbers[type eq "mobile"]' })).phoneNumbers).toEqual([
    jensen.phoneNumbers[0],
  ])
  expect(await change({ op: 'replace', path: `${enterprise}:department`, value: 'Ovens' })).toMatchObject({
    [enterprise]: { department: 'Ovens', division: 'Theme Park' },
  })
  const refusals: [object, string][] = [
    [{ op: 'remove' }, 'noTarget'],
    [{ op: 'replace', path: 'addresses[', value: 'CA' }, 'invalidPath'],
    [{ op: 'replace', path: 'id', value: '1' }, 'mutability'],
  ]
  for (const [operation, scimType] of refusals)
    expect((await directory.patch(`/Users/${id}`, operation)).json).toMatchObject({ status: '400', scimType })
})

test('the group of RFC 7643 has members, who are added, removed one by one, and all', async () => {
  const users = ((await directory.call('GET', '/Users')).json.Resources as { id: string }[]).map(({ id }) => id)
  const made = await directory.call('POST', '/Groups', {
    schemas: [groupSchema],
    displayName: 'Tour Guides',
    members: [],
  })
  expect(made.status).toBe(201)
  const path = `/Groups/${made.json.id as string}`
  const members = async () =>
    ((await directory.call('GET', path)).json.members as { value: string }[]).map(({ value }) => value).toSorted()
  await directory.patch(path, { op: 'add', path: 'members', value: users.map((value) => ({ value })) })
  expect(await members()).toEqual(users.toSorted())
  await directory.patch(path, { op: 'remove', path: `members[value eq "${users[0]}"]` })
  expect(await members()).toEqual(users.slice(1))
  await directory.patch(
    path,
    { op: 'remove', path: 'members' },
    { op: 'add', path: 'members', value: [{ value: users[0] }] },
  )
  expect(await members()).toEqual([users[0]])
  expect((await directory.call('GET', `/Users/${users[0]}`)).json.groups).toMatchObject([{ display: 'Tour Guides' }])
  expect((await directory.call('DELETE', path)).status).toBe(204)
  expect((await directory.call('GET', path)).json).toMatchObject({ status: '404' })
})

test('a client learns what this server can do, and which calls it does not have', async () => {
  const get = async (path: string) => (await directory.call('GET', path)).json
  expect(await get('/ServiceProviderConfig')).toMatchObject({
    patch: { supported: true },
    bulk: { supported: false },
    filter: { supported: true },
    etag: { supported: false },
  })
  const types = (await get('/ResourceTypes')).Resources as { endpoint: string; schemaExtensions: object[] }[]
  expect(types.map(({ endpoint }) => endpoint)).toEqual(['/Users', '/Groups'])
  expect(types[0]!.schemaExtensions).toEqual([{ schema: enterprise, required: false }])
  const schemas = (await get('/Schemas')).Resources as { id: string }[]
  expect(schemas.map(({ id }) => id)).toEqual([core, enterprise, groupSchema])
  expect(await get(`/Schemas/${enterprise}`)).toMatchObject({ name: 'EnterpriseUser' })
  for (const [method, path] of [
    ['GET', '/Me'],
    ['POST', '/Bulk'],
    ['POST', '/.search'],
  ] as const)
    expect((await directory.call(method, path, method === 'POST' ? {} : undefined)).json).toMatchObject({
      status: '501',
    })
})
