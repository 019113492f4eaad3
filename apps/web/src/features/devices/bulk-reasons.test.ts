import { expect, test } from 'vitest'
import { reasonsOf } from './bulk-reasons.ts'

const refusal = (name: string | undefined, error: string) => ({
  id: 'x',
  code: 'invalid_request' as const,
  error,
  ...(name === undefined ? {} : { name }),
})

test('each reason is said once, after the devices it is true of', () => {
  const refused = [
    refusal('Oven 1', 'It is offline.'),
    refusal('Mixer 1', 'A device has at most 10 tags'),
    refusal('Oven 2', 'It is offline.'),
  ]
  expect(reasonsOf(refused)).toBe('Oven 1, Oven 2: It is offline. Mixer 1: A device has at most 10 tags.')
})

test('of many devices some are named, and one of which nothing is known any more is not', () => {
  const refused = Array.from({ length: 200 }, (_, n) => refusal(n === 0 ? undefined : `Oven ${n}`, 'Not found'))
  expect(reasonsOf(refused)).toBe('a device that is gone, Oven 1, Oven 2 and 197 more: Not found.')
})
