import { DriverError } from '@app/drivers'
import { expect, test } from 'vitest'
import { AgentError } from '../agent.errors.ts'
import { createAttempts, refusalOf } from './attempts.ts'

const wanted = { snapshot: 's1', settings: 'h1' }

test('a target whose flows were judged is not tried again until it or the settings change', () => {
  const attempts = createAttempts()
  const refused = refusalOf(wanted, new DriverError('flows_not_started', 'Its flows do not run.'))
  expect(refused).toEqual({ ...wanted, code: 'flows_not_started', message: 'Its flows do not run.', final: true })
  attempts.failed(wanted)
  expect(attempts.isDue(wanted, refused)).toBe(false)
  expect(attempts.isDue({ ...wanted, settings: 'h2' }, refused)).toBe(true)
  expect(attempts.isDue({ ...wanted, snapshot: 's2' }, refused)).toBe(true)
})

test('a failure that passes is tried again after a minute, then two, at most an hour, whatever the clock says', () => {
  let now = 0
  const attempts = createAttempts(() => now)
  const refused = refusalOf(wanted, new DriverError('registry_unreachable', 'No registry.'))
  const pauses: number[] = []
  for (let round = 0; round < 9; round += 1) {
    attempts.failed(wanted)
    const from = now
    while (!attempts.isDue(wanted, refused)) now += 1_000
    pauses.push((now - from) / 60_000)
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
})

test.each([
  [new AgentError('platform_unreachable', 'away'), 'platform_unreachable', false],
  [Object.assign(new Error('no space'), { code: 'ENOSPC' }), 'disk_full', false],
  [new Error('surprise'), 'unexpected_error', false],
  [new DriverError('module_invalid', 'no name'), 'module_invalid', true],
])('%s is %s, final: %s', (error, code, final) => expect(refusalOf(wanted, error)).toMatchObject({ code, final }))
