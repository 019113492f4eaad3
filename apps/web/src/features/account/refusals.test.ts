import { describe, expect, test } from 'vitest'
import { stepAfter } from './login.ts'
import { changesOf, savedToasts } from './profile.ts'
import { toasts } from '../../ui/toast.ts'
import { clearToastsBeforeEach } from '../../ui/testing/toasts.ts'
import { passwordFailure, profileFailure, type Refusal, signUpFailure, warnOfLink } from './refusals.ts'

clearToastsBeforeEach()

const refusal = (sentence: string | undefined, code = 'invalid_request', fields = {}): Refusal => ({
  code,
  sentence,
  fields,
})

describe('a refused sign-up', () => {
  test('[SIGNUP-21] [SIGNUP-25] a taken name or address is told at its field', () => {
    expect(signUpFailure(refusal('This username is not available'))).toEqual({ username: 'Username unavailable' })
    expect(signUpFailure(refusal('email must be unique'))).toEqual({ email: 'Email unavailable' })
  })
  test('[SIGNUP-22] [SIGNUP-23] a password that is refused is invalid, and the reason stands above', () => {
    expect(signUpFailure(refusal('This Password is too common'))).toEqual({
      password: 'Invalid password',
      root: 'This Password is too common',
    })
  })
  test('the sentence about single sign-on stands at the address', () => {
    const sentence = 'Use your address without +username'
    expect(signUpFailure(refusal(sentence, 'invalid_sso_email'))).toEqual({ email: sentence })
  })
  test('anything else is told above the form, or where the server found it', () => {
    expect(signUpFailure(refusal('Nobody can sign up'))).toEqual({ root: 'Nobody can sign up' })
    expect(signUpFailure(refusal('Not valid', 'invalid_request', { name: 'Required' }))).toEqual({ name: 'Required' })
    expect(signUpFailure(refusal(undefined)).root).toBeTruthy()
  })
})

describe('a refused change of the profile', () => {
  test('[ACCT-16] [ACCT-17] [ACCT-18] a taken name, a bad address, a taken address', () => {
    expect(profileFailure(refusal('username taken', 'invalid_username'))).toEqual({ username: 'Username unavailable' })
    expect(profileFailure(refusal('no good', 'invalid_email'))).toEqual({ email: 'Invalid email' })
    for (const sentence of ['email must be unique', 'Email already in use'])
      expect(profileFailure(refusal(sentence, 'invalid_email'))).toEqual({ email: 'Email already registered' })
  })
  test('[ACCT-19] an answer without words leaves nothing to show at a field', () => {
    expect(profileFailure(refusal(undefined))).toBeUndefined()
  })
})

test('[ACCT-31] a refused password says so, and why where the server says more', () => {
  const refused = (sentence: string) => passwordFailure(refusal(sentence, 'password_change_failed'))
  expect(refused('Password change failed')).toEqual({ root: 'Password change failed' })
  expect(refused('It is too common.')).toEqual({ root: 'Password change failed. It is too common.' })
})

test('[ACCT-40] [ACCT-42] [ACCT-43] [CONST-04] a link that did not work is a warning for 4 seconds, with the reason or the logs', () => {
  warnOfLink('verify email', 'Too late.')
  warnOfLink('verify email', undefined)
  warnOfLink('confirm new email', 'Too late.')
  warnOfLink('confirm new email', undefined)
  const shown = toasts.current().map(({ id, ...shown }) => {
    toasts.dismiss(id)
    return shown
  })
  expect(shown).toMatchObject([
    { kind: 'warning', countdown: 4000, message: 'Unable to verify email. Too late.' },
    { kind: 'warning', countdown: 4000, message: 'Unable to verify email. Check logs for details.' },
    { kind: 'warning', countdown: 4000, message: 'Unable to confirm new email. Too late.' },
    { kind: 'warning', countdown: 4000, message: 'Unable to confirm new email. Check logs for details.' },
  ])
})

describe('saving the profile', () => {
  const user = { username: 'ada', name: 'Ada', email: 'ada@example.com' }
  test('[ACCT-10] only what changed is sent', () => {
    expect(changesOf(user, { ...user, name: 'Ada L.' })).toEqual({ name: 'Ada L.' })
    expect(changesOf(user, user)).toEqual({})
  })
  test('[ACCT-11] [ACCT-20] [CONST-03] a name is saved for 3 seconds, an address asks to look at the inbox for 7', () => {
    const saved = { kind: 'success', message: 'User successfully updated.', countdown: 3000 }
    const inbox = {
      kind: 'info',
      message: 'Check your inbox for a link to verify your new Email Address.',
      countdown: 7000,
    }
    expect(savedToasts({ name: 'x' }, {})).toEqual([saved])
    expect(savedToasts({ email: 'x@y' }, { pendingEmailChange: true })).toEqual([inbox])
    expect(savedToasts({ email: 'x@y', name: 'x' }, { pendingEmailChange: true })).toEqual([saved, inbox])
  })
})

describe('after a refused login', () => {
  const at = (path: string) => new URL(path, 'https://forge.example')
  const sso = (redirect?: string) => ({ code: 'sso_required', message: 'Use SSO', reply: { redirect } })

  test('single sign-on is told where to come back to, unless that is the start', () => {
    expect(stepAfter(sso('/ee/sso/login?u=ada'), at('/team/x?tab=1'))).toEqual({
      to: 'provider',
      href: '/ee/sso/login?u=ada&r=%2Fteam%2Fx%3Ftab%3D1',
    })
    expect(stepAfter(sso('https://id.example/in'), at('/team/x'))).toMatchObject({
      href: 'https://id.example/in?r=%2Fteam%2Fx',
    })
    expect(stepAfter(sso('/ee/sso/login'), at('/'))).toEqual({ to: 'provider', href: '/ee/sso/login' })
  })
  test('[LOGIN-12] [LOGIN-13] every other refusal has its place', () => {
    expect(stepAfter(sso(), at('/'))).toEqual({ to: 'form', errors: { username: 'Use SSO' } })
    const other = (code: string, message: string) => stepAfter({ code, message, reply: {} }, at('/'))
    expect(other('unauthorized', 'unauthorized')).toEqual({ to: 'form', errors: { root: 'Login failed' } })
    expect(other('user_suspended', 'User suspended')).toEqual({ to: 'form', errors: { root: 'User suspended' } })
    expect(other('password_required', '')).toEqual({ to: 'password' })
  })
})
