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

test('a node with another way for its messages works, one that a link leads to also, and a disabled node counts as none', () => {
  const more = [{ id: 'log', type: 'debug', wires: [] }]
  const branching = [
    ...chain('inject > function:dead').with(0, { id: 'inject', type: 'inject', wires: [['dead', 'log']] }),
    ...more,
  ]
  expect(working(branching)).toEqual(['inject', 'log'])
  const linked = chain('link-in > function:dead').map((node) => ({ ...node, links: ['elsewhere'] }))
  expect(working(linked)).toEqual(['link-in'])
  expect(
    working([
      { id: 'inject', type: 'inject', wires: [['disabled']] },
      { id: 'dead', type: 'function', wires: [] },
    ]),
  ).toEqual(['inject'])
})
