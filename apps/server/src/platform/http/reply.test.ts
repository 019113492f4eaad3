import * as z from 'zod/mini'
import { expect, test } from 'vitest'
import { type Route, routes } from '@app/contract'
import { replyWriter } from './reply.ts'

const Person = z.object({ name: z.string(), nick: z.optional(z.string()), left: z.nullable(z.string()) })
const person = { name: 'A "b"\n', left: null, secret: 1 }
const shown = { name: 'A "b"\n', left: null }
const written = (schema: z.ZodMiniType, value: unknown) => JSON.parse(replyWriter(schema)(value))

test('an answer has the fields of the contract and no other', () => {
  const write = replyWriter(routes['team.role'].reply)
  expect(write({ role: 50, password_hash: 'secret' })).toBe('{"role":50}')
})

test.each([
  ['a list', z.object({ of: z.array(Person) }), { of: [person, person] }, { of: [shown, shown] }],
  ['a record', z.record(z.string(), Person), { a: person }, { a: shown }],
  ['a field that may be null', z.object({ of: z.nullable(Person) }), { of: person }, { of: shown }],
  ['a field that may be absent', z.object({ of: z.optional(Person) }), { of: person }, { of: shown }],
  ['a list with gaps', z.array(z.nullable(Person)), [null, person], [null, shown]],
  ['a record with gaps', z.record(z.string(), Person), { a: person, b: undefined }, { a: shown }],
  ['an object that takes no other', z.strictObject({ of: Person }), { of: person, more: 1 }, { of: shown }],
  ['one of several kinds', z.union([z.object({ id: z.string() }), Person]), person, shown],
])('so it is in %s', (_where, schema, value, expected) => {
  expect(written(schema, value)).toEqual(expected)
})

test('a value that may hold anything is written whole', () => {
  expect(written(z.looseObject({}), person)).toEqual(person)
  expect(written(z.object({ of: z.unknown() }), { of: person })).toEqual({ of: person })
})

test('the named fields show what the contract names if there may be other fields', () => {
  const Open = z.looseObject({ of: Person, name: z.string() })
  expect(written(Open, { of: person, name: 'A', more: 1 })).toEqual({ of: shown, name: 'A', more: 1 })
  expect(() => written(Open, { of: person, more: 1 })).toThrow('"name" is required')
})

test('an answer that lacks a field is refused, as is one of no kind that the contract knows', () => {
  expect(() => written(z.array(Person), [{ left: null }])).toThrow('"name" is required')
  expect(() => written(z.union([Person, z.object({ id: z.string() })]), { other: 1 })).toThrow('of no kind')
  expect(written(z.object({ of: z.optional(Person) }), {})).toEqual({})
})

const withReply = (Object.entries(routes) as [string, Route][]).filter(([, { reply }]) => reply)
test.each(withReply)('a writer of the answers of %s can be built', (_id, { reply }) => {
  // It is built at its first use; an answer that lacks everything is refused by the writer and not by its builder.
  let complaint = ''
  try {
    replyWriter(reply!)({})
  } catch (error) {
    complaint = (error as Error).message
  }
  expect(complaint).toMatch(/^$|is required|is of no kind|is not a function/)
})
