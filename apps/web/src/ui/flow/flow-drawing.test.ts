import { expect, test } from 'vitest'
import { type Box, drawingOf, type FlowNode, nodesOf, tabsOf, within } from './flow-drawing.ts'

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

test('what was copied without its tab is drawn, the same for nodes that stand nowhere', () => {
  const lost: FlowNode[] = [
    { id: 'a', type: 'inject', z: 'gone', x: 100, y: 60, wires: [['b']] },
    { id: 'b', type: 'debug', z: 'gone', x: 300, y: 60, wires: [] },
  ]
  expect(tabsOf(lost)).toEqual([{ id: 'gone', label: 'Flow', subflow: false, off: false }])
  expect(drawingOf(lost, 'gone').wires).toHaveLength(1)
  const nowhere = [...lost, { id: 'c', type: 'debug', x: 1, y: 1 }]
  expect(tabsOf(nowhere).map(({ label }) => label)).toEqual(['Flow 1', 'Flow 2'])
  expect(drawingOf(nowhere, '').nodes.map(({ id }) => id)).toEqual(['c'])
})

test('junctions are dots, links have no label, a subflow shows its ports with their wires', () => {
  const nodes: FlowNode[] = [
    {
      id: 's',
      type: 'subflow',
      name: 'Bake',
      in: [{ x: 40, y: 40, wires: [{ id: 'j' }] }],
      out: [{ x: 400, y: 40, wires: [{ id: 'j', port: 0 }] }],
      status: { x: 400, y: 90, wires: [] },
    },
    { id: 'j', type: 'junction', z: 's', x: 100, y: 40, wires: [['l']] },
    { id: 'l', type: 'link out', z: 's', name: 'hidden', x: 200, y: 80, wires: [] },
  ]
  const { nodes: drawn, wires } = drawingOf(nodes, 's')
  expect(drawn.map(({ id, label, w, junction }) => [id, label, w, junction])).toEqual([
    ['j', '', 10, true],
    ['l', '', 30, false],
    ['s:subflow input:0', 'input', 100, false],
    ['s:subflow output:0', 'output 1', 120, false],
    ['s:subflow output:1', 'status', 100, false],
  ])
  expect(wires.map(({ id }) => id)).toEqual(['j:0:l', 's:subflow input:0:0:j', 'j:0:s:subflow output:0'])
  expect(within(drawingOf(nodes, 's'), { x: 300, y: 0, w: 50, h: 60 }).wires.map(({ id }) => id)).toEqual([
    'j:0:s:subflow output:0',
  ])
})

test.each([
  ['no list', { id: 'a', type: 'tab' }],
  ['no nodes', [null, 'text', 1, [], {}, { id: 1, type: 'x' }, { id: 'a' }, { id: 'a', type: null }]],
  ['a node twice', [node('a'), node('a')]],
  ['groups in each other', [group('g1', 'g2'), group('g2', 'g1')]],
  ['a subflow in itself', [{ id: 's', type: 'subflow' }, node('n', { type: 'subflow:s', z: 's', wires: [['n']] })]],
  [
    'text where numbers belong',
    [node('a', { x: '1', y: '2' }), node('b', { w: 'x', name: {}, wires: [[null, 1, {}]] })],
  ],
  [
    'ports of nothing',
    [
      { id: 's', type: 'subflow', in: [null, 1, { x: 1, y: 1, wires: [null, 5] }], out: [null, { x: '1', y: 2 }] },
      { id: 't', type: 'subflow', in: 'x', out: [{ x: 1, y: 1, wires: [null, { id: 3 }] }], status: { x: 1, y: 1 } },
    ],
  ],
  ['places out of this world', [node('a', { x: 1e308, y: -1e308, wires: [['b']] }), node('b', { x: Number.NaN })]],
  ['names without end', [node('a', { name: 'x'.repeat(1_000_000) }), group('g', 'g', 'y'.repeat(1_000_000))]],
  ['a prototype', [{ id: '__proto__', type: 'subflow' }, node('a', { type: 'subflow:__proto__', z: '__proto__' })]],
])('flows with %s are drawn as far as they can be', (_what, flows: unknown) => {
  const nodes = nodesOf(flows)
  expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length)
  for (const { id } of tabsOf(nodes)) {
    const drawing = drawingOf(nodes, id)
    const boxes: Box[] = [drawing, ...drawing.nodes, ...drawing.groups, ...within(drawing, drawing).wires]
    for (const { x, y, w, h } of boxes) for (const side of [x, y, w, h]) expect(Math.abs(side)).toBeLessThan(300_000)
    expect(new Set(drawing.nodes.map((one) => one.id)).size).toBe(drawing.nodes.length)
  }
})

function node(id: string, more: object = {}): object {
  return { id, type: 'function', z: 't', x: 100, y: 60, wires: [], ...more }
}

function group(id: string, within: string, name = ''): object {
  return { id, type: 'group', z: 't', g: within, nodes: [within], name, x: 0, y: 0, w: 40, h: 40 }
}
