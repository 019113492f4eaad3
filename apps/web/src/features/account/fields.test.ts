import { describe, expect, test } from 'vitest'
import type * as z from 'zod/mini'
import { passwordSchema } from '../../shell/PasswordForm.tsx'
import { joinReasons, Profile, signUpSchema } from './fields.ts'
import { payloadOf } from './sign-up.ts'

/** The sentence beside each field of a form with these values. */
function complaints(schema: z.ZodMiniType, values: object): Record<string, string> {
  const issues = schema.safeParse(values).error?.issues.toReversed() ?? []
  return Object.fromEntries(issues.map(({ path, message }) => [String(path[0]), message]))
}

const person = {
  username: 'Ab-9_',
  name: '',
  email: 'a@b',
  password: '12345678',
  reason: '',
  terms: false,
}
const plain = signUpSchema({ reason: false, terms: false })

describe('signing up', () => {
  test('[SIGNUP-09] [SIGNUP-12] [SIGNUP-13] [SIGNUP-14] [SIGNUP-15] each rule has its sentence', () => {
    expect(complaints(plain, person)).toEqual({})
    expect(
      complaints(plain, { ...person, username: 'a b', email: 'abc', name: 'http://x', password: '1234567' }),
    ).toEqual({
      username: 'Must only contain a-z 0-9 - _',
      email: 'Enter a valid email address',
      name: 'Names can not be URLs',
      password: 'Password must be at least 8 characters',
    })
    expect(complaints(plain, { ...person, username: 'a.b' }).username).toBe('Must only contain a-z 0-9 - _')
  })
  test('[SIGNUP-17] reason and terms are required where they are asked', () => {
    const schema = signUpSchema({ reason: true, terms: true })
    expect(Object.keys(complaints(schema, person))).toEqual(['terms', 'reason'])
    expect(complaints(schema, { ...person, reason: 'other', terms: true })).toEqual({})
  })
  test('[SIGNUP-18] [SIGNUP-19] [SIGNUP-20] what was asked is sent, the user name stands in for the name', () => {
    const form = { ...person, reason: 'business', terms: true }
    expect(payloadOf(form, { reason: true, terms: true, code: 'X' })).toEqual({
      username: 'Ab-9_',
      name: 'Ab-9_',
      email: 'a@b',
      password: '12345678',
      join_reason: 'business',
      tcs_accepted: true,
      code: 'X',
    })
    expect(payloadOf({ ...form, name: 'Ada' }, { reason: false, terms: false, code: '' })).toEqual({
      username: 'Ab-9_',
      name: 'Ada',
      email: 'a@b',
      password: '12345678',
    })
  })
  test('the reasons and what is sent for them', () => {
    expect(joinReasons.map(({ title, value }) => `${title}=${value}`)).toEqual([
      'Business Needs=business',
      'Personal Use=personal',
      'Educational Use=education',
      'Other=other',
    ])
  })
})

test('[ACCT-13] [ACCT-14] the profile keeps the rules of the sign-up, and its name', () => {
  const good = { username: 'ada', name: 'Ada', email: 'ada@example.com' }
  expect(complaints(Profile, good)).toEqual({})
  expect(complaints(Profile, { username: 'a b', name: 'ftp://x', email: 'x' })).toEqual({
    username: 'Must only contain a-z 0-9 - _',
    name: 'Names can not be URLs',
    email: 'Enter a valid email address',
  })
  expect(complaints(Profile, { ...good, username: '', name: ' ' })).toEqual({
    username: 'Required field',
    name: 'Required field',
  })
})

describe('a new password', () => {
  const onPage = passwordSchema({ current: true, tooShort: 'Password too short (min. 8 characters)' })
  const afterReset = passwordSchema({ current: false, tooShort: 'Password too short' })

  test('[ACCT-26] [ACCT-27] [ACCT-28] [ACCT-29] [ACCT-30] each rule has its sentence, the short one differs by page', () => {
    expect(complaints(onPage, { current: '', password: '', confirmation: '' })).toEqual({
      current: 'Enter your current password',
      password: 'Enter a new password',
    })
    expect(complaints(onPage, { current: 'x', password: '1234567', confirmation: '1234567' })).toEqual({
      password: 'Password too short (min. 8 characters)',
    })
    expect(complaints(afterReset, { current: '', password: '1234567', confirmation: '1234567' })).toEqual({
      password: 'Password too short',
    })
    expect(complaints(onPage, { current: 'x', password: '12345678', confirmation: '1234567' })).toEqual({
      confirmation: 'Passwords do not match',
    })
  })
  test('[ACCT-36] [ACCT-37] 8 to 1024 characters, the same twice', () => {
    const long = 'x'.repeat(1025)
    expect(complaints(afterReset, { current: '', password: long, confirmation: long })).toEqual({
      password: 'Password too long',
    })
    for (const password of ['x'.repeat(8), 'x'.repeat(1024)])
      expect(complaints(afterReset, { current: '', password, confirmation: password })).toEqual({})
    expect(complaints(afterReset, { current: '', password: '', confirmation: '' })).toEqual({
      password: 'Enter a new password',
    })
  })
})
