import { expect, test } from 'vitest'
import { openEditorsText } from './open-editors.ts'

const alice = { id: 'a', username: 'alice', name: 'Alice Example' }
const bob = { id: 'b', username: 'bob', name: 'Bob Example' }

test('names everybody else who has the editor open, and says what becomes of their work', () => {
  expect(openEditorsText([alice], 'b')).toBe(
    'alice has the editor open. Undeployed changes stay in the browser and can be deployed afterwards.',
  )
  expect(openEditorsText([alice, bob], 'c')).toBe(
    'alice and bob have the editor open. Undeployed changes stay in the browser and can be deployed afterwards.',
  )
})

test('says "you" to who reads it', () => {
  expect(openEditorsText([bob], 'b')).toMatch(/^You have the editor open\./)
  expect(openEditorsText([alice, bob], 'b')).toMatch(/^You and alice have the editor open\./)
})

test('says nothing when nobody has it open', () => {
  expect(openEditorsText(undefined, 'b')).toBeUndefined()
  expect(openEditorsText([], 'b')).toBeUndefined()
})
