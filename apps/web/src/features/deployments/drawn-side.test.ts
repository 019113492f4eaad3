import type { NodeChange } from '@app/contract'
import { expect, test } from 'vitest'
import { drawnSide } from './drawn-side.ts'

const node = (id: string, x: number) => ({ id, type: 'function', x })
const change = (id: string, kind: NodeChange['change']): NodeChange => ({
  id,
  type: 'function',
  label: id,
  change: kind,
  properties: [],
})

test('a flow is drawn before a change, after it, or both in one', () => {
  const all = {
    drawing: [node('same', 1), node('new', 2), node('moved', 30), node('gone', 4)],
    was: [node('moved', 3)],
    nodes: [change('new', 'added'), change('moved', 'moved'), change('gone', 'removed')],
  }
  expect(drawnSide('before', all)).toEqual([node('same', 1), node('moved', 3), node('gone', 4)])
  expect(drawnSide('after', all)).toEqual([node('same', 1), node('new', 2), node('moved', 30)])
  expect(drawnSide('both', all)).toBe(all.drawing)
})
