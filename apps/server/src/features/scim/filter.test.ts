import { expect, test } from 'vitest'
import { matches } from './filter.match.ts'
import { parseFilter, parsePath } from './filter.parser.ts'

const barbara = {
  userName: 'bjensen',
  name: { familyName: "O'Malley" },
  title: 'Tour Guide',
  userType: 'Employee',
  active: true,
  meta: { lastModified: '2024-05-13T04:42:34Z' },
  emails: [
    { type: 'work', value: 'bjensen@example.com' },
    { type: 'home', value: 'babs@jensen.example.org' },
  ],
  ims: [{ type: 'xmpp', value: 'foo.com' }],
  schemas: ['urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
}

/** Figure 2 of RFC 7644, section 3.4.2.2; each holds of this person. */
const holding = [
  'userName Eq "bjensen"',
  'name.familyName co "O\'Malley"',
  'userName sw "b"',
  'urn:ietf:params:scim:schemas:core:2.0:User:userName sw "B"',
  'title pr',
  'meta.lastModified gt "2011-05-13T04:42:34Z"',
  'meta.lastModified le "2024-05-13T04:42:34Z"',
  'title pr and userType eq "Employee"',
  'title pr or userType eq "Intern"',
  'schemas eq "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"',
  'userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")',
  'userType ne "Intern" and not (emails co "example.net")',
  'userType eq "Employee" and emails[type eq "work" and value co "@example.com"]',
  'emails[type eq "work" and value co "@example.com"] or ims[type eq "skype" and value co "@foo.com"]',
  'nickName eq "x" and title pr or active eq true',
]

test.each(holding)('%s', (filter) => {
  expect(matches(barbara, parseFilter(filter))).toBe(true)
  expect(matches(barbara, parseFilter(`not (${filter})`))).toBe(false)
})

test('both conditions of brackets are those of one element', () => {
  expect(matches(barbara, parseFilter('emails[type eq "home" and value co "@example.com"]'))).toBe(false)
})

test('what cannot be read is refused', () => {
  for (const bad of ['', 'a eq', 'eq "x"', 'a eq "x" and', 'a[b eq 1', 'a eq "x" b', 'a eq {}', `${'('.repeat(5_000)}`])
    expect(() => parseFilter(bad)).toThrow()
  for (const bad of ['', 'a.b.c', 'a[b eq 1', '__proto__', 'a b']) expect(() => parsePath(bad)).toThrow()
})

test('the path of an extension names its schema', () => {
  const urn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
  expect(parsePath(`${urn}:manager.value`)).toMatchObject({ extension: urn, attribute: 'manager', sub: 'value' })
  expect(parsePath('urn:ietf:params:scim:schemas:core:2.0:User:emails[type eq "work"].value')).toMatchObject({
    extension: undefined,
    attribute: 'emails',
    sub: 'value',
  })
})
