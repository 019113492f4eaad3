/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- see Table */
import { ArrowDown, ArrowUp } from 'lucide-react'
import { cn } from '../lib/cn.ts'
import type { Column, SortState } from './table-model.ts'

/** The header row: sorts up, then down, then not at all. On phones it is only read aloud. */
export function TableHead<T>({
  columns,
  sort,
  onSort,
}: {
  columns: Column<T>[]
  sort: SortState | undefined
  onSort: (sort: SortState | undefined) => void
}) {
  const next = (id: string) => {
    if (sort?.id !== id) onSort({ id, desc: false })
    else onSort(sort.desc ? undefined : { id, desc: true })
  }
  return (
    <thead role="rowgroup" className="sticky top-0 z-10 bg-panel max-sm:sr-only">
      <tr role="row">
        {columns.map((column) => {
          const sorted = sort?.id === column.id ? (sort.desc ? 'descending' : 'ascending') : undefined
          const Arrow = sorted === 'descending' ? ArrowDown : ArrowUp
          return (
            <th
              key={column.id}
              role="columnheader"
              scope="col"
              aria-sort={sorted}
              className={cn(
                'h-9 px-4 font-medium whitespace-nowrap text-muted shadow-[inset_0_-1px_var(--line)]',
                column.align === 'end' ? 'text-right' : 'text-left',
                column.width,
                column.spare && 'sm:max-lg:hidden',
              )}
            >
              {(column.sortable ?? column.value) ? (
                <button
                  type="button"
                  onClick={() => next(column.id)}
                  className={cn(
                    'group -mx-1.5 inline-flex items-center gap-1 rounded-sm px-1.5 py-0.5 font-medium hover:text-ink',
                    column.align === 'end' && 'flex-row-reverse',
                  )}
                >
                  {column.header}
                  <Arrow
                    size={14}
                    aria-hidden
                    className={cn(!sorted && 'opacity-0 group-hover:opacity-60 group-focus-visible:opacity-60')}
                  />
                </button>
              ) : column.header === '' || column.control ? (
                <span className="sr-only">{column.header || 'Actions'}</span>
              ) : (
                column.header
              )}
            </th>
          )
        })}
      </tr>
    </thead>
  )
}
