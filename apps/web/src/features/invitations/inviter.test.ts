import { expect, test } from 'vitest'
import { inviterOf } from './inviter.ts'

test('[ATEAM-13] who invites is shown by name, or by address when that is all there is', () => {
  expect(inviterOf({ name: 'Ada', username: 'ada' })).toBe('Ada')
  expect(inviterOf({ name: '', username: 'ada' })).toBe('ada')
  expect(inviterOf({ external: true, email: 'ada@example.com' })).toBe('ada@example.com')
})
