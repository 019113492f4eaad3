import type { AdminUser } from '@app/contract'
import { expect, test } from 'vitest'
import { changeFailure, creationFailure, EditedUser, editedOf, NewUser, patchOf } from './user-forms.ts'

const fresh = {
  username: 'bob',
  name: '',
  email: 'bob@example.com',
  password: 'correct horse',
  confirm: 'correct horse',
  isAdmin: false,
  createDefaultTeam: true,
  password_expired: true,
}
const user = {
  id: 'u1',
  username: 'bob',
  name: 'Bob',
  email: 'bob@example.com',
  avatar: '',
  admin: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  suspended: false,
  email_verified: true,
  mfa: false,
} satisfies AdminUser
const faults = (schema: typeof NewUser | typeof EditedUser, value: object) =>
  schema.safeParse(value).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []

test('[AUSER-18] [AUSER-19] [AUSER-20] [AUSER-21] [AUSER-22] [AUSER-23] the forms say what is wrong with a field', () => {
  expect(faults(NewUser, fresh)).toEqual([])
  for (const [change, text] of [
    [{ username: 'a b' }, 'username: Must only contain a-z 0-9 - _'],
    [{ username: '' }, 'username: Required field'],
    [{ email: 'bob' }, 'email: Enter a valid email address'],
    [{ email: '' }, 'email: Enter a valid email address'],
    [{ name: 'http://x' }, 'name: Names can not be URLs'],
  ] as const) {
    expect(faults(NewUser, { ...fresh, ...change })).toContain(text)
    expect(faults(EditedUser, { ...editedOf(user), ...change })).toContain(text)
  }
  expect(faults(NewUser, { ...fresh, password: '1234567', confirm: '1234567' })).toEqual([
    'password: Password must be at least 8 characters',
  ])
  expect(faults(NewUser, { ...fresh, confirm: 'other' })).toEqual(['confirm: Passwords do not match'])
})

test('[SIGNUP-23] [AUSER-25] [AUSER-26] [AUSER-27] [AUSER-28] [AUSER-29] a refused change shows its reason where it belongs', () => {
  expect(changeFailure({ error: 'This username is not available' })).toEqual({ username: 'Username unavailable' })
  expect(changeFailure({ error: 'Choose another password' })).toEqual({
    password: 'Invalid password. Choose another password',
  })
  const last = 'The last administrator must stay an admin: make somebody else one first'
  expect(changeFailure({ error: last })).toEqual({ admin: last })
  expect(changeFailure({ error: 'email must be unique' })).toEqual({ email: 'Email already registered' })
  expect(changeFailure({ error: 'Broken', message: 'The disk is full' })).toBe('Broken: The disk is full')
  expect(changeFailure({})).toBe('Something went wrong on the server')
})

test('[SIGNUP-23] [AUSER-31] a refused new account shows its reason where it belongs', () => {
  expect(creationFailure({ error: 'The username root is reserved' })).toEqual({ username: 'Username unavailable' })
  expect(creationFailure({ error: 'This password is too common' })).toEqual({
    password: 'Invalid password',
    root: 'This password is too common',
  })
  expect(creationFailure({ error: 'email must be unique' })).toEqual({ email: 'Email unavailable' })
  expect(creationFailure({ error: 'Broken' })).toEqual({ root: 'Broken' })
})

test('only what differs is sent', () => {
  expect(patchOf(user, editedOf(user))).toEqual({})
  expect(patchOf(user, { ...editedOf(user), name: '', suspended: true })).toEqual({ name: '', suspended: true })
})
