import { expect, test } from 'vitest'
import { flowChanges } from './versions.diff.ts'

const tab = (id: string, label: string) => ({ id, type: 'tab', label })
const node = (id: string, z: string, more: object = {}) => ({ id, type: 'debug', z, ...more })

test('counts what was added, changed and removed, in all and per tab', () => {
  const before = [tab('a', 'Oven'), node('1', 'a'), node('2', 'a'), { id: 'c', type: 'mqtt-broker' }]
  const after = [
    tab('a', 'Oven'),
    node('1', 'a', { name: 'x' }),
    tab('b', 'Shop'),
    node('3', 'b'),
    { id: 'c', type: 'mqtt-broker', broker: 'h' },
  ]
  expect(flowChanges(before, after)).toEqual({
    added: 2,
    changed: 2,
    removed: 1,
    tabs: [
      { tab: 'Oven', added: 0, changed: 1, removed: 1 },
      { tab: 'Shop', added: 2, changed: 0, removed: 0 },
      { added: 0, changed: 1, removed: 0 },
    ],
  })
})

test('a tab that went, one without a name, a node that moved, a subflow', () => {
  const before = [tab('a', ''), node('1', 'a'), { id: 's', type: 'subflow', name: 'Mix' }, node('4', 's')]
  const after = [tab('b', 'New'), node('1', 'b'), { id: 's', type: 'subflow', name: 'Mix' }, node('4', 's', { n: 1 })]
  expect(flowChanges(before, after).tabs).toEqual([
    { tab: 'New', added: 1, changed: 1, removed: 0 },
    { tab: 'Mix', added: 0, changed: 1, removed: 0 },
    { tab: 'a', added: 0, changed: 0, removed: 1 },
  ])
})

test('what is no list of nodes holds none', () => {
  expect(flowChanges({ flows: [] }, [])).toEqual({ added: 0, changed: 0, removed: 0, tabs: [] })
})
