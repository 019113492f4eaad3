import { expect, test } from 'vitest'
import { neverComes } from './flows-times.ts'

test.each([
  '0 0 31 2 *',
  '0 0 30 feb *',
  '0 0 30-31 2 ?',
  '15 6 31 4,6,sep,11 *',
  '0 0 0 31 11-2/3 *',
  '0 0 30/1 2 *',
  '0 0 0 1 1 * 2020',
  '0 0 0 1 1 * 2019,2020-2022',
])('no day is %s', (time) => {
  expect(neverComes(time)).toBe(true)
})

test.each([
  '0 0 29 2 *',
  '0 0 30,31 2,3 *',
  '0 0 31 11-12 *',
  // Mondays as well.
  '0 0 31 2 1',
  '0 0 L 2 *',
  '0 0 31W 2 *',
  '0 0 */2 2 *',
  '0 0 1 1 * 2020-2999',
  '0 0 0 1 1 * 2020/7',
  '*/5 * * * *',
  '0 8 * * mon-fri',
  '@daily',
  'nonsense',
  '',
])('there may be a day for %s', (time) => {
  expect(neverComes(time)).toBe(false)
})
