import { expect, test } from 'vitest'
import { drawingOf, type FlowNode, tabsOf } from './flow-drawing.ts'

const flows: FlowNode[] = [
  { id: 'sub', type: 'subflow', name: 'Bake' },
  { id: 't1', type: 'tab', label: 'Oven' },
  { id: 't2', type: 'tab', label: '', disabled: true },
  { id: 'broker', type: 'mqtt-broker', name: 'no place' },
  {
    id: 'g',
    type: 'group',
    z: 't1',
    name: 'Heat',
    x: 34,
    y: 19,
    w: 300,
    h: 82,
    style: { fill: '#ffbfbf', stroke: 'url(#x)' },
  },
  { id: 'a', type: 'inject', z: 't1', name: '', x: 100, y: 60, wires: [['b', 'gone'], ['b']] },
  { id: 'b', type: 'subflow:sub', z: 't1', x: 400, y: 60, wires: [], d: true },
  { id: 'c', type: 'debug', z: 't2', x: 10, y: 10, wires: 'broken' },
]

test('tabs come first, then subflows, each with a name', () => {
  expect(tabsOf(flows)).toEqual([
    { id: 't1', label: 'Oven', subflow: false, off: false },
    { id: 't2', label: 'Flow', subflow: false, off: true },
    { id: 'sub', label: 'Bake', subflow: true, off: false },
  ])
})

test('nodes, groups and wires of one tab are drawn, and whatever is broken is left out', () => {
  const { nodes, groups, wires, ...box } = drawingOf(flows, 't1')
  expect(
    nodes.map(({ id, label, w, h, hasInput, outputs, off }) => ({ id, label, w, h, hasInput, outputs, off })),
  ).toEqual([
    { id: 'a', label: 'inject', w: 100, h: 40, hasInput: false, outputs: [13.5, 26.5], off: false },
    { id: 'b', label: 'Bake', w: 100, h: 30, hasInput: true, outputs: [], off: true },
  ])
  expect(groups).toEqual([{ id: 'g', label: 'Heat', fill: '#ffbfbf', stroke: undefined, x: 34, y: 19, w: 300, h: 82 }])
  expect(wires.map(({ path }) => path)).toEqual([
    'M150 53.5 C225 53.5 275 60 350 60',
    'M150 66.5 C225 66.5 275 60 350 60',
  ])
  expect(box).toEqual({ x: 4, y: -11, w: 476, h: 142 })
  expect(drawingOf(flows, 't2').nodes).toHaveLength(1)
  expect(drawingOf(flows, 'none')).toMatchObject({ nodes: [], w: 200 })
})

test('5,000 nodes are laid out at once', () => {
  const many: FlowNode[] = Array.from({ length: 5_000 }, (_, at) => ({
    id: `n${at}`,
    type: 'function',
    z: 't',
    x: (at % 50) * 200,
    y: Math.floor(at / 50) * 60,
    wires: [[`n${at + 1}`]],
  }))
  expect(drawingOf(many, 't').wires).toHaveLength(4_999)
})
