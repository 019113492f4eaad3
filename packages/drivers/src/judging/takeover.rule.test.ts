import type { FlowsOpens } from '@app/contract/instance-link'
import { expect, test } from 'vitest'
import { takeoverOf } from './takeover.rule.ts'

const open: FlowsOpens = { listens: [], connects: [], timers: 0, serial: [], programs: 0, kept: [] }
const tab = { id: 'tab', type: 'tab' }
const on = (node: object) => [tab, { z: 'tab', id: 'one', ...node }]
const ask = (after: object[], before: object[] = after, opens = open) =>
  takeoverOf({ setting: 'auto', before: before as [], after: after as [], opens }).way

test.each([
  ['beside', { type: 'http in' }],
  ['beside', { type: 'ui-gauge' }],
  ['beside', { type: 'inject', once: false, repeat: '', crontab: '' }],
  ['beside', { type: 'function', func: 'flow.set("a", 1)' }],
  ['held', { type: 'inject', repeat: '5' }],
  ['held', { type: 'inject', once: true }],
  ['held', { type: 'tcp in' }],
  ['held', { type: 'function', func: 'setInterval(() => node.send({}), 1000)' }],
  ['held', { type: 'function', initialize: 'node.status({})' }],
  ['stop-first', { type: 'function', initialize: 'node.status({})', libs: [{ var: 'net', module: 'net' }] }],
  ['stop-first', { type: 'serial in' }],
  // It runs, and has neither a serial port nor a program.
  ['held', { type: 'modbus-read' }],
  ['beside', { type: 'modbus-read', d: true }],
] as const)('%s: %j', (way, node) => expect(ask(on(node))).toBe(way))

test('a type that is new to the instance and not known stops what serves first, as what has a serial port does', () => {
  expect(ask(on({ type: 'modbus-read' }), [tab])).toBe('stop-first')
  expect(ask(on({ type: 'http in' }), [tab], { ...open, serial: ['/dev/ttyS0'] })).toBe('stop-first')
  expect(ask(on({ type: 'http in' }), [tab], { ...open, programs: 1 })).toBe('stop-first')
  expect(ask(on({ type: 'http in' }), [tab], { ...open, listens: ['tcp 502'] })).toBe('held')
})

test('what the flows did before counts as well, since it goes on until the new ones take over', () => {
  expect(ask(on({ type: 'http in' }), on({ type: 'mqtt in' }))).toBe('held')
})

test('a timer or a connection that nodes which only answer have made is held back', () => {
  const answers = on({ type: 'function', func: 'return msg' })
  expect(ask(answers, answers, { ...open, timers: 1 })).toBe('held')
  expect(ask(answers, answers, { ...open, connects: ['10.0.0.9:1883'] })).toBe('held')
  expect(ask(on({ type: 'serial in' }), answers, { ...open, timers: 1 })).toBe('stop-first')
})

test('a connection that a request of a node may have made says nothing, unless functions use modules', () => {
  const asks = [...on({ type: 'http request' })]
  const opens = { ...open, connects: ['10.0.0.9:443'] }
  expect(ask(asks, asks, opens)).toBe('beside')
  const both = [...asks, { z: 'tab', id: 'fn', type: 'function', func: 'return msg', libs: [{ module: 'net' }] }]
  expect(ask(both, both, opens)).toBe('held')
})
