import { expect, test } from 'vitest'
import { logNodeLocation, nodeInLines } from './log-nodes.ts'

const tab = { id: 't', label: 'Oven' }
const node = { id: 'a b', type: 'function', name: 'enrich', tab }
const inner = {
  id: 'mixes',
  type: 'function',
  tab: { id: 'mixer', label: 'Mixer' },
  path: [tab, { id: 'm1', label: 'mixer 1' }, { id: 'm2', label: '' }],
}

test('a node in a subflow is named with the nodes on whose behalf it runs', () => {
  expect(logNodeLocation(node)).toBe('enrich (function) on Oven')
  expect(logNodeLocation(inner)).toBe('mixes (function) on Mixer, in mixer 1, m2 on Oven')
})

test('what an id stands for is known from the lines that name it: a node, a tab, a subflow or an instance of one', () => {
  const lines = [{ node }, { node: inner }, {}]
  expect(['a b', 't', 'mixer', 'm1', 'm2', 'gone'].map((id) => nodeInLines(lines, id))).toEqual([
    'enrich (function) on Oven',
    'Oven',
    'Mixer',
    'mixer 1',
    'm2',
    undefined,
  ])
})
