import { expect, test } from 'vitest'
import { applyPatch, type Operation } from './patch.ts'

const babs = () => ({
  userName: 'bjensen',
  nickName: 'Babs',
  name: { givenName: 'Barbara', familyName: 'Jensen' },
  emails: [{ value: 'bjensen@example.com', type: 'work', primary: true }],
  addresses: [{ type: 'work', streetAddress: '100 Universal City Plaza', locality: 'Hollywood' }],
  members: [{ value: 'a' }, { value: 'b' }],
})
const after = (...operations: Operation[]) => applyPatch(babs(), operations)

/** The examples of RFC 7644, sections 3.5.2.1 to 3.5.2.3. */
test('add joins members, and what stands without a path', () => {
  const member = { display: 'Babs', value: 'c' }
  expect(after({ op: 'add', path: 'members', value: [member] }).members).toHaveLength(3)
  expect(after({ op: 'add', path: 'members', value: [{ value: 'a' }] }).members).toEqual(babs().members)
  const home = { value: 'babs@jensen.org', type: 'home' }
  expect(after({ op: 'add', value: { emails: [home], nickname: 'B' } })).toMatchObject({
    emails: [{ type: 'work' }, home],
    nickName: 'B',
  })
})

test('a new primary address takes the mark from the former', () => {
  const value = [{ value: 'new@example.com', type: 'other', primary: true }]
  expect(after({ op: 'add', path: 'emails', value }).emails).toMatchObject([{ primary: false }, { primary: true }])
})

test('remove takes one member, several, a part of a list or all', () => {
  expect(after({ op: 'remove', path: 'members[value eq "a"]' }).members).toEqual([{ value: 'b' }])
  expect(after({ op: 'remove', path: 'members', value: [{ value: 'b' }] }).members).toEqual([{ value: 'a' }])
  expect(after({ op: 'remove', path: 'emails[type eq "work" and value ew "example.com"]' }).emails).toEqual([])
  expect(after({ op: 'remove', path: 'members' }).members).toBeUndefined()
  expect(after({ op: 'remove', path: 'emails[type eq "work"].primary' }).emails).not.toMatchObject([{ primary: true }])
})

test('a member is replaced together with an address of one kind', () => {
  const result = after(
    { op: 'remove', path: 'members[value eq "a"]' },
    { op: 'add', path: 'members', value: [{ value: 'z' }] },
    { op: 'replace', path: 'addresses[type eq "work"].streetAddress', value: '1010 Broadway Ave' },
    { op: 'replace', path: 'addresses[type eq "work"]', value: { locality: 'Anytown' } },
  )
  expect(result.members).toEqual([{ value: 'b' }, { value: 'z' }])
  expect(result.addresses).toEqual([{ type: 'work', streetAddress: '1010 Broadway Ave', locality: 'Anytown' }])
})

test('replace keeps the other parts of a complex attribute, and takes the place of a list', () => {
  expect(after({ op: 'replace', value: { name: { givenName: 'B.' } } }).name).toEqual({
    givenName: 'B.',
    familyName: 'Jensen',
  })
  expect(after({ op: 'replace', path: 'name.familyName', value: 'J.' }).name).toMatchObject({ familyName: 'J.' })
  expect(after({ op: 'replace', path: 'members', value: [{ value: 'x' }] }).members).toEqual([{ value: 'x' }])
})

test('Entra names attributes by paths without a path, and elements before there are any', () => {
  const urn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
  const value = { 'name.givenName': 'Bo', active: 'False', [`${urn}:department`]: 'Ovens' }
  expect(after({ op: 'replace', value })).toMatchObject({
    name: { givenName: 'Bo' },
    active: false,
    [urn]: { department: 'Ovens' },
  })
  const phone = { op: 'add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1' } as const
  expect(after(phone).phoneNumbers).toEqual([{ type: 'mobile', value: '+1' }])
})

test('nothing is changed outside of the resource', () => {
  const before = babs()
  applyPatch(before, [{ op: 'replace', path: 'name.givenName', value: 'x' }])
  expect(before).toEqual(babs())
  applyPatch({}, [{ op: 'replace', value: { constructor: { x: 1 } } }])
  expect(({} as { x?: number }).x).toBeUndefined()
})
