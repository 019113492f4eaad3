import { expect, test } from 'vitest'
import type * as z from 'zod/mini'
import { Email, Password, PersonName, Username } from './account.ts'
import { ApplicationName } from './applications.ts'
import { intervals, limits, toastDurations } from './constants.ts'
import { InstanceName } from './instances.ts'
import { Id, PageQuery, Time } from './primitives.ts'
import { Slug, slugFor, TeamName } from './teams.ts'

/** The sentence a value gets, or undefined when it is accepted. */
const complaint = (schema: z.ZodMiniType, value: unknown) => schema.safeParse(value).error?.issues[0]?.message

test.each([
  ['Example Bakery', 'example-bakery'],
  ['  Two   spaces ', '-two-spaces-'],
  ['Öl & Brot', 'l--brot'],
  ['under_score-9', 'under_score-9'],
  ['日本', ''],
  ['Create', 'create-team'],
  ['x'.repeat(100), 'x'.repeat(limits.slugMax)],
])('[TEAM-11] the name %j suggests the slug %j', (name, slug) => {
  expect(slugFor(name)).toBe(slug)
})

test.each([
  [
    '[TEAM-06] a team name',
    TeamName,
    ['Bakery', '日本', ' x '],
    { 'http://x': 'Team name can not contain URL', ' ': 'Required', ['x'.repeat(81)]: 'At most 80 characters' },
  ],
  [
    '[TEAM-07] [TEAM-08] a slug',
    Slug,
    ['a', 'a-b_9'],
    { '': 'Must not be blank', A: 'Must only contain a-z 0-9 - _', 'a b': 'Must only contain a-z 0-9 - _' },
  ],
  [
    'a user name',
    Username,
    ['Ada_1-x'],
    { '': 'Required field', 'a b': 'Must only contain a-z 0-9 - _', 'a@b': 'Must only contain a-z 0-9 - _' },
  ],
  [
    'an address',
    Email,
    ['a@b', 'A.b+c@example.com'],
    {
      a: 'Enter a valid email address',
      'a@b@c': 'Enter a valid email address',
      'a b@c': 'Enter a valid email address',
    },
  ],
  [
    'a password',
    Password,
    ['12345678', ' spaces '],
    { '1234567': 'Password must be at least 8 characters', ['x'.repeat(1025)]: 'Password too long' },
  ],
  ['a name of a person', PersonName, ["O'Neill"], { 'ftp://x': 'Names can not be URLs', '': 'Required' }],
  ['an application', ApplicationName, ['', 'Oven'], { ['x'.repeat(81)]: 'At most 80 characters' }],
  [
    'an id',
    Id,
    ['1k7ug5a5', '0190-a_B'],
    { '': 'Not a valid id', '../x': 'Not a valid id', ['x'.repeat(65)]: 'Not a valid id' },
  ],
] as [string, z.ZodMiniType, string[], Record<string, string>][])(
  '%s is accepted or told why not',
  (_name, schema, good, bad) => {
    expect(good.filter((value) => complaint(schema, value) !== undefined)).toEqual([])
    expect(Object.fromEntries(Object.keys(bad).map((value) => [value, complaint(schema, value)]))).toEqual(bad)
    for (const value of [1, null, undefined, {}, []]) expect(complaint(schema, value)).toBeTypeOf('string')
  },
)

test('the name of an instance is a host name and not a reserved one', () => {
  const refused = (names: string[]) => names.filter((name) => complaint(InstanceName, name) !== undefined)
  expect(refused(['a', 'Oven-2', `a${'b'.repeat(47)}`])).toEqual([])
  const bad = ['', '1a', 'a_b', 'a.b', 'a-', 'www', 'Node-RED', `a${'b'.repeat(48)}`]
  expect(refused(bad)).toEqual(bad)
})

test('times are ISO 8601 in UTC, and pages are bounded', () => {
  expect(complaint(Time, new Date(0).toISOString())).toBeUndefined()
  expect(complaint(Time, '1970-01-01T00:00:00+01:00')).toBeTypeOf('string')
  expect(PageQuery.parse({ limit: '10', search: 'x' })).toEqual({ limit: 10, search: 'x' })
  for (const limit of ['0', '1001', 'x', '1.5']) expect(PageQuery.safeParse({ limit }).success).toBe(false)
})

test('[API-02] [CONST-01] [CONST-11] the shared constants are those of the specification', () => {
  expect(intervals.requestTimeout).toBe(30_000)
  expect(toastDurations).toMatchObject({ normal: 3_000, serverError: 7_500, createFailure: 7_500 })
  expect([limits.auditPage, limits.passwordMin, limits.passwordMax]).toEqual([200, 8, 1024])
})
