import { expect, test } from 'vitest'
import { initials } from './Avatar.tsx'

test('initials come from the first and last word', () => {
  expect(initials('Example Bakery')).toBe('EB')
  expect(initials('Ada King Lovelace')).toBe('AL')
  expect(initials('alice')).toBe('AL')
  expect(initials('')).toBe('')
})
