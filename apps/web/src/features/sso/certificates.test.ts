import { expect, test } from 'vitest'
import { expiryOf, warningOf } from './certificates.ts'

const now = Date.parse('2026-06-01T12:00:00Z')
const day = 86_400_000
const after = (days: number, option: 'cert' | 'nextCert' = 'cert') => ({
  option,
  expiresAt: new Date(now + days * day).toISOString(),
})

test('a certificate is warned of from 30 days before it expires, and afterwards', () => {
  expect(warningOf([after(31)], now)).toBeUndefined()
  expect(warningOf([after(30)], now)).toMatch(/^Certificate expires on .*2026$/)
  expect(warningOf([after(-1)], now)).toMatch(/^Certificate expired on .*2026$/)
  expect(warningOf([], now)).toBeUndefined()
  expect(warningOf(undefined, now)).toBeUndefined()
})

test('nothing is warned of while another certificate is valid for longer', () => {
  expect(warningOf([after(5), after(365, 'nextCert')], now)).toBeUndefined()
  expect(warningOf([after(365), after(5, 'nextCert')], now)).toBeUndefined()
  expect(warningOf([after(5), after(20, 'nextCert')], now)).toMatch(/Jun|21/)
})

test('each certificate has its date', () => {
  const both = [after(-5), after(365, 'nextCert')]
  expect(expiryOf(both, 'cert', now)).toMatch(/^Expired on .*2026\.$/)
  expect(expiryOf(both, 'nextCert', now)).toMatch(/^Expires on .*2027\.$/)
  expect(expiryOf([], 'cert', now)).toBeUndefined()
})
