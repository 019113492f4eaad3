import type { PlatformSettings } from '@app/contract'
import { expect, test } from 'vitest'
import { changesOf, faultsOf, offersTelemetry, sections, telemetryOption, termsText } from './settings-options.ts'

test('[ASET-04] each option has a label and one key', () => {
  const keys = sections.flatMap(({ options }) => options.map(({ key }) => key))
  expect(new Set(keys).size).toBe(keys.length)
  expect(keys).toEqual(
    expect.arrayContaining([
      'user:signup',
      'user:reset-password',
      'user:team:auto-create',
      'user:tcs-required',
      'team:create',
    ]),
  )
})

test('[TCS-07] required terms want an address', () => {
  expect(faultsOf({ 'user:tcs-required': true, 'user:tcs-url': '' })).toEqual({ 'user:tcs-url': termsText })
  expect(faultsOf({ 'user:tcs-required': true, 'user:tcs-url': 'example' })).toEqual({
    'user:tcs-url': 'Enter a web address',
  })
  expect(faultsOf({ 'user:tcs-required': true, 'user:tcs-url': 'https://example.com/terms' })).toEqual({})
  expect(faultsOf({ 'user:tcs-required': false, 'user:tcs-url': '' })).toEqual({})
})

test('[ASET-13] what is as it was is not sent', () => {
  expect(changesOf({ a: 1, b: 2 }, { a: 1, b: 3 })).toEqual({ b: 3 })
})

test('[ASET-10] anonymous statistics are a choice only without a licence, and it is said where they go', () => {
  const settings = (more: object) => more as PlatformSettings
  expect(offersTelemetry(settings({ 'platform:licensed': true }))).toBe(false)
  expect(offersTelemetry(settings({ 'platform:licensed': false }))).toBe(true)
  const { key, label, help } = telemetryOption(settings({ 'telemetry:url': 'https://vendor.example/in' }))
  expect([key, label]).toEqual(['telemetry:enabled', 'Send anonymous usage statistics'])
  expect(help).toContain('go to vendor.example')
  expect(telemetryOption(settings({})).help).toContain('Nothing is sent')
})
