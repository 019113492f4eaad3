import { stackPropertyFields } from '@app/contract'
import { expect, test } from 'vitest'
import { propertyFaults, propertyTexts, shownProperty } from './stack-properties.ts'

test('[ASTACK-13] each property is filled and matches its pattern, or is told why not', () => {
  const fields = { ...stackPropertyFields, zone: { label: 'Zone', validate: '^[a-z]+$' } }
  expect(propertyFaults(fields, { nodered: '5.0.7', nodejs: '', memory: '256', zone: 'eu' })).toEqual({})
  expect(propertyFaults(fields, { nodered: 'x', nodejs: '24', memory: '', zone: '1' })).toEqual({
    nodered: 'An exact version such as 5.0.7',
    nodejs: 'An exact version such as 24.21.0',
    memory: 'A number from 64 to 65536',
    zone: 'Invalid',
  })
})

test.each([
  ['63', false],
  ['64', true],
  ['99', true],
  ['100', true],
  ['9999', true],
  ['10000', true],
  ['59999', true],
  ['64999', true],
  ['65499', true],
  ['65529', true],
  ['65536', true],
  ['65537', false],
  ['0256', false],
  ['1.5', false],
])('%s MB of memory: %s', (memory, fits) => {
  const faults = propertyFaults({ memory: stackPropertyFields.memory }, { memory })
  expect(Object.keys(faults).length === 0).toBe(fits)
})

test('properties of a stack as texts of a form', () => {
  expect(propertyTexts(stackPropertyFields, { nodered: '5.0.7', memory: 256 })).toEqual({
    nodered: '5.0.7',
    nodejs: '',
    memory: '256',
  })
})

test('a table shows the unit of a property behind its value', () => {
  expect(shownProperty('Memory in MB', '256')).toEqual(['Memory', '256 MB'])
  expect(shownProperty('Node-RED version', '5.0.7')).toEqual(['Node-RED version', '5.0.7'])
})
