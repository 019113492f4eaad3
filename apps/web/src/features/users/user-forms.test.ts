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

test.each([
  ['[AUSER-18]', { username: 'a b' }, 'username: Must only contain a-z 0-9 - _'],
  ['[AUSER-23]', { username: '' }, 'username: Required field'],
  ['[AUSER-19]', { email: 'bob' }, 'email: Enter a valid email address'],
  ['[AUSER-19] [AUSER-23]', { email: '' }, 'email: Enter a valid email address'],
  ['[AUSER-22]', { name: 'http://x' }, 'name: Names can not be URLs'],
] as const)('%s both forms say what is wrong with %o', (_rows, change, text) => {
  expect(faults(NewUser, fresh)).toEqual([])
  expect(faults(NewUser, { ...fresh, ...change })).toContain(text)
  expect(faults(EditedUser, { ...editedOf(user), ...change })).toContain(text)
})

test('[AUSER-20] [AUSER-21] a new password is long enough, and typed twice the same', () => {
  expect(faults(NewUser, { ...fresh, password: '1234567', confirm: '1234567' })).toEqual([
    'password: Password must be at least 8 characters',
  ])
  expect(faults(NewUser, { ...fresh, confirm: 'other' })).toEqual(['confirm: Passwords do not match'])
})

const last = 'The last administrator must stay an admin: make somebody else one first'
test.each([
  ['[AUSER-25]', 'This username is not available', { username: 'Username unavailable' }],
  ['[SIGNUP-23] [AUSER-26]', 'Choose another password', { password: 'Invalid password. Choose another password' }],
  ['[AUSER-27]', last, { admin: last }],
  ['[AUSER-28]', 'email must be unique', { email: 'Email already registered' }],
])('%s a change that is refused with “%s” shows its reason at its field', (_rows, error, shown) => {
  expect(changeFailure({ error })).toEqual(shown)
})

test('[AUSER-29] any other reason is shown with its details', () => {
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
