import { expect, test } from 'vitest'
import { faultsOfVariables, parseEnvFile, toSend, toVariables, withFile } from './variables.ts'

const env = toVariables([
  { name: 'FF_INSTANCE_ID', value: 'i', platform: true },
  { name: 'PLANT', value: 'north', policy: false },
  { name: 'KEY', value: '', encrypted: true },
  { name: 'SITE', value: 'bakery' },
])
const added = (name: string, value = '1') => [...env, { key: 'new', name, value }]

test.each([
  ['A B', 'Invalid name'],
  ['', 'Invalid name'],
  ['FF_X', 'Reserved name'],
  ['SITE', 'Duplicate name'],
  ['NODE_OPTIONS', 'Not allowed'],
  ['npm_config_registry', 'Not allowed'],
  ['__proto__', 'Not allowed'],
  ['x'.repeat(201), 'At most 200 characters'],
])('[ENV-02] [ENV-03] [ENV-04] the name "%s" is refused: %s', (name, text) => {
  expect(faultsOfVariables(added(name))).toEqual({ new: text })
})

test('a value that is too long is told of', () => {
  expect(faultsOfVariables(added('LONG', 'x'.repeat(65_536)))).toEqual({})
  expect(faultsOfVariables(added('LONG', 'x'.repeat(65_537)))).toEqual({
    new: `The value may have at most ${(65_536).toLocaleString()} characters`,
  })
})

test('a variable that a template locks cannot be renamed, so nothing is said of its name', () => {
  expect(faultsOfVariables(toVariables([{ name: 'PATH', value: '/opt', policy: false }]))).toEqual({})
})

test('[ENV-06] [ENV-10] only what an instance may have of its own is sent', () => {
  expect(faultsOfVariables(env)).toEqual({})
  expect(toSend([...added('A B'), { key: 'blank', name: '', value: 'x' }])).toEqual([
    { name: 'KEY', value: '', encrypted: true },
    { name: 'SITE', value: 'bakery' },
  ])
})

test('a .env file is read as tools of its kind do', () => {
  const text = `# about
export A=1
B = "two # not a comment" # a comment
C='single $quoted'
D=plain # comment
E="line\\nbreak \\"quoted\\""
F=
not a variable

G=a=b
 H: yaml
I="of
two lines"`
  const { found, lost } = parseEnvFile(text)
  expect(lost).toEqual([8, 11])
  expect(found).toEqual([
    { name: 'A', value: '1' },
    { name: 'B', value: 'two # not a comment' },
    { name: 'C', value: 'single $quoted' },
    { name: 'D', value: 'plain' },
    { name: 'E', value: 'line\nbreak "quoted"' },
    { name: 'F', value: '' },
    { name: 'G', value: 'a=b' },
    { name: 'I', value: 'of\ntwo lines' },
  ])
})

test('a file changes values, adds names, and leaves alone what is fixed', () => {
  const after = withFile(env, [
    { name: 'SITE', value: 'mill' },
    { name: 'PLANT', value: 'south' },
    { name: 'LINE', value: '2' },
  ])
  expect(after.map(({ name, value }) => [name, value])).toEqual([
    ['FF_INSTANCE_ID', 'i'],
    ['PLANT', 'north'],
    ['KEY', ''],
    ['SITE', 'mill'],
    ['LINE', '2'],
  ])
})
