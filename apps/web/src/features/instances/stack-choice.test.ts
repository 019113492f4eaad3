import { expect, test } from 'vitest'
import { canChoose, stackHelp, stackNote, stackOptionsOf } from './stack-choice.ts'

type State = 'waiting' | 'installing' | 'verifying' | 'ready' | 'failed'
const stack = (id: string, state: State, reason?: string) => ({
  id,
  name: id,
  label: `Node-RED ${id}`,
  properties: { nodered: `${id}.7`, memory: 256 },
  meta: { state, ...(reason ? { reason } : {}) },
})

test('only a ready stack can be chosen, and the others say how far they are', () => {
  const stacks = [stack('5.0', 'ready'), stack('4.1', 'verifying')]
  expect(stacks.map((one) => canChoose(one, stacks, '4.1'))).toEqual([true, false])
  expect(stacks.map(stackNote)).toEqual(['5.0.7', 'is being tried'])
  expect(stackHelp(stacks, '4.1')).toBe('Node-RED 4.1 is being tried; it can be chosen once it has started on trial.')
  expect(stackHelp([stacks[0]!], '5.0')).toBe('Which Node-RED the instance runs.')
  expect(stackHelp([...stacks, stack('3.0', 'failed', 'The registry does not answer')], '5.0')).toBe(
    'Node-RED 3.0 could not be prepared: The registry does not answer.',
  )
})

test('on a new platform the first instance waits for the default stack', () => {
  const stacks = [stack('5.0', 'installing'), stack('4.1', 'waiting')]
  expect(stacks.map((one) => canChoose(one, stacks, '5.0'))).toEqual([true, false])
  expect(stackHelp(stacks, '5.0')).toBe('Node-RED 5.0 is being fetched; the instance waits for it.')
})

test('[INST-42] an instance keeps the stack it has to choose from, marked, though it be inactive; other inactive ones are not there', () => {
  const [five, four] = [stack('5.0', 'ready'), stack('4.1', 'ready')]
  const labels = (active: (typeof five)[]) => stackOptionsOf(four, active, '5.0').map(({ label }) => label)
  expect(labels([five, four])).toEqual(['Node-RED 5.0', 'Node-RED 4.1 (current)'])
  expect(labels([five])).toEqual(['Node-RED 4.1 (current)', 'Node-RED 5.0'])
})
