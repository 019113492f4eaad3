import { expect, test } from 'vitest'
import { asItIs, type ChangeOf, type ColumnMap, columnsOf, fieldsOf } from './columns.ts'
import { flag, type Flag } from './tables.ts'

interface Row {
  id: string
  name: string
  name_key: string
  cost_centre: string | null
  active: Flag
}
interface Patch {
  name?: string | undefined
  costCentre?: string | null | undefined
  active?: boolean | undefined
}

const map = { name: 'name', costCentre: 'cost_centre', active: { active: flag } } as const

test('a field of two words is stored in its column', () => {
  expect(columnsOf<Patch, Row>({ costCentre: 'A-1' }, map)).toEqual({ cost_centre: 'A-1' })
})

test('null is stored, and a field that is missing or undefined changes nothing', () => {
  expect(columnsOf<Patch, Row>({ costCentre: null, name: undefined }, map)).toEqual({ cost_centre: null })
})

test('one field can set several columns, each by its function', () => {
  const names = { ...map, name: { name: asItIs<string>, name_key: (name: string) => name.toLowerCase() } }
  expect(columnsOf<Patch, Row>({ name: 'Ovens', active: false }, names)).toEqual({
    name: 'Ovens',
    name_key: 'ovens',
    active: 0,
  })
})

test('a field of the service and a function without a value set no column', () => {
  expect(
    columnsOf<Patch, Row>(
      { name: 'Ovens', costCentre: '' },
      { ...map, name: null, costCentre: { cost_centre: () => undefined } },
    ),
  ).toEqual({})
})

test('fields are read back from a row and from a change of it', () => {
  const change = { cost_centre: 'A-1', active: 0 as const }
  expect(fieldsOf<Patch, Row>(change, map)).toEqual({ costCentre: 'A-1', active: 0 })
  const row = { ...change, id: '1', name: 'Ovens', name_key: 'ovens' }
  expect(fieldsOf<Patch, Row>(row, map)).toEqual({ name: 'Ovens', costCentre: 'A-1', active: 0 })
})

test('a key that the map does not have never becomes a column', () => {
  const patch = { name: 'Ovens', admin: true }
  expect(columnsOf<Patch, Row>(patch, map)).toEqual({ name: 'Ovens' })
})

test('the compiler refuses a map that is not whole or does not fit', () => {
  const all = [
    // @ts-expect-error: costCentre is missing
    () => columnsOf<Patch, Row>({}, { name: 'name', active: { active: flag } }),
    // @ts-expect-error: there is no column costCentre
    () => columnsOf<Patch, Row>({}, { ...map, costCentre: 'costCentre' }),
    // @ts-expect-error: a boolean does not fit a flag
    () => columnsOf<Patch, Row>({}, { ...map, active: 'active' }),
    () => {
      // @ts-expect-error: there is no column nameKey
      const names: ColumnMap<Patch, Row> = { ...map, name: { nameKey: asItIs<string> } }
      return columnsOf({}, names)
    },
  ]
  expect(all.map((make) => make())).toEqual([{}, {}, {}, {}])
})

test('the compiler refuses a change with a key that is no column, also from a spread', () => {
  const update = <Change extends Partial<Row>>(change: ChangeOf<Row, Change>) => Object.keys(change)
  const patch = { name: 'Ovens', costCentre: 'A-1' }
  // @ts-expect-error: costCentre is no column
  expect(update({ ...patch, active: 1 })).toHaveLength(3)
  expect(update({ name: patch.name, cost_centre: patch.costCentre })).toHaveLength(2)
})
