import type { TeamType } from '@app/contract'
import { expect, test } from 'vitest'
import { bodyOf, faultsOf, valuesOf } from './team-type-form.ts'

const types = [{ id: 'small' }, { id: 'large' }]
const type: TeamType = {
  id: 'a',
  name: 'Starter',
  description: '',
  active: true,
  order: 2,
  properties: {
    userLimit: 5,
    runtimeLimit: 0,
    instanceTypes: { large: { allowed: false }, small: { allowed: true, limit: 2 } },
    features: { ha: false },
    billing: { userCost: 1550 },
    deviceFreeAllocation: 3,
    billingDescription: '$99/month',
  },
}

test('a type is saved as it was read, but for limits that are none', () => {
  const { runtimeLimit: _none, ...properties } = type.properties
  expect(bodyOf(valuesOf(type, types), type)).toEqual({
    name: 'Starter',
    description: '',
    active: true,
    order: 2,
    properties,
  })
})

test('a new type has no limits and every feature', () => {
  const values = valuesOf(undefined, types)
  expect(values.features).toEqual({ 'shared-library': true, 'devops-pipelines': true, ha: true, devices: true })
  expect(bodyOf({ ...values, name: ' Free ' }, undefined)).toMatchObject({ name: 'Free', properties: {} })
})

test('amounts are cents on the wire, with a point or a comma', () => {
  const values = valuesOf(type, types)
  expect(values.userCost).toBe('15.50')
  expect(bodyOf({ ...values, userCost: '19,99', deviceCost: '2' }, type).properties.billing).toEqual({
    userCost: 1999,
    deviceCost: 200,
  })
})

test('what is no number is told at its field', () => {
  const values = { ...valuesOf(type, types), userLimit: 'many', deviceCost: '1.999', order: '' }
  values.instanceTypes.small = { allowed: true, limit: '-1' }
  expect(Object.keys(faultsOf(values)).toSorted()).toEqual([
    'order',
    'properties.billing.deviceCost',
    'properties.instanceTypes.small',
    'properties.userLimit',
  ])
  expect(faultsOf(valuesOf(type, types))).toEqual({})
})

test('a number that is too large says how large it may be', () => {
  const values = { ...valuesOf(type, types), userLimit: '99999999999999999999', userCost: '1000000,01', order: '10000' }
  values.instanceTypes.small = { allowed: true, limit: '1000001' }
  const atMost = 'Enter at most 1,000,000'
  expect(faultsOf(values)).toEqual({
    order: 'Enter a whole number from -9999 to 9999',
    'properties.billing.userCost': atMost,
    'properties.instanceTypes.small': atMost,
    'properties.userLimit': atMost,
  })
  expect(faultsOf({ ...valuesOf(type, types), userLimit: '1000000', userCost: '1000000' })).toEqual({})
})

test('a limit of 0 is refused, since it would be none; the limit of a type that is not allowed does not matter', () => {
  const values = { ...valuesOf(type, types), deviceLimit: '0', deviceFreeAllocation: '0' }
  values.instanceTypes.small = { allowed: true, limit: '00' }
  values.instanceTypes.large = { allowed: false, limit: 'x' }
  expect(faultsOf(values)).toEqual({
    'properties.deviceLimit': 'Enter at least 1, or nothing for no limit',
    'properties.instanceTypes.small': 'Enter at least 1. Untick the type to allow none',
  })
  expect(bodyOf(values, type).properties.instanceTypes?.large).toEqual({ allowed: false })
})
