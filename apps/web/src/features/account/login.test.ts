import { ssoReasonNames } from '@app/contract/sso-reasons'
import { expect, test } from 'vitest'
import { beginAt, stepAfter } from './login.ts'
import { refusalIn, withoutRefusal } from './sso-refusals.ts'

test('every reason of the server is told to people in a sentence of its own, and an unknown one is told too', () => {
  const told = ssoReasonNames.map((reason) => refusalIn(`?tab=1&sso=${reason}`))
  expect(new Set(told).size).toBe(ssoReasonNames.length)
  for (const sentence of told) expect(sentence).toMatch(/^[A-Z].+\.$/)
  for (const reason of ['of_tomorrow', 'constructor', ''])
    expect(refusalIn(`?sso=${reason}`)).toMatch(/did not sign you in/)
  expect(refusalIn('?r=sso')).toBeUndefined()
})

test('the reason leaves the address, and the rest of it stays as it was typed', () => {
  expect(withoutRefusal({ pathname: '/', search: '?sso=expired' })).toBe('/')
  expect(withoutRefusal({ pathname: '/team/a', search: '?tab=1&sso=expired&sso=replayed' })).toBe('/team/a?tab=1')
  expect(withoutRefusal({ pathname: '/team/a', search: '?q=a%20b' })).toBe('/team/a?q=a%20b')
})

test('a provider is told the page that was asked for, without the reason of a refusal before', () => {
  expect(beginAt('p1', { pathname: '/', search: '' })).toBe('/ee/sso/login?provider=p1')
  expect(beginAt('p1', { pathname: '/', search: '?sso=expired' })).toBe('/ee/sso/login?provider=p1')
  expect(beginAt('p1', { pathname: '/team/a', search: '?tab=1' })).toBe(
    '/ee/sso/login?provider=p1&r=%2Fteam%2Fa%3Ftab%3D1',
  )
  const refusal = { code: 'sso_required', message: '', reply: { redirect: '/ee/sso/login?u=a%40b.example' } }
  expect(stepAfter(refusal, { pathname: '/team/a', search: '?sso=expired' })).toEqual({
    to: 'provider',
    href: '/ee/sso/login?u=a%40b.example&r=%2Fteam%2Fa',
  })
})
