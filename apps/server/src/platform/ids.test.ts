import { expect, test } from 'vitest'
import { newId, newUuid } from './ids.ts'

test('ids sort by creation, also within a millisecond, and never repeat', () => {
  const ids = Array.from({ length: 2_000 }, newId)
  expect(ids).toEqual(ids.toSorted())
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[0-9a-v]{20}$/)
})

test('ids of instances are UUIDs of version 7 that sort by creation', () => {
  const ids = Array.from({ length: 2_000 }, newUuid)
  expect(ids).toEqual(ids.toSorted())
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})
