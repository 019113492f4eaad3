import { expect, test } from 'vitest'
import { enabledParts, startedNodes } from './flows-enabled.ts'

const at = { x: 0, y: 0 }
const flows = [
  { id: 'tab', type: 'tab' },
  { id: 'off', type: 'tab', disabled: true },
  { id: 'sub', type: 'subflow' },
  { id: 'note', type: 'comment', z: 'tab', ...at },
  { id: 'on', type: 'inject', z: 'tab', ...at },
  { id: 'disabled', type: 'inject', z: 'tab', d: true, ...at },
  { id: 'on a disabled tab', type: 'inject', z: 'off', ...at },
  { id: 'in a subflow', type: 'inject', z: 'sub', ...at },
  { id: 'on a missing tab', type: 'inject', z: 'gone', ...at },
  { id: 'broker', type: 'mqtt-broker' },
]
const ids = (nodes: readonly { id: string }[]) => nodes.map(({ id }) => id)

test('a part is enabled unless it or its tab is disabled', () => {
  const disabled = ['disabled', 'on a disabled tab']
  expect(ids(enabledParts(flows))).toEqual(ids(flows).filter((id) => !disabled.includes(id)))
})

test('nodes that are enabled and lie on a tab are started', () => {
  expect(ids(startedNodes(flows))).toEqual(['on', 'on a missing tab'])
})
