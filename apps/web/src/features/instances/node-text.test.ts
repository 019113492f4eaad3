import { expect, test } from 'vitest'
import { nodeLink, nodeLogLink, nodeLocation } from './node-text.ts'

const tab = { id: 't', label: 'Oven' }
const node = { id: 'a b', type: 'function', name: 'enrich', tab }

test('a node is named with its type and tab, and leads to its properties in the editor', () => {
  expect(nodeLocation(node)).toBe('enrich (function) on Oven')
  expect(nodeLocation({ id: 'x', type: 'mqtt-broker' })).toBe('x (mqtt-broker)')
  expect(nodeLink('http://oven.localhost/', node)).toBe('http://oven.localhost/#node/a%20b/edit')
  expect(nodeLogLink('i', node)).toBe('/instance/i/logs?node=a%20b')
})
