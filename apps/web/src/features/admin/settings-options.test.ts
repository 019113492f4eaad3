import { expect, test } from 'vitest'
import { changesOf, faultsOf, sections, termsText } from './settings-options.ts'

test('[ASET-04] [ASET-05] [ASET-06] each option has a label and one key', () => {
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
