import type { FlowNode } from '../flows/index.ts'
import { expect, test } from 'vitest'
import { flowDifference } from './flow.difference.ts'

const tab: FlowNode = { id: 'tab', type: 'tab', label: 'Oven' }
const node = (id: string, more: object = {}): FlowNode => ({ id, type: 'function', z: 'tab', name: id, x: 1, ...more })
const differ = (before: FlowNode[], after: FlowNode[], secrets: Record<string, string[]> = {}) =>
  flowDifference(before, after, new Map(Object.entries(secrets).map(([id, names]) => [id, new Set(names)])))
const place = { type: 'function', flow: 'Oven' }

test('moved is told apart from changed; a node that is both keeps both facts', () => {
  const before = [tab, node('a'), node('b'), node('c')]
  const after = [tab, node('a', { x: 2 }), node('b', { x: 2, name: 'Warm' }), node('c', { name: 'Cold' })]
  expect(differ(before, after).nodes).toEqual([
    { ...place, id: 'a', label: 'a', change: 'moved', moved: true, properties: [] },
    {
      ...place,
      id: 'b',
      label: 'Warm',
      change: 'changed',
      moved: true,
      properties: [{ key: 'name', old: 'b', new: 'Warm' }],
    },
    { ...place, id: 'c', label: 'Cold', change: 'changed', properties: [{ key: 'name', old: 'c', new: 'Cold' }] },
  ])
})

test('a node that came or went brings its texts of several lines', () => {
  const code = node('a', { func: 'one\ntwo', initialize: '' })
  const texts = ({ nodes }: ReturnType<typeof differ>) => nodes.map(({ properties }) => properties)
  expect(texts(differ([tab], [tab, code]))).toEqual([[{ key: 'func', new: 'one\ntwo' }]])
  expect(texts(differ([tab, code], [tab]))).toEqual([[{ key: 'func', old: 'one\ntwo' }]])
})

test('what properties refer to is named', () => {
  const broker: FlowNode = { id: 'mq', type: 'mqtt-broker', name: 'Plant' }
  const before = [tab, broker, node('a', { wires: [['b']] }), node('b'), node('c')]
  const after = [tab, broker, node('a', { wires: [['c'], []], broker: 'mq' }), node('b'), node('c')]
  const { names } = differ(before, after)
  expect(names).toEqual({ b: 'b', c: 'c', mq: 'Plant' })
})

test('an instance of a subflow is called after the subflow, whose name comes with it', () => {
  const subflow: FlowNode = { id: 'sf', type: 'subflow', name: 'Sign' }
  const own = [node('a', { type: 'subflow:sf', name: '' }), node('b', { type: 'subflow:sf', name: 'Twice' })]
  const { nodes, names } = differ([tab, subflow], [tab, subflow, ...own])
  expect(nodes.map(({ label }) => label)).toEqual(['Sign', 'Twice'])
  expect(names).toEqual({ sf: 'Sign' })
  expect(differ([tab, ...own], [tab]).nodes.map(({ label }) => label)).toEqual(['subflow:sf', 'Twice'])
})

test.each(['tab', 'group', 'subflow', 'subflow:s', 'global-config'])(
  'variables of a %s are told one by one',
  (type) => {
    const one = (env: object[]) => [{ id: '1', type, name: 'Line', env }]
    const before = one([
      { name: 'SITE', type: 'str', value: 'bakery' },
      { name: 'LIMIT', type: 'num', value: '3' },
      { name: 'KEY', type: 'cred', value: 'rye-in-clear' },
      { name: 'OLD', type: 'bool', value: 'true' },
      { name: 'SAME', type: 'str', value: 'same' },
    ])
    const after = one([
      { name: 'SITE', type: 'str', value: 'mill' },
      { name: 'LIMIT', type: 'str', value: '3', ui: { label: 'Limit' } },
      { name: 'KEY', type: 'cred', value: 'wheat-in-clear' },
      { name: 'NEW', type: 'json', value: '{}' },
      { name: 'SAME', type: 'str', value: 'same' },
    ])
    expect(differ(before, after).nodes[0]?.properties).toEqual([
      {
        key: 'env',
        variables: [
          {
            name: 'SITE',
            change: 'changed',
            old: { type: 'str', value: 'bakery' },
            new: { type: 'str', value: 'mill' },
          },
          {
            name: 'LIMIT',
            change: 'changed',
            old: { type: 'num', value: '3' },
            new: { type: 'str', value: '3', ui: '{"label":"Limit"}' },
          },
          { name: 'KEY', change: 'changed', old: { type: 'cred' }, new: { type: 'cred' } },
          { name: 'NEW', change: 'added', new: { type: 'json', value: '{}' } },
          { name: 'OLD', change: 'removed', old: { type: 'bool', value: 'true' } },
        ],
      },
    ])
  },
)

test('a secret variable is named when it changed, and other credentials as credentials', () => {
  const list = [{ id: '1', type: 'subflow:s', env: [{ name: 'KEY', type: 'cred' }] }]
  const secret = { name: 'KEY', change: 'changed', old: { type: 'cred' }, new: { type: 'cred' } }
  const told = (names: string[]) => differ(list, list, { 1: names }).nodes.map(({ properties }) => properties)
  expect(told(['KEY'])).toEqual([[{ key: 'env', variables: [secret] }]])
  expect(told(['KEY', 'user'])).toEqual([[{ key: 'env', variables: [secret] }, { key: 'credentials' }]])
  expect(told(['user'])).toEqual([[{ key: 'credentials' }]])
})

test('credentials that flows from elsewhere have in clear are never told', () => {
  const { nodes } = differ([node('a', { credentials: { user: 'rye' } })], [node('a', { credentials: { user: 'oat' } })])
  expect(nodes[0]?.properties).toEqual([{ key: 'credentials' }])
})

test('another order of variables is a difference', () => {
  const [a, b] = ['A', 'B'].map((name) => ({ name, type: 'str', value: '1' }))
  const { nodes } = differ([{ id: '1', type: 'tab', env: [a, b] }], [{ id: '1', type: 'tab', env: [b, a] }])
  expect(nodes[0]?.properties).toEqual([{ key: 'env', old: 'A\nB', new: 'B\nA' }])
})
