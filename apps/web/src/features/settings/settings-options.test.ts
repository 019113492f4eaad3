import type { PlatformSettings } from '@app/contract'
import { expect, test } from 'vitest'
import {
  banners,
  changesOf,
  faultsOf,
  labels,
  offersTelemetry,
  sections,
  telemetryOption,
  termsText,
} from './settings-options.ts'

test('[ASET-04] each option has a label and one key', () => {
  const keys = sections.flatMap(({ options }) => options.map(({ key }) => key))
  expect(new Set(keys).size).toBe(keys.length)
  const labelled = sections.map(({ title, options }) => [title, options.map(({ key, label }) => [label, key])])
  expect(labelled).toEqual([
    [
      'Users',
      [
        ['Allow users to sign up on the login screen', 'user:signup'],
        ['Allow users to reset their password', 'user:reset-password'],
        ['Create a personal team for new users', 'user:team:auto-create'],
        ['Require agreement to Terms & Conditions', 'user:tcs-required'],
        ['Allow single sign-on', 'user:sso'],
      ],
    ],
    [
      'Teams',
      [
        ['Allow users to create teams', 'team:create'],
        ['Allow inviting people without an account', 'team:user:invite:external'],
        ['Allow roles in single applications', 'team:application-roles'],
      ],
    ],
  ])
})

test('[ASET-04] what is no switch has the label of the documents too', () => {
  expect(banners.map(({ key, label }) => [label, key])).toEqual([
    ['HTML shown above the sign-up form', 'branding:account:signUpTopBanner'],
    ['HTML shown left of the sign-up form', 'branding:account:signUpLeftBanner'],
  ])
  expect(labels).toEqual({
    termsUrl: 'Terms & Conditions URL',
    termsDate: 'Last updated:',
    renewTerms: 'update now',
    trial: 'Start personal teams in trial mode',
    trialDays: 'Trial length in days',
    trialType: 'Instance type of the trial',
    statsToken: 'Allow token access to platform statistics',
  })
})

test('[TCS-07] required terms want an address', () => {
  expect(faultsOf({ 'user:tcs-required': true, 'user:tcs-url': '' })).toEqual({ 'user:tcs-url': termsText })
  expect(faultsOf({ 'user:tcs-required': true, 'user:tcs-url': 'example' })).toEqual({
    'user:tcs-url': 'Enter a web address',
  })
  expect(faultsOf({ 'user:tcs-required': true, 'user:tcs-url': 'https://example.com/terms' })).toEqual({})
  expect(faultsOf({ 'user:tcs-required': false, 'user:tcs-url': '' })).toEqual({})
})

test('a trial wants a length and an instance type, where there is billing', () => {
  const on = (change: object = {}) =>
    faultsOf({
      features: { billing: true },
      'user:team:auto-create': true,
      'user:team:trial-mode': true,
      'user:team:trial-mode:duration': 14,
      'user:team:trial-mode:projectType': 'small',
      ...change,
    })
  expect(on()).toEqual({})
  for (const days of [0, 4000])
    expect(on({ 'user:team:trial-mode:duration': days })).toEqual({
      'user:team:trial-mode:duration': 'Enter 1 to 3650 days',
    })
  expect(on({ 'user:team:trial-mode:projectType': null })).toEqual({
    'user:team:trial-mode:projectType': 'Choose an instance type',
  })
  const without = { 'user:team:trial-mode:projectType': null }
  for (const off of [{ features: {} }, { 'user:team:auto-create': false }, { 'user:team:trial-mode': false }])
    expect(on({ ...without, ...off })).toEqual({})
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
  expect(help).toContain('to vendor.example once a day')
  expect(telemetryOption(settings({})).help).toContain('Nothing is sent')
})
