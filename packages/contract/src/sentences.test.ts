import * as z from 'zod/mini'
import { expect, test } from 'vitest'
import { sentenceOf } from './sentences.ts'

const saysOf = (schema: z.ZodMiniType, value: unknown) =>
  schema.safeParse(value, { error: sentenceOf }).error?.issues[0]?.message

test('what is wrong is said in words that whoever typed it understands', () => {
  const name = z.string().check(z.minLength(1), z.maxLength(2_000))
  expect(saysOf(name, 'x'.repeat(2_001))).toBe('At most 2,000 characters')
  expect(saysOf(name, '')).toBe('Required')
  expect(saysOf(name, 5)).toBe('Must be text')
  expect(saysOf(z.object({ name }), {})).toBe('Required')
  expect(saysOf(z.string().check(z.minLength(8)), 'short')).toBe('At least 8 characters')
  expect(saysOf(z.int().check(z.minimum(1), z.maximum(99)), 100)).toBe('At most 99')
  expect(saysOf(z.array(z.string()).check(z.maxLength(1)), ['a', 'b'])).toBe('At most 1 entry')
  expect(saysOf(z.enum(['a', 'b']), 'c')).toBe('Must be one of: a, b')
  expect(saysOf(z.enum(Array.from({ length: 50 }, (_, at) => `v${at}`)), 'c')).toBe('Unknown value')
})

test('no words of the library are left: of several shapes the last one is what people type', () => {
  const name = z.union([z.literal(''), z.string().check(z.maxLength(3))])
  expect(saysOf(name, 7)).toBe('Must be text')
  expect(saysOf(name, 'long')).toBe('At most 3 characters')
  expect(saysOf(z.union([z.string(), z.object({ id: z.string() })]), { id: 1 })).toBe('id: Must be text')
  expect(saysOf(z.iso.datetime(), 'noon')).toBe('Must be a date and time such as 2026-01-31T12:00:00Z')
  expect(saysOf(z.string().check(z.regex(/^a$/)), 'b')).toBe('Not valid')
  expect(saysOf(z.strictObject({}), { one: 1, two: 2 })).toBe('Unknown: one, two')
  expect(saysOf(z.record(z.string(), z.string()), [])).toBe('Must be an object')
  expect(saysOf(z.null(), 1)).toBe('Not valid')
  expect(saysOf(z.string().check(z.refine(() => false)), 'x')).toBe('Not valid')
})

test('a sentence of the schema itself stands', () => {
  expect(saysOf(z.string().check(z.minLength(1, 'Give it a name')), '')).toBe('Give it a name')
})
