import { type Scope, scopes } from '@app/contract/scopes'
import { expect, test } from 'vitest'
import { expiries, expiryAfter } from '../../lib/token-expiry.ts'
import { readingScopes, scopeGroups } from './scope-groups.ts'

test('every scope that a token can use stands in one group, with a sentence', () => {
  const offered = scopeGroups.flatMap((group) => group.scopes)
  const names = offered.map(({ scope }) => scope)
  expect(new Set(names).size).toBe(names.length)
  const missing = Object.keys(scopes).filter((scope) => !names.includes(scope as never))
  // Actions for administrators alone, and not on their own record, are done in person.
  expect(missing).toEqual(expect.arrayContaining(['invitation:list', 'settings:edit', 'team:list', 'user:list']))
  const rule = (scope: string) => scopes[scope as Scope]
  expect(missing.filter((scope) => rule(scope).minimum < 99 || 'self' in rule(scope))).toEqual([])
  for (const { means } of offered) expect(means).toMatch(/^[A-Z]/)
  for (const { scopes } of scopeGroups) expect(scopes.length).toBeGreaterThan(0)
})

test('reading everything changes nothing', () => {
  expect(readingScopes).toContain('project:read')
  expect(readingScopes.filter((scope) => /create|delete|edit|change|invite|remove|status|http/.test(scope))).toEqual([])
})

test('an expiry is so many days from now, or never', () => {
  expect(expiries.map(({ value }) => expiryAfter(value, 0))).toEqual([
    '1970-01-08T00:00:00.000Z',
    '1970-01-31T00:00:00.000Z',
    '1970-04-01T00:00:00.000Z',
    '1971-01-01T00:00:00.000Z',
    null,
  ])
})
