import { expect, test } from 'vitest'
import { endText, endTone } from './faults-text.ts'

const node = { id: 'a b', type: 'function', name: 'enrich', tab: { id: 't', label: 'Oven' } }
const fault = { kind: 'error' as const, node, message: 'no', count: 1, at: 0 }

test('a deployment that is done says what it left', () => {
  expect([endText({ state: 'done' }), endTone({ state: 'done' })]).toEqual(['done', 'ok'])
  expect(endText({ state: 'done', faults: [fault, fault] })).toBe('done with 2 errors')
  const many = (length: number) => endText({ state: 'done', faults: Array.from({ length }, () => fault) })
  expect([many(49), many(50)]).toEqual(['done with 49 errors', 'done with 50 or more errors'])
  expect(endTone({ state: 'done', faults: [fault] })).toBe('warn')
  expect(endText({ state: 'done', warning: 'no' })).toBe('done, flows stopped')
  expect(endText({ state: 'done', verdict: 'stopped', warning: 'no' })).toBe('done, flows stopped')
  const unjudged = { state: 'done', verdict: 'unjudged', warning: 'It does not run.' } as const
  expect([endText(unjudged), endTone(unjudged)]).toEqual(['done, not judged', 'warn'])
  expect([endText({ state: 'failed', faults: [fault] }), endTone({ state: 'failed' })]).toEqual(['failed', 'bad'])
})
