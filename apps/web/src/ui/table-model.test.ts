import { useTable } from '@tanstack/react-table'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { type Column, compareValues, features, searchRows, type SortState, toColumnDefs } from './table-model.ts'

type Thing = { id: string; name: string; size?: number; secret?: string }
const rows: Thing[] = [
  { id: '1', name: 'oven-10', size: 5, secret: 'yeast' },
  { id: '2', name: 'Oven-2' },
  { id: '3', name: 'cold', size: 100 },
]
const columns: Column<Thing>[] = [
  { id: 'name', header: 'Name', value: (row) => row.name },
  { id: 'size', header: 'Size', value: (row) => row.size },
  { id: 'secret', header: 'Secret', value: (row) => row.secret, searchable: false },
  { id: 'menu', header: '' },
]
const defs = toColumnDefs(columns)
function Ids({ sort }: { sort: SortState }) {
  const table = useTable({ features, columns: defs, data: rows, state: { sorting: [sort] } })
  return table
    .getRowModel()
    .rows.map((row) => row.original.id)
    .join(' ')
}
const sorted = (sort: SortState) => renderToStaticMarkup(createElement(Ids, { sort }))

test('names sort as people count, whatever the case', () => {
  expect(sorted({ id: 'name', desc: false })).toBe('3 2 1')
  expect(sorted({ id: 'name', desc: true })).toBe('1 2 3')
})

test('numbers sort by size, and nothing is smallest in both directions', () => {
  expect(sorted({ id: 'size', desc: false })).toBe('2 1 3')
  expect(sorted({ id: 'size', desc: true })).toBe('3 1 2')
})

test('zero and false are values, not nothing', () => {
  expect(compareValues(0, undefined)).toBe(1)
  expect(compareValues(false, undefined)).toBe(1)
})

test('a search looks at every column that has a value and is searchable', () => {
  const found = (query: string) => searchRows(rows, columns, query).map((row) => row.id)
  expect(found(' OVEN ')).toEqual(['1', '2'])
  expect(found('100')).toEqual(['3'])
  expect(found('yeast')).toEqual([])
  expect(searchRows(rows, columns, ' ')).toBe(rows)
})
