import { auditEvents } from '@app/contract/audit'
import { expect, test } from 'vitest'
import { eventChoices } from './filters.ts'

test('[AUDIT-02] events are chosen by label, sorted, and every one of a log can be', () => {
  const choices = eventChoices({ scope: 'platform' })
  const labels = choices.map(({ label }) => label)
  expect(labels).toEqual(labels.toSorted((a, b) => a.localeCompare(b)))
  expect(new Set(labels).size).toBe(labels.length)
  const keys = Object.entries(auditEvents).filter(([, { scopes }]) =>
    scopes.some((scope) => scope === 'platform' || scope === 'user'),
  )
  expect(choices.flatMap((choice) => choice.keys).toSorted()).toEqual(keys.map(([key]) => key).toSorted())
})

test('the log of a device offers what people do with it and what Node-RED reports, and nothing of other things', () => {
  const keys = eventChoices({ scope: 'device', id: 'd' }).flatMap((choice) => choice.keys)
  expect(keys).toEqual(expect.arrayContaining(['team.device.created', 'team.device.assigned', 'crashed', 'flows.set']))
  const others = ['project.device.assigned', 'project.started', 'team.device.provisioning.created', 'team.created']
  expect(keys.filter((key) => others.includes(key))).toEqual([])
})
