import type { InstanceType } from '@app/contract'
import { expect, test } from 'vitest'
import { stackOptions } from './stack-choice.ts'
import { choicesOf, templateHelp, templateOptions, typeTile } from './type-choice.ts'

test('[INST-76] the tile of a type has its name, amount and interval; one that is disabled cannot be chosen', () => {
  const type = { id: 'small', name: 'Small', active: true, properties: { billingDescription: '$10/month' } }
  expect(typeTile(type)).toEqual({ value: 'small', title: 'Small', disabled: false, note: '$10 / month' })
  expect(typeTile({ ...type, active: false, properties: {} })).toEqual({
    value: 'small',
    title: 'Small',
    disabled: true,
  })
})

test('the tile of the type that the trial includes says so', () => {
  const type = { id: 'small', name: 'Small', active: true, properties: { billingDescription: '$10/month' } }
  const types = [type, { ...type, id: 'large' }] as InstanceType[]
  expect(choicesOf(types, undefined, 'small').map((one) => typeTile(one).note)).toEqual([
    '$10 / month · free in the trial',
    '$10 / month',
  ])
})

test('[INST-77] stacks are chosen by their label, templates by their name with what they are for', () => {
  const properties = { nodered: '5.0.7', memory: 256 } as const
  const stack = { id: 's', name: 'node-red-5.0', label: 'Node-RED 5.0', properties, meta: { state: 'ready' as const } }
  expect(stackOptions([stack], null)).toMatchObject([{ value: 's', label: 'Node-RED 5.0', disabled: false }])
  const templates = [
    { id: 't', name: 'Line', active: true, description: 'For lines with an oven.' },
    { id: 'o', name: 'Old', active: false, description: '' },
  ]
  expect(templateOptions(templates)).toEqual([
    { value: 't', label: 'Line', disabled: false },
    { value: 'o', label: 'Old', disabled: true },
  ])
  expect(templateHelp(templates, 't')).toBe('For lines with an oven.')
  expect(templateHelp(templates, 'o')).toBe('The settings the instance starts with.')
})
