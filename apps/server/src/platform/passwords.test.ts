import { argon2Sync } from 'node:crypto'
import { expect, test } from 'vitest'
import { checkPassword, hashPassword } from './passwords.ts'

test('the password alone opens what was hashed; each hash has a salt of its own', async () => {
  const [one, two] = [await hashPassword('correct horse battery'), await hashPassword('correct horse battery')]
  expect(one).not.toBe(two)
  expect(one).toMatch(/^argon2id\$[\w-]{22}\$[\w-]{43}$/)
  expect(await checkPassword('correct horse battery', one)).toBe(true)
  for (const wrong of ['', 'correct horse batter', 'Correct horse battery', 'correct horse battery ']) {
    expect(await checkPassword(wrong, one)).toBe(false)
  }
  expect(await checkPassword('ö'.repeat(1024), await hashPassword('ö'.repeat(1024)))).toBe(true)
})

test('a hash takes the 19 MiB and the two passes that make guessing dear', async () => {
  const [, salt = '', tag] = (await hashPassword('correct horse battery')).split('$')
  const nonce = Buffer.from(salt, 'base64url')
  const cost = { memory: 19 * 1024, passes: 2, parallelism: 1, tagLength: 32 }
  expect(argon2Sync('argon2id', { message: 'correct horse battery', nonce, ...cost }).toString('base64url')).toBe(tag)
})

test('a user who does not exist is refused, whatever is tried', async () => {
  expect(await checkPassword('', undefined)).toBe(false)
  expect(await checkPassword('correct horse battery', undefined)).toBe(false)
})

test('the event loop goes on while passwords are hashed', async () => {
  let ticks = 0
  const timer = setInterval(() => (ticks += 1), 1)
  await Promise.all(Array.from({ length: 6 }, async () => hashPassword('correct horse battery')))
  clearInterval(timer)
  expect(ticks).toBeGreaterThan(6)
})
