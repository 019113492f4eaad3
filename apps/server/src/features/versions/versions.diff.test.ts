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
    moved: 0,
    removed: 1,
    tabs: [
      { tab: 'Oven', added: 0, changed: 1, moved: 0, removed: 1 },
      { tab: 'Shop', added: 2, changed: 0, moved: 0, removed: 0 },
      { added: 0, changed: 1, moved: 0, removed: 0 },
    ],
  })
})

test('a tab that went, one without a name, a node that moved, a subflow', () => {
  const before = [tab('a', ''), node('1', 'a'), { id: 's', type: 'subflow', name: 'Mix' }, node('4', 's')]
  const after = [tab('b', 'New'), node('1', 'b'), { id: 's', type: 'subflow', name: 'Mix' }, node('4', 's', { n: 1 })]
  expect(flowChanges(before, after).tabs).toEqual([
    { tab: 'New', added: 1, changed: 1, moved: 0, removed: 0 },
    { tab: 'Mix', added: 0, changed: 1, moved: 0, removed: 0 },
    { tab: 'a', added: 0, changed: 0, moved: 0, removed: 1 },
  ])
})

test('what is no list of nodes holds none', () => {
  expect(flowChanges({ flows: [] }, [])).toEqual({ added: 0, changed: 0, moved: 0, removed: 0, tabs: [] })
})

test('what only moved is counted apart; moved and changed is changed', () => {
  const at = (id: string, x: number, more: object = {}) => node(id, 'a', { x, y: 20, wires: [], ...more })
  const before = [tab('a', 'Oven'), ...['1', '2', '3'].map((id) => at(id, 20))]
  const after = [tab('a', 'Oven'), at('1', 40), at('2', 40), at('3', 40, { name: 'Warm' })]
  const counts = { added: 0, changed: 1, moved: 2, removed: 0 }
  expect(flowChanges(before, after)).toEqual({ ...counts, tabs: [{ tab: 'Oven', ...counts }] })
})

test.each([
  ['a group that grew', { type: 'group', w: 100, h: 50 }, { type: 'group', w: 120, h: 50 }, 'moved'],
  ['the width that another node has as a property', { type: 'ui', w: 1 }, { type: 'ui', w: 2 }, 'changed'],
  [
    'a port of a subflow at another place',
    { type: 'subflow', out: [{ x: 1, y: 1, wires: [{ id: 'n', port: 0 }] }], status: { x: 1, y: 1, wires: [] } },
    { type: 'subflow', out: [{ x: 9, y: 1, wires: [{ id: 'n', port: 0 }] }], status: { x: 1, y: 9, wires: [] } },
    'moved',
  ],
  [
    'a port of a subflow with another wire',
    { type: 'subflow', in: [{ x: 1, y: 1, wires: [{ id: 'n' }] }] },
    { type: 'subflow', in: [{ x: 9, y: 1, wires: [{ id: 'm' }] }] },
    'changed',
  ],
  ['the same in another order', { type: 'a', b: 1, c: { d: 1, e: 2 } }, { c: { e: 2, d: 1 }, b: 1, type: 'a' }, ''],
])('%s', (_what, before, after, kind) => {
  const { tabs: _tabs, ...counts } = flowChanges([{ id: '1', ...before }], [{ id: '1', ...after }])
  const none = { added: 0, changed: 0, moved: 0, removed: 0 }
  expect(counts).toEqual(kind === '' ? none : { ...none, [kind]: 1 })
})
