import { EventEmitter } from 'node:events'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { watchFlows } from './flows.report.ts'
import type { NodeRed } from './stack.ts'

const flows = [
  { id: 'tab', type: 'tab' },
  { id: 'gone', type: 'change', z: 'tab', x: 1, y: 1, wires: [] },
]
const fault = { kind: 'error', node: { id: 'gone' }, message: 'Node-RED did not start it' }

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
})

/** Flows of which Node-RED has just started none, and whether anybody has looked at them. */
function begun() {
  const events = new EventEmitter()
  const getNode = vi.fn(() => null)
  const nodes = { getFlows: () => ({ flows }), getNode }
  const watch = watchFlows(() => {})
  watch.attach({ events, nodes } as unknown as NodeRed, { isHeld: () => false, isStill: () => false })
  events.emit('flows:starting', { type: 'full' })
  events.emit('flows:started', {})
  return { events, watch, isSeen: () => getNode.mock.calls.length > 0 }
}

test('flows act before their nodes are looked at, and followers are told what is found', () => {
  const { watch, isSeen } = begun()
  const told = vi.fn()
  watch.follow(told)
  expect([isSeen(), told.mock.calls.length]).toEqual([false, 0])
  vi.runAllTimers()
  expect([isSeen(), told.mock.calls.length]).toEqual([true, 1])
  expect(watch.report()).toMatchObject({ state: 'started', faults: [fault], faultCount: 1 })
})

test('who asks before is told all, and nothing twice', () => {
  const { watch } = begun()
  expect(watch.report()).toMatchObject({ state: 'started', faults: [fault], faultCount: 1 })
  vi.runAllTimers()
  expect(watch.report()).toMatchObject({ faults: [{ ...fault, count: 1 }], faultCount: 1 })
})

test.each([
  ['flows:stopping', {}],
  ['runtime-event', { id: 'runtime-state', payload: { state: 'stop' } }],
])('flows that stop before that are not looked at: %s', (event, payload) => {
  const { events, watch, isSeen } = begun()
  events.emit(event, payload)
  vi.runAllTimers()
  expect(isSeen()).toBe(false)
  expect(watch.report().faults).toEqual([])
})
