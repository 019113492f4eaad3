import { expect, test } from 'vitest'
import { createSeats } from './seats.ts'

test('nobody has more seats than their share, and all together no more than there are', () => {
  const seats = createSeats({ perUser: 2, inAll: 3 })
  const leave = seats.take('ada')!
  expect(seats.take('ada')).toBeDefined()
  expect(seats.take('ada')).toBeUndefined()
  expect(seats.take('bob')).toBeDefined()
  expect(seats.take('eve')).toBeUndefined()
  leave()
  leave()
  expect(seats.take('eve')).toBeDefined()
  expect(seats.take('ada')).toBeUndefined()
})
