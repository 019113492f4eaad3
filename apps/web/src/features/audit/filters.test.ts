import { auditEvents } from '@app/contract/audit'
import { expect, test } from 'vitest'
import { eventChoices } from './filters.ts'

test('[AUDIT-02] events are chosen by label, sorted, and every one of a log can be', () => {
  const choices = eventChoices(['platform', 'user'])
  const labels = choices.map(({ label }) => label)
  expect(labels).toEqual(labels.toSorted((a, b) => a.localeCompare(b)))
  expect(new Set(labels).size).toBe(labels.length)
  const keys = Object.entries(auditEvents).filter(([, { scopes }]) =>
    scopes.some((scope) => scope === 'platform' || scope === 'user'),
  )
  expect(choices.flatMap((choice) => choice.keys).toSorted()).toEqual(keys.map(([key]) => key).toSorted())
})
