import { expect, test } from 'vitest'
import { Refusal } from '../platform.client.ts'
import { createGrants, type TokenAnswer } from './grants.ts'

const person = { userId: 'u1', username: 'alice' }
const tokens = (scope = '*'): TokenAnswer => ({
  access_token: 'access',
  refresh_token: 'refresh',
  expires_in: 1800,
  scope,
})
const never = () => Promise.reject(new Error('not expected'))
const refused = () => Promise.reject(new Refusal(400, 'access_denied', 'ended'))

function grantsWith(resume: (username: string) => Promise<{ person: typeof person; answer: TokenAnswer }>) {
  return createGrants({ refresh: never, resume, onEnd: () => {} })
}

test('a person of an earlier process is asked for once, however many requests come at the same time', async () => {
  let asked = 0
  const grants = grantsWith(async () => {
    asked += 1
    return { person, answer: tokens() }
  })
  const users = await Promise.all([grants.user('alice'), grants.user('alice'), grants.user('alice')])
  expect(users).toEqual(Array.from({ length: 3 }, () => ({ ...person, permissions: '*' })))
  await grants.user('alice')
  expect(asked).toBe(1)
})

test('whom the platform refuses is nobody, and is asked for again at the next sign-in', async () => {
  const grants = grantsWith(refused)
  expect(await grants.user('alice')).toBeUndefined()
  grants.add(person, tokens())
  expect(await grants.user('alice')).toMatchObject({ permissions: '*' })
})

test('a platform that is away for a moment is asked again', async () => {
  let asked = 0
  const grants = grantsWith(async () => {
    asked += 1
    if (asked === 1) throw new Error('away')
    return { person, answer: tokens('read') }
  })
  expect(await grants.user('alice')).toMatchObject({ permissions: 'read' })
})

test('a scope that gives no access to the editor makes nobody', async () => {
  expect(await grantsWith(async () => ({ person, answer: tokens('http') })).user('alice')).toBeUndefined()
})
