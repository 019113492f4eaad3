import { expect, test } from 'vitest'
import { changesText, titleOf } from './deployment-text.ts'

test('each kind has words of its own', () => {
  expect(titleOf({ kind: 'rollback', what: 'Good' })).toBe('Rollback to “Good”')
  expect(titleOf({ kind: 'import', what: '' })).toBe('Import of files')
  expect(titleOf({ kind: 'restore', what: '2026-01-02T03:04:05.000Z' })).toMatch(/^Restore of the version of .*2026/)
  expect(titleOf({ kind: 'stack', what: 'Node-RED 5.0' })).toBe('Change to Node-RED 5.0')
})

test('what changed is told part by part', () => {
  const none = { nodes: { added: 0, changed: 0, removed: 0 }, modules: [], env: [], settings: [] }
  expect(changesText(none)).toEqual([])
  const stack = { old: '4.1', new: '5.0' }
  const nodes = { added: 2, changed: 5, moved: 253, removed: 1_200 }
  expect(changesText({ ...none, nodes, modules: ['a'], env: ['A', 'B'], stack })).toEqual([
    'Nodes: 253 moved, 5 changed, 2 added, 1,200 removed',
    '1 module',
    '2 variables',
    '4.1 → 5.0',
  ])
})
