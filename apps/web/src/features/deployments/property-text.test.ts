import { expect, test } from 'vitest'
import { kindOf, propertyTexts, titleOf } from './property-text.ts'

const names = { a1: 'Read oven', b2: 'Log', mq: 'Plant broker' }
const texts = (key: string, old: unknown, next: unknown) => {
  const json = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, undefined, 2))
  return Object.values(propertyTexts({ key, old: json(old), new: json(next) }, names))
}

test('wires and other references are told by the names of nodes', () => {
  expect(texts('wires', [['a1'], []], [['a1', 'b2'], []])).toEqual([
    'Output 1 → Read oven\nOutput 2 → nothing',
    'Output 1 → Read oven, Log\nOutput 2 → nothing',
  ])
  expect(texts('links', ['a1'], ['a1', 'b2'])).toEqual(['Read oven', 'Read oven\nLog'])
  expect(texts('broker', 'mq', 'gone')).toEqual(['Plant broker', 'gone'])
})

test('JSON has one short object a line, also where it is the text of a property', () => {
  const rules = [
    { t: 'set', p: 'payload', to: 'x' },
    { t: 'delete', p: 'topic' },
  ]
  const told = `[\n  { "t": "set", "p": "payload", "to": "x" },\n  { "t": "delete", "p": "topic" }\n]`
  expect(texts('rules', [], rules)[1]).toBe(told)
  expect(texts('payload', '{"a":1,"b":[1,2]}', '{"a":')).toEqual(['{\n  "a": 1,\n  "b": [1, 2]\n}', '{"a":'])
  const long = { first: 'x'.repeat(60), second: { third: 'y'.repeat(60) } }
  expect(texts('x', {}, [long])[1]).toBe(
    `[\n  {\n    "first": "${'x'.repeat(60)}",\n    "second": { "third": "${'y'.repeat(60)}" }\n  }\n]`,
  )
})

test('what would look the same is shown as it stands in the flows', () => {
  const twins = { a1: 'Log', b2: 'Log' }
  expect(propertyTexts({ key: 'broker', old: 'a1', new: 'b2' }, twins)).toEqual({ old: 'a1', new: 'b2' })
  expect(texts('payload', '{"a":1}', '{ "a": 1 }')).toEqual(['{"a":1}', '{ "a": 1 }'])
})

test('a property has the name that the editor gives it', () => {
  expect([titleOf('func'), titleOf('initialize'), titleOf('qos'), titleOf('constructor')]).toEqual([
    'On Message',
    'On Start',
    undefined,
    undefined,
  ])
})

test('an instance of a subflow is told by the name of the subflow, where that is known', () => {
  expect(['function', 'subflow:mq', 'subflow:gone'].map((type) => kindOf(type, names))).toEqual([
    'function',
    'subflow Plant broker',
    'subflow:gone',
  ])
})
