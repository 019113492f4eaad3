import { expect, test } from 'vitest'
import { addFault, listFaults } from './modules.ts'

const listed = [{ name: 'node-red-contrib-a', version: '*', local: false }]

test.each([
  ['Foo', '*', { name: 'Invalid name' }],
  ['a b', '*', { name: 'Invalid name' }],
  ['@flowforge/nr-project-nodes', '*', { name: 'Invalid name' }],
  ['@flowfuse/nr-project-nodes', '*', { name: 'Invalid name' }],
  ['node-red-contrib-a', '*', { name: 'Duplicate name' }],
  ['ok', 'abc', { version: 'Invalid version' }],
  ['@s/a-b.c_d~e', '~1.2.3', {}],
])('[PAL-05] [PAL-06] [PAL-07] [PAL-09] [PAL-10] adding %s %s', (name, version, fault) => {
  expect(addFault(listed, { name, version })).toEqual(fault)
})

test('[PAL-08] [PAL-09] a row that repeats an earlier name has the fault', () => {
  expect(listFaults([...listed, { name: 'b', version: 'x1', local: false }, { ...listed[0]! }])).toEqual([
    {},
    { version: 'Invalid version' },
    { name: 'Field has duplicate name' },
  ])
})
