import { expect, test } from 'vitest'
import { libraryAddress, rowsOf } from './library-rows.ts'

const updatedAt = '2026-01-01T00:00:00.000Z'

test('[LIB-06] folders come first, then flows, then functions, each by name', () => {
  const rows = rowsOf(
    [
      { fn: 'b', path: 'press/b', type: 'flows', updatedAt },
      { fn: 'a', path: 'press/a', type: 'functions', updatedAt },
      { fn: 'a', path: 'press/a', type: 'flows', updatedAt },
      'z',
      'y',
    ],
    'press',
  )
  expect(rows.map(({ type, path }) => `${type} ${path}`)).toEqual([
    'folder press/y',
    'folder press/z',
    'flows press/a',
    'flows press/b',
    'functions press/a',
  ])
})

test('an address holds names of every kind', () => {
  expect(libraryAddress('mill', { path: 'a b/50%?', type: 'flows' })).toBe(
    '/team/mill/library/a%20b/50%25%3F?type=flows',
  )
  expect(libraryAddress('mill', { path: 'press/a', type: 'folder' })).toBe('/team/mill/library/press/a')
})
