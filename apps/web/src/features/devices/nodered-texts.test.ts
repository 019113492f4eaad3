import { expect, test } from 'vitest'
import { readTexts, textsOf } from './nodered-texts.ts'

const none = { allowList: null, denyList: null, catalogues: null, httpAuth: null, editorAuth: null }
const empty = textsOf({ ...none, memory: null, version: null })

test('empty texts are no settings', () => {
  expect(readTexts(empty).settings).toEqual({ ...none, memory: null, version: null })
})

test('texts are read as they were written, and what is named twice counts once', () => {
  const kept = { ...none, memory: 512, version: '5.0.7', denyList: ['evil-*', 'bad@1.0.0'] }
  expect(readTexts(textsOf(kept)).settings).toEqual(kept)
  expect(readTexts({ ...empty, allowList: ' foo,, foo ,@plant/*' }).settings?.allowList).toEqual(['foo', '@plant/*'])
})

const limit = 'A number from 64 to 65536'
test.each([
  ['memory', '0', limit],
  ['memory', '-1', limit],
  ['memory', '1e3', limit],
  ['memory', '0x40', limit],
  ['memory', 'much', limit],
  ['version', 'latest', 'An exact version such as 5.0.7'],
  ['denyList', 'foo bar', 'Must be a comma-separated list of nodes[@version]'],
  ['catalogues', 'plant', 'Must be a comma-separated list of http:// or https:// addresses'],
  ['catalogues', `https://plant.example.com/${'x'.repeat(500)}`, 'At most 500 characters'],
  ['editorAuth.user', 'ann:b', 'Must not contain a colon'],
] as const)('%s cannot be %j', (name, text, fault) => {
  expect(readTexts({ ...empty, [name]: text })).toEqual({ faults: { [name]: fault } })
})

test('a password without a name is a fault, as are one of spaces and one that is too short', () => {
  const faults = (user: string, password: string) =>
    readTexts({ ...empty, 'editorAuth.user': user, 'editorAuth.password': password }).faults
  expect(faults('', 'kneading-4711')).toEqual({ 'editorAuth.user': 'Enter a user name' })
  expect(faults(' ', 'kneading-4711')).toEqual({ 'editorAuth.user': 'Enter a user name' })
  expect(faults('ann', ' '.repeat(8))).toEqual({ 'editorAuth.password': 'Must not be spaces alone' })
  expect(faults('ann', 'short')).toEqual({ 'editorAuth.password': 'At least 8 characters' })
})
