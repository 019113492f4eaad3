import type { NodeChange } from '@app/contract'
import { expect, test } from 'vitest'
import { countFlows, countNodes, everyFlow, filterNodes, noFlow } from './difference-filter.ts'

const node = (id: string, more: Partial<NodeChange> = {}): NodeChange => ({
  id,
  type: 'function',
  label: id,
  flow: 'Oven',
  change: 'changed',
  properties: [],
  ...more,
})
const nodes = [
  node('tab', { type: 'tab', label: 'Oven', flow: undefined }),
  node('warm', { properties: [{ key: 'func', old: 'return Rye', new: 'return Oat' }] }),
  node('still', { change: 'moved', moved: true }),
  node('both', { moved: true, flow: 'Shop' }),
  node('broker', { type: 'mqtt-broker', flow: undefined, change: 'added' }),
  node('mix', {
    type: 'subflow:m',
    flow: 'Shop',
    properties: [{ key: 'env', variables: [{ name: 'SITE', change: 'added', new: { type: 'str', value: 'mill' } }] }],
  }),
]
const found = (filter: object) =>
  filterNodes(nodes, { text: '', flow: everyFlow, moved: false, ...filter }).map(({ id }) => id)

test('moved nodes are left out until they are asked for; one that changed as well is not', () => {
  expect(found({})).toEqual(['tab', 'warm', 'both', 'broker', 'mix'])
  expect(found({ moved: true })).toEqual(nodes.map(({ id }) => id))
  expect(countNodes(nodes)).toEqual({ added: 1, changed: 4, moved: 1, removed: 0 })
})

test('nodes are found by their flow and by words', () => {
  expect(found({ flow: 'Oven' })).toEqual(['tab', 'warm'])
  expect(found({ flow: noFlow })).toEqual(['broker'])
  expect(countFlows(nodes)).toEqual([
    ['Oven', 3],
    ['Shop', 2],
    [noFlow, 1],
  ])
  expect([found({ text: 'rye' }), found({ text: 'MQTT' }), found({ text: ' mill ' })]).toEqual([
    ['warm'],
    ['broker'],
    ['mix'],
  ])
})
