import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
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

  test('of 20,000 nodes take a fraction of the time', () => {
    const flows = Array.from({ length: 20_000 }, (_, at) => ({ id: `n${at}`, wires: [[`n${at + 1}`]] }))
    const timeOf = (copy: Clone) => {
      const began = performance.now()
      copy(flows)
      return performance.now() - began
    }
    expect(timeOf(clone)).toBeLessThan(timeOf(original) / 5)
  })

  test('follow options as before', () => {
    expect(clone([[1]], false, 1)).toStrictEqual(original([[1]], false, 1))
  })
})
