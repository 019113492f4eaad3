import type { PlatformSettings, User } from '@app/contract'
import { describe, expect, test } from 'vitest'
import { type GateFacts, gateOf, termsRequired } from './gates.ts'

const user: User = {
  id: 'u1',
  username: 'alice',
  name: 'Alice',
  email: 'alice@example.com',
  avatar: '',
  admin: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  suspended: false,
  email_verified: true,
}
const settings: PlatformSettings = {
  'user:signup': false,
  'user:reset-password': false,
  'user:tcs-required': true,
  'user:tcs-url': 'https://example.com/terms',
  'user:tcs-date': '2026-02-01T00:00:00.000Z',
  'team:create': false,
  features: {},
  analytics: { enabled: false },
  setup: false,
  license: {
    type: 'CE',
    expiresAt: '2027-01-01T00:00:00.000Z',
    expiring: false,
    expired: false,
    daysRemaining: 365,
    PRE_EXPIRE_WARNING_DAYS: 30,
  },
}
const everything: GateFacts = {
  offline: true,
  user: undefined,
  settings,
  isPublic: false,
  isVerifyPage: false,
}
const gate = (facts: Partial<GateFacts>) => gateOf({ ...everything, offline: false, user, ...facts })

describe('the gate in force', () => {
  test('[SHELL-08] offline comes before everything', () => {
    expect(gateOf(everything)).toBe('offline')
    expect(gate({ offline: true, user: null })).toBe('offline')
    expect(gate({ offline: true, user: { ...user, password_expired: true } })).toBe('offline')
  })
  test('a page that is open stays open while the server is away', () => {
    expect(gate({ offline: true, user: { ...user, tcs_accepted: '2026-03-01T00:00:00.000Z' } })).toBe('page')
  })
  test('an address that nobody proved is no obstacle where the platform waives the proof', () => {
    const waived = { ...user, tcs_accepted: '2026-03-01T00:00:00.000Z', email_verified: false }
    expect(gate({ user: waived })).toBe('unverified')
    expect(gate({ user: { ...waived, email_proof_waived: true } })).toBe('page')
  })
  test('[SHELL-11] pending until session and settings are known', () => {
    expect(gate({ user: undefined })).toBe('pending')
    expect(gate({ settings: undefined })).toBe('pending')
  })
  test('[SHELL-12] [SHELL-13] [SHELL-15] [SHELL-17] one condition after another is lifted, in order', () => {
    const locked = { ...user, password_expired: true as const, email_verified: false }
    expect(gate({ user: locked })).toBe('password-expired')
    expect(gate({ user: { ...user, email_verified: false } })).toBe('unverified')
    expect(gate({})).toBe('terms')
    expect(gate({ user: null })).toBe('login')
    expect(gate({ user: { ...user, tcs_accepted: '2026-03-01T00:00:00.000Z' } })).toBe('page')
  })
  test('a second factor that is required and missing comes after the locks of the account and before the terms', () => {
    const missing = { ...user, mfa_missing: true as const }
    expect(gate({ user: missing })).toBe('second-factor')
    expect(gate({ user: missing, isPublic: true })).toBe('second-factor')
    expect(gate({ user: { ...missing, email_verified: false } })).toBe('unverified')
    expect(gate({ user: { ...missing, password_expired: true } })).toBe('password-expired')
  })
  test('[SHELL-14] the page that verifies the address is let through', () => {
    expect(gate({ user: { ...user, email_verified: false }, isVerifyPage: true })).toBe('terms')
  })
  test('[SHELL-16] only pages that need it ask for a login', () => {
    expect(gate({ user: null, isPublic: true })).toBe('page')
    expect(gate({ user: null, settings: { ...settings, setup: true } })).toBe('setup')
  })
})

describe('terms are required', () => {
  test('[TCS-01] from who never accepted, once there is a date', () => {
    expect(termsRequired(user, settings)).toBe(true)
  })
  test('[TCS-02] again when the date is later than the acceptance', () => {
    expect(termsRequired({ ...user, tcs_accepted: '2026-01-31T00:00:00.000Z' }, settings)).toBe(true)
    expect(termsRequired({ ...user, tcs_accepted: '2026-02-02T00:00:00.000Z' }, settings)).toBe(false)
  })
  test('[TCS-03] not while the setting is off or no date exists', () => {
    expect(termsRequired(user, { ...settings, 'user:tcs-required': false })).toBe(false)
    expect(termsRequired(user, { ...settings, 'user:tcs-date': null })).toBe(false)
  })
})
