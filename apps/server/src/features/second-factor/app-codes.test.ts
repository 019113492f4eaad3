import { describe, expect, test } from 'vitest'
import { totp } from '../../../testing/authenticator.ts'
import { appUri, newSecret, stepOf } from './app-codes.ts'
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'

describe('codes of an authenticator app', () => {
  // RFC 6238, appendix B: the last six of its eight digits, of the secret `12345678901234567890`.
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  test.each([
    [59, '287082', 1],
    [1_111_111_109, '081804', 37_037_036],
    [1_111_111_111, '050471', 37_037_037],
    [1_234_567_890, '005924', 41_152_263],
    [2_000_000_000, '279037', 66_666_666],
    [20_000_000_000, '353130', 666_666_666],
  ])('are those of the standard at %i seconds', (seconds, code, step) => {
    expect(stepOf(secret, code, seconds * 1000)).toBe(step)
    expect(totp(secret, seconds * 1000)).toBe(code)
  })

  test('count for the 30 seconds before and after theirs, and no longer', () => {
    const at = 1_111_111_110_000
    const within = [-60, -31, -30, 0, 29, 30, 59, 60].map((late) => stepOf(secret, '050471', at + late * 1000))
    expect(within.map((step) => step === 37_037_037)).toEqual([false, false, true, true, true, true, true, false])
  })

  test('come from secrets of 160 bits that are never the same, and an address that apps read', () => {
    const secrets = Array.from({ length: 50 }, newSecret)
    expect(new Set(secrets).size).toBe(50)
    for (const one of secrets) expect(one).toMatch(/^[A-Z2-7]{32}$/)
    const uri = new URL(appUri(secret, 'alice'))
    expect([uri.protocol, decodeURIComponent(uri.pathname)]).toEqual([
      'otpauth:',
      expect.stringMatching(/FlowForge:alice$/),
    ])
    expect(uri.searchParams.get('secret')).toBe(secret)
  })
})

test('recovery codes have 120 bits, and are the same however they are typed', () => {
  const codes = newRecoveryCodes()
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{6}-){3}[0-9a-hjkmnp-tv-z]{6}$/)
  const hash = hashRecoveryCode('abc100-def000-ghj111-kmnpqr')
  for (const typed of ['ABC1OO DEFOOO GHJLIL KMNPQR', ' abc100def000ghj111kmnpqr ', 'abc1oo-defooo-ghj1i1-kmnpqr'])
    expect(hashRecoveryCode(typed)).toBe(hash)
})
