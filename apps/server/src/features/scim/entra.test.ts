import { expect, test } from 'vitest'
import { openDirectory, openServer } from '../../../testing/index.ts'

// The requests are those that Microsoft documents for its provisioning service ("Develop and plan provisioning for a SCIM
// endpoint in Microsoft Entra ID"), in the order of its cycles. They were written from that text, not recorded.
const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const server = await openServer()
const admin = await server.build.user({ admin: true })
const entra = await openDirectory(server, admin, { name: 'Entra', directory: 'Entra ID' })

const account = async (id: string) => admin.client.call('user.get', { params: { userId: id } })

test('Entra ID tests the connection, creates, changes, suspends and deletes a person', async () => {
  const probe = await entra.call('GET', '/Users?filter=userName+eq+%22non-existent-user%22')
  expect(probe).toMatchObject({ status: 200, json: { totalResults: 0, Resources: [], startIndex: 1 } })

  const created = await entra.call('POST', '/Users', {
    schemas: [userSchema, enterprise],
    externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
    userName: 'Test_User_ab6490ee@testuser.com',
    active: true,
    displayName: 'lennay',
    emails: [{ primary: true, type: 'work', value: 'Test_User_fd0ea19b@testuser.com' }],
    meta: { resourceType: 'User' },
    name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
    roles: [],
    [enterprise]: { department: 'Ovens' },
  })
  expect(created).toMatchObject({
    status: 201,
    json: {
      schemas: [userSchema, enterprise],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'Test_User_ab6490ee@testuser.com',
      active: true,
      [enterprise]: { department: 'Ovens' },
    },
  })
  const id = created.json.id as string
  expect(await account(id)).toMatchObject({
    username: 'Test_User_ab6490ee',
    name: 'lennay',
    email: 'Test_User_fd0ea19b@testuser.com',
    email_verified: true,
  })
  const found = await entra.call('GET', '/Users?filter=userName+eq+%22test_user_AB6490ee%40testuser.com%22')
  expect(found.json).toMatchObject({ totalResults: 1, Resources: [{ id }] })
  const again = await entra.call('POST', '/Users', { userName: 'Test_User_ab6490ee@testuser.com', active: true })
  expect(again).toMatchObject({ status: 409, json: { scimType: 'uniqueness', status: '409' } })

  const changed = await entra.patch(
    `/Users/${id}`,
    { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@microsoft.com' },
    { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
    { op: 'Add', path: `${enterprise}:manager`, value: id },
    { op: 'Replace', path: 'displayName', value: [{ $ref: null, value: 'Lennay' }] },
  )
  expect(changed).toMatchObject({
    status: 200,
    json: {
      emails: [{ value: 'updatedEmail@microsoft.com', type: 'work', primary: true }],
      name: { familyName: 'updatedFamilyName', givenName: 'givenName' },
      displayName: 'Lennay',
      [enterprise]: { department: 'Ovens', manager: id },
    },
  })
  expect(await account(id)).toMatchObject({ email: 'updatedEmail@microsoft.com', name: 'Lennay' })

  // With and without the flag aadOptscim062020 the boolean is a text or a boolean, and the path is there or not.
  for (const [operation, suspended] of [
    [{ op: 'Replace', path: 'active', value: 'False' }, true],
    [{ op: 'Replace', path: 'active', value: 'True' }, false],
    [{ op: 'replace', path: 'active', value: false }, true],
    [{ op: 'Replace', value: { active: 'True', 'name.givenName': 'Len' } }, false],
    [{ op: 'Replace', path: 'active', value: [{ $ref: null, value: 'False' }] }, true],
  ] as const) {
    const answer = await entra.patch(`/Users/${id}`, operation)
    expect([answer.status, answer.json.active]).toEqual([200, !suspended])
    expect((await account(id)).suspended).toBe(suspended)
  }
  expect((await entra.call('DELETE', `/Users/${id}`)).status).toBe(204)
  expect(await entra.call('GET', `/Users/${id}`)).toMatchObject({
    status: 404,
    json: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '404' },
  })
})

test('Entra ID creates a group, renames it, and adds and removes members', async () => {
  const [one, two] = [await entra.user('one@testuser.com'), await entra.user('two@testuser.com')]
  const created = await entra.call('POST', '/Groups', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
    displayName: 'displayName',
    meta: { resourceType: 'Group' },
  })
  expect(created).toMatchObject({ status: 201, json: { displayName: 'displayName', members: [] } })
  const path = `/Groups/${String(created.json.id)}`
  const bare = await entra.call('GET', `${path}?excludedAttributes=members`)
  expect(bare.json).not.toHaveProperty('members')
  const found = await entra.call('GET', '/Groups?excludedAttributes=members&filter=displayName+eq+%22displayName%22')
  expect(found.json).toMatchObject({ totalResults: 1, Resources: [{ id: created.json.id }] })

  const members = async () =>
    ((await entra.call('GET', path)).json.members as { value: string }[]).map(({ value }) => value)
  const add = {
    op: 'Add',
    path: 'members',
    value: [
      { $ref: null, value: one },
      { $ref: null, value: two },
    ],
  }
  expect(await entra.patch(path, add)).toMatchObject({ status: 204, text: '' })
  expect(await members()).toEqual([one, two].toSorted())
  await entra.patch(path, { op: 'Remove', path: 'members', value: [{ $ref: null, value: one }] })
  expect(await members()).toEqual([two])
  await entra.patch(path, { op: 'Remove', path: `members[value eq "${two}"]` })
  expect(await members()).toEqual([])
  await entra.patch(path, { op: 'Replace', path: 'displayName', value: '1879db59-3bdf-4490-ad68-ab880a269474updated' })
  expect((await entra.call('GET', path)).json.displayName).toBe('1879db59-3bdf-4490-ad68-ab880a269474updated')
  expect((await entra.call('DELETE', path)).status).toBe(204)
})
