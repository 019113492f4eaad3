import { expect, test } from 'vitest'
import { idleNodes } from './flows-idle.ts'

/** `inject a > dead > debug b`: nodes by type and name, each wired to the next; a type is its own name by default. */
function chain(text: string) {
  const all = text.split(' > ').map((each) => {
    const [type = '', id = type] = each.split(':')
    return { id, type: type.startsWith('ui-') ? type : type.replace('-', ' ') }
  })
  return all.map((node, at) => ({ ...node, wires: at + 1 < all.length ? [[all[at + 1]!.id]] : [] }))
}
const working = (nodes: ReturnType<typeof chain>) => {
  const idle = idleNodes(nodes, ({ id }) => id === 'dead')
  return nodes.map(({ id }) => id).filter((id) => !idle.has(id))
}

test.each([
  // Nothing sends or gets a message that was handled.
  ['inject > function:dead', []],
  ['http-in > function:dead > http-response', []],
  ['inject > change > function:dead > change:then > debug', []],
  // These do something by themselves, or with the messages that come to them.
  ['inject > function:dead > function:other', ['other']],
  ['inject > file > function:dead', ['inject', 'file']],
  ['modbus-server > function:dead > ui-gauge', ['modbus-server', 'ui-gauge']],
  ['inject > change > debug', ['inject', 'change', 'debug']],
])('%s', (text, expected) => expect(working(chain(text))).toEqual(expected))

test('a node with another way for its messages works, and a disabled node counts as none', () => {
  const more = [{ id: 'log', type: 'debug', wires: [] }]
  const branching = [
    ...chain('inject > function:dead').with(0, { id: 'inject', type: 'inject', wires: [['dead', 'log']] }),
    ...more,
  ]
  expect(working(branching)).toEqual(['inject', 'log'])
  expect(
    working([
      { id: 'inject', type: 'inject', wires: [['disabled']] },
      { id: 'dead', type: 'function', wires: [] },
    ]),
  ).toEqual(['inject'])
})

const broken = chain('http-in > function:dead > http-response')
const on = (id: string, type: string, more: object = {}) => ({ id, type, wires: [] as string[][], ...more })

test.each(['catch', 'status', 'complete'])('a %s node works when a node that it watches does', (type) => {
  const watcher = (scope?: unknown) => [on('watcher', type, { scope, wires: [['log']] }), on('log', 'debug')]
  const around = (...more: object[]) => working([...broken, ...(more as typeof broken)])
  expect(around(...watcher(null))).toEqual([])
  expect(around(...watcher(['http in', 'dead']))).toEqual([])
  // Not by what it sends itself, nor by another of its kind.
  expect(around(...watcher(['log']), on('second', 'catch', { scope: null }))).toEqual([])
  const other = on('other', 'function')
  expect(around(...watcher(['other']), other)).toEqual(['watcher', 'log', 'other'])
  const everywhere = type === 'complete' ? ['other'] : ['watcher', 'log', 'other']
  expect(around(...watcher(), other)).toEqual(everywhere)
  expect(around(...watcher(), { ...other, z: 'elsewhere' })).toEqual(['other'])
})

test('a node that nothing leads to does not work, unless it acts by itself', () => {
  const lone = (type: string, more: object = {}) => working([...broken, on('lone', type, more)])
  const fed = ['debug', 'http response', 'template', 'mqtt out', 'link in', 'tcp out']
  for (const type of fed) expect(lone(type)).toEqual([])
  const acting = ['inject', 'mqtt in', 'tcp in', 'watch', 'function', 'subflow:sub', 'modbus-read', 'ui_gauge']
  for (const type of acting) expect(lone(type)).toEqual(['lone'])
  // Messages tell it its topics.
  expect(lone('mqtt in', { inputs: 1 })).toEqual([])
  expect(working([on('template', 'template')])).toEqual(['template'])
})

test('links are followed as wires', () => {
  const linked = (middle: string) => [
    on('inject', 'inject', { wires: [['out']] }),
    on('out', 'link out', { links: ['in'] }),
    on('in', 'link in', { links: ['out'], wires: [['middle']] }),
    on('middle', middle, { wires: [['back']] }),
    on('back', 'link out', { links: ['end'] }),
    on('end', 'link in', { wires: [['log']] }),
    on('log', 'debug'),
  ]
  const isMiddle = ({ id }: { id: string }) => id === 'middle'
  expect(idleNodes(linked('function'), isMiddle).size).toBe(7)
  expect(working([...broken, ...linked('change')])).toHaveLength(7)
})

test('a call of links works when what it calls does', () => {
  const call = (more: object) => [
    on('inject', 'inject', { wires: [['call']] }),
    on('call', 'link call', { ...more, wires: [['log']] }),
    on('in', 'link in', { wires: [['dead']] }),
    on('dead', 'function', { wires: [['back']] }),
    on('back', 'link out', { mode: 'return' }),
    on('log', 'debug'),
  ]
  expect(working(call({ links: ['in'] }))).toEqual([])
  expect(working(call({ linkType: 'dynamic' }))).toEqual([])
  const good = on('good', 'link in', { wires: [['log']] })
  expect(working([...call({ linkType: 'dynamic' }), good])).toEqual(['inject', 'call', 'log', 'good'])
  // Functions of Node-RED 5 may call, and nodes in subflows.
  const silent = call({ links: ['in'] }).concat(good)
  for (const caller of [on('caller', 'function', { func: 'node.linkcall("good", msg)' }), on('caller', 'subflow:sub')])
    expect(working([...silent, caller])).toEqual(['log', 'good', 'caller'])
  expect(working([...silent, on('caller', 'function', { func: 'return msg' })])).toEqual(['caller'])
})

test('what leads into a subflow and out of it counts', () => {
  const ports = { entries: new Set(['change']), exits: new Set(['change']) }
  const within = [on('change', 'change', { wires: [['dead']] }), on('dead', 'function')]
  const isDead = ({ id }: { id: string }) => id === 'dead'
  expect([...idleNodes(within, isDead, ports)]).toEqual(['dead'])
  expect([...idleNodes(within, isDead, { ...ports, exits: new Set() })].toSorted()).toEqual(['change', 'dead'])
})
