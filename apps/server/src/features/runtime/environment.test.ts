import { expect, test } from 'vitest'
import { environmentOf } from './environment.ts'

const place = (name: string, isFirst = false, isLast = false) => ({ name, isFirst, isLast })

test('the first stage of a pipeline is development, the last is production, and between them is staging', () => {
  expect(environmentOf([place('Bench', true)])).toEqual({ kind: 'development', label: 'Bench' })
  expect(environmentOf([place('Hall 3')])).toEqual({ kind: 'staging', label: 'Hall 3' })
  expect(environmentOf([place('Hall 4', false, true)])).toEqual({ kind: 'production', label: 'Hall 4' })
})

test('what was set counts more than any stage', () => {
  expect(environmentOf([place('dev')], 'production')).toEqual({ kind: 'production', label: 'Production' })
  expect(environmentOf([], 'staging')).toEqual({ kind: 'staging', label: 'Staging' })
})

test.each([
  ['Live', 'production'],
  ['prod-eu', 'production'],
  ['Pre-prod', 'staging'],
  ['QA', 'staging'],
  ['Staging', 'staging'],
  ['dev', 'development'],
])('a stage called %s is %s wherever it stands', (name, kind) => {
  expect(environmentOf([place(name, true)])?.kind).toBe(kind)
  expect(environmentOf([place(name, false, true)])?.kind).toBe(kind)
})

test('in several pipelines the one that asks for the most care counts, and outside of them none', () => {
  expect(environmentOf([place('dev'), place('Live'), place('QA')])).toEqual({ kind: 'production', label: 'Live' })
  expect(environmentOf([])).toBeUndefined()
})
