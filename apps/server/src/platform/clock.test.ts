import { expect, test } from 'vitest'
import { iso } from './clock.ts'

test('a time goes over the wire as the calendar of JavaScript writes it', () => {
  const edges = [
    '1970-01-01T00:00:00.000Z',
    '1999-12-31T23:59:59.999Z',
    '2024-02-29T12:34:56.007Z',
    '2024-03-01T00:00:00.070Z',
  ]
  for (const text of [...edges, ...edges.toReversed()]) expect(iso(Date.parse(text))).toBe(text)
  for (let ms = 0; ms < 4e12; ms += 7_777_777_777) expect(iso(ms)).toBe(new Date(ms).toISOString())
})
