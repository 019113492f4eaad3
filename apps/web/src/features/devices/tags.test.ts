import { expect, test } from 'vitest'
import { faultOfTags, tagsIn } from './tags.ts'

test('spaces, lines and commas part tags', () => {
  expect(tagsIn('  Bakery, floor-2\nline:3,,')).toEqual(['Bakery', 'floor-2', 'line:3'])
  expect(tagsIn(' ')).toEqual([])
})

test('what cannot be a tag is named, with the reason', () => {
  expect(faultOfTags(['bakery', 'küche', 'line:3', 'v1.2_b'])).toBeUndefined()
  expect(faultOfTags(['bakery', '#2'])).toBe('#2: A tag is one word of letters, digits and . _ : -')
  expect(faultOfTags(['a'.repeat(33)])).toBe(`${'a'.repeat(32)}…: At most 32 characters`)
  expect(faultOfTags(Array.from({ length: 11 }, (_, n) => `t${n}`))).toBe('At most 10 tags')
})
