import { expect, test } from 'vitest'
import { licenceNotice } from './licence.ts'

const expiring = (daysRemaining: number) => ({ expired: false, expiring: true, daysRemaining })

test('[LICB-01] an expiring licence is for administrators to know', () => {
  expect(licenceNotice(expiring(5), true)).toBeDefined()
  expect(licenceNotice(expiring(5), false)).toBeUndefined()
  expect(licenceNotice({ expired: false, expiring: false, daysRemaining: 300 }, true)).toBeUndefined()
})

test('[LICB-03] [LICB-06] the days that remain are counted out', () => {
  expect(licenceNotice(expiring(5), true)).toBe('Your license will expire in 5 days.')
  expect(licenceNotice(expiring(1), true)).toBe('Your license will expire in 1 day.')
  expect(licenceNotice(expiring(0), true)).toBe('Your license will expire in 0 days.')
})

test('[LICB-02] [LICB-04] an expired licence is for everyone to know', () => {
  const expired = { expired: true, expiring: false, daysRemaining: 0 }
  for (const isAdmin of [true, false]) expect(licenceNotice(expired, isAdmin)).toBe('Your license has expired.')
})
