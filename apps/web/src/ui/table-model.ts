import { type ColumnDef, createSortedRowModel, rowSortingFeature, tableFeatures } from '@tanstack/react-table'
import type { ReactNode } from 'react'

/** The value that a cell is compared by. */
export type CellValue = string | number | boolean | Date | null | undefined

export type Column<T> = {
  id: string
  header: string
  /** The value to sort and search by; a column without it does neither. */
  value?: (row: T) => CellValue
  /** Content of the cell; without it, the value as text. */
  cell?: (row: T) => ReactNode
  sortable?: boolean
  searchable?: boolean
  align?: 'end'
  /** A width as Tailwind writes it ('w-40'); without it the column shares what is left. */
  width?: string
  /** Holds a control before the name of the row, such as a box to select it; `header` is only read aloud. */
  control?: boolean
  /** Names the row, opens its page and heads its card; without it the first column that is no control does. */
  names?: boolean
  /** Not on phones: the row is complete without it. */
  wide?: boolean
  /** Not between 640 and 1024 px, where columns have the least room: the row is complete without it. */
  spare?: boolean
}

export type SortState = { id: string; desc: boolean }

/**
 * Orders two values as a person expects: 'a2' before 'a10', without regard to case. Nothing sorts before something.
 * @returns below 0 when `a` comes first.
 */
export function compareValues(a: CellValue, b: CellValue): number {
  const [x, y] = [a ?? '', b ?? '']
  if (x === '' || y === '') return Number(x !== '') - Number(y !== '')
  if (typeof x === 'string' && typeof y === 'string') return collator.compare(x, y)
  return Number(x) - Number(y)
}
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** True when one of the texts holds the query, whatever the case. An empty query is in everything. */
function matchesSearch(values: CellValue[], query: string): boolean {
  const wanted = query.trim().toLowerCase()
  return (
    wanted === '' ||
    values.some((value) =>
      String(value ?? '')
        .toLowerCase()
        .includes(wanted),
    )
  )
}

/** Keeps the rows that hold the query in one of the searchable columns. */
export function searchRows<T>(rows: T[], columns: Column<T>[], query: string): T[] {
  if (query.trim() === '') return rows
  const searched = columns.filter((column) => column.value && column.searchable !== false)
  return rows.filter((row) =>
    matchesSearch(
      searched.map((column) => column.value?.(row)),
      query,
    ),
  )
}

export const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() })

/** Our columns as TanStack Table wants them. */
export function toColumnDefs<T extends object>(columns: Column<T>[]): ColumnDef<typeof features, T>[] {
  return columns.map((column) => ({
    id: column.id,
    header: column.header,
    accessorFn: (row: T) => column.value?.(row),
    enableSorting: column.sortable ?? column.value !== undefined,
    // The comparison places what is missing; TanStack would keep it last in both directions.
    sortUndefined: false as const,
    sortFn: (a, b, id) => compareValues(a.getValue(id), b.getValue(id)),
  }))
}
