import type { Foreseen } from '@app/contract'
import { expect, test } from 'vitest'
import { decide } from './install.ts'

const modbus = { name: 'node-red-contrib-modbus', version: '5.0.0' }
const offered: Foreseen = { kind: 'type', sentence: '', stops: true, codes: ['type:modbus-read'], module: modbus }
const missing: Foreseen = { kind: 'type', sentence: '', stops: true, codes: ['type:plc', 'type:plc-write'] }
const vague: Foreseen = { kind: 'type', sentence: '', codes: ['type:random'] }
const other: Foreseen = { kind: 'type', sentence: '', codes: ['type:scale'] }
const variable: Foreseen = { kind: 'variable', sentence: '' }

const decided = (foreseen: Foreseen[], { chosen = [] as string[], accepted = [] as Foreseen[] } = {}) =>
  decide(foreseen, { isChosen: (name) => chosen.includes(name), isAccepted: (one) => accepted.includes(one) })

test('nothing is sent for problems that need no yes', () => {
  expect(decided([variable, vague])).toEqual({ stops: false, sent: {} })
})

test('a yes covers each certain reason and nothing that is only possible', () => {
  expect(decided([missing, vague, variable])).toEqual({
    stops: true,
    sent: { allowStopped: ['type:plc', 'type:plc-write'] },
  })
})

test('a possible reason is sent once it is accepted, and no other', () => {
  expect(decided([vague, other], { accepted: [vague] })).toEqual({
    stops: false,
    sent: { allowStopped: ['type:random'] },
  })
})

test('what is installed too needs no yes', () => {
  expect(decided([offered], { chosen: [modbus.name] })).toEqual({ stops: false, sent: { install: [modbus] } })
  expect(decided([offered])).toEqual({ stops: true, sent: { allowStopped: ['type:modbus-read'] } })
})
