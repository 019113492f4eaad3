import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { cloneQuickly } from './quick-clone.ts'

type Clone = (value: unknown, ...options: unknown[]) => unknown
const stacks = process.env.FORGE_TEST_STACKS!
const folders = readdirSync(stacks).filter((name) => /^\d/.test(name))

class Oven {
  heat = 180
}
const shared = { bread: 'rye' }
const loop: Record<string, unknown> = { name: 'loop' }
loop.self = loop
const values: Record<string, unknown> = {
  flows: [{ id: 'n1', type: 'switch', rules: [{ t: 'eq', v: '1' }], wires: [['n2'], []], env: null }],
  'the same object twice': [shared, { again: shared }],
  'an object in itself': [loop],
  'a gap': { list: [1, undefined, 3] },
  'dates, patterns and bytes': [new Date(0), /a+/gi, Buffer.from('bread'), new Map([[1, shared]]), new Set(['rye'])],
  'an object of a class': [new Oven()],
  'no prototype': Object.assign(Object.create(null) as object, { a: 1 }),
  'a name that all objects have': [{ toString: 'x', constructor: 'y', kept: 1 }],
  'a symbol': [{ [Symbol.for('bread')]: 1, a: 2 }],
  functions: [{ run: Oven }],
  text: 'rye',
  nothing: null,
}

describe.each(folders)('the copies that Node-RED %s makes', (version) => {
  const require = createRequire(join(stacks, version, 'node_modules/@node-red/registry/package.json'))
  let original: Clone
  let clone: Clone
  beforeAll(() => {
    const path = require.resolve('clone')
    const before = require.cache[path]
    original = require('clone') as Clone
    cloneQuickly(join(stacks, version))
    clone = require('clone') as Clone
    if (before) before.exports = original
    else delete require.cache[path]
  })

  test.each(Object.keys(values))('are as those of its package: %s', (name) => {
    const value = values[name]
    const made = clone(value)
    expect(made).toStrictEqual(original(value))
  })

  test('keep what is one object one, and nothing of the original', () => {
    const [one, other] = clone([shared, { again: shared }]) as [object, { again: object }]
    expect(other.again).toBe(one)
    expect(one).not.toBe(shared)
    const [round] = clone([loop]) as [typeof loop]
    expect(round.self).toBe(round)
  })

  test('look for no node in a list of all before it', () => {
    const flows = Array.from({ length: 100 }, (_, at) => ({ id: `n${at}`, wires: [[`n${at + 1}`]] }))
    const search = vi.spyOn(Array.prototype, 'indexOf')
    onTestFinished(() => search.mockRestore())
    const searchesOf = (copy: Clone) => {
      search.mockClear()
      copy(flows)
      return search.mock.calls.length
    }
    expect(searchesOf(original)).toBeGreaterThan(flows.length)
    expect(searchesOf(clone)).toBe(0)
  })

  test('follow options as before', () => {
    expect(clone([[1]], false, 1)).toStrictEqual(original([[1]], false, 1))
  })
})
