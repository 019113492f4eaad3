import type { Foreseen } from '@app/contract'
import { expect, test } from 'vitest'
import { namesOf } from './foreseen-text.ts'

const types = ['a-in', 'b-in', 'c-in', 'd-in', 'e-in']
const one = (sentence: string, codes: string[], more: Partial<Foreseen> = {}): Foreseen => ({
  kind: 'type',
  sentence,
  codes,
  ...more,
})

test('types that a sentence only counts are listed', () => {
  const codes = types.map((type) => `type:${type}`)
  const counted = one('The node types a-in, b-in, c-in and 2 more are missing.', codes, { types })
  expect(namesOf(counted)).toEqual({ all: types, counted: true })
})

test('a sentence that names all needs no list', () => {
  const codes = ['type:a-in', 'module:left-pad']
  expect(namesOf(one('Node type a-in and module left-pad are missing.', codes))).toEqual({
    all: ['a-in', 'left-pad'],
    counted: false,
  })
})

test('a function or the whole of the nodes has no names to list', () => {
  expect(namesOf(one('None of its nodes works.', ['nodes', 'function:f1'])).all).toEqual([])
})
