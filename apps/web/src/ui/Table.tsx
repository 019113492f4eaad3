/* oxlint-disable jsx-a11y/control-has-associated-label, jsx-a11y/no-redundant-roles -- cells may be empty; the cards of a phone are not laid out as a table, which would lose its roles */
import { useNavigate } from '@tanstack/react-router'
import { useTable } from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { SearchX } from 'lucide-react'
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react'
import { cn } from '../lib/cn.ts'
import { Button } from './Button.tsx'
import { EmptyState } from './EmptyState.tsx'
import { SkeletonRows } from './Skeleton.tsx'
import { TableHead } from './TableHead.tsx'
import { TableRow } from './TableRow.tsx'
import { useKeptFocus } from './use-kept-focus.ts'
import { type Column, features, type SortState, searchRows, toColumnDefs } from './table-model.ts'

export type { Column, SortState } from './table-model.ts'

export type TableProps<T extends object> = {
  /** Name of the table for screen readers: 'Instances'. */
  label: string
  /** Undefined while loading. */
  rows: T[] | undefined
  /** Keep the same array between renders. */
  columns: Column<T>[]
  rowId: (row: T) => string
  /** The page a row opens: the first cell becomes the link, a click anywhere follows it. */
  rowTo?: (row: T) => string
  /** Handles a click on a row that opens no page of its own. */
  onRowClick?: (row: T) => void
  /** Given with `onSort`, the sort lives outside (useQuerySort); otherwise the table keeps it, starting with this. */
  sort?: SortState | undefined
  onSort?: (sort: SortState | undefined) => void
  search?: string
  /** Shown when there is nothing at all; a search without results has its own words. */
  empty: ReactNode
  onClearSearch?: () => void
  onLoadMore?: (() => void) | undefined
  loadingMore?: boolean
}

/** Below this many rows the browser is faster without help. */
const virtualFrom = 100
const rowHeight = 44

/** Rows with sortable headers. A table from 640 px, cards below; it scrolls inside itself, under a header that stays. */
export function Table<T extends object>(props: TableProps<T>) {
  return (
    <div className="contents" {...useKeptFocus(props.rows?.length)}>
      <Contents {...props} />
    </div>
  )
}

function Contents<T extends object>(props: TableProps<T>) {
  const { rows, columns, search = '', empty } = props
  const [ownSort, setOwnSort] = useState(props.sort)
  const sort = props.onSort ? props.sort : ownSort
  const found = useMemo(() => searchRows(rows ?? [], columns, search), [rows, columns, search])
  const defs = useMemo(() => toColumnDefs(columns), [columns])
  const sorting = useMemo(() => (sort ? [sort] : []), [sort])
  const table = useTable({
    features,
    columns: defs,
    data: found,
    getRowId: props.rowId,
    state: { sorting },
    enableSortingRemoval: true,
  })
  if (!rows) return <Frame label={props.label}>{<SkeletonRows rows={6} />}</Frame>
  if (rows.length === 0) return empty
  return (
    <Frame label={props.label}>
      <p aria-live="polite" className="sr-only">
        {search === '' ? '' : `${found.length} of ${rows.length} shown`}
      </p>
      {found.length === 0 ? (
        <NoResults search={search} onClear={props.onClearSearch} />
      ) : (
        <Grid
          {...props}
          sorted={table.getRowModel().rows.map((row) => row.original)}
          sort={sort}
          onSort={props.onSort ?? setOwnSort}
        />
      )}
    </Frame>
  )
}

function Grid<T extends object>(
  props: TableProps<T> & { sorted: T[]; onSort: (sort: SortState | undefined) => void; sort: SortState | undefined },
) {
  const { sorted, columns, rowTo, onRowClick } = props
  const scroller = useRef<HTMLDivElement>(null)
  const navigate = useNavigate()
  const virtual = sorted.length > virtualFrom
  const virtualizer = useVirtualizer({
    enabled: virtual,
    count: sorted.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => props.rowId(sorted[index] as T),
    overscan: 8,
  })
  const items = virtualizer.getVirtualItems()
  const shown = virtual ? items.map((item) => item.index) : sorted.map((_, index) => index)
  const before = virtual ? (items[0]?.start ?? 0) : 0
  const after = virtual ? virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0) : 0
  const act = useRef((_row: T) => {})
  act.current = (row) => {
    if (rowTo) void navigate({ to: rowTo(row) })
    else onRowClick?.(row)
  }
  // The same function throughout, so that no row is drawn again because its page was.
  const open = useCallback((row: T) => act.current(row), [])
  return (
    <div
      ref={scroller}
      // Without a focusable row inside, the scroller itself must take the keyboard.
      tabIndex={rowTo || onRowClick ? undefined : 0}
      role={rowTo || onRowClick ? undefined : 'group'}
      aria-label={rowTo || onRowClick ? undefined : props.label}
      className={cn(
        'overflow-auto -outline-offset-2',
        // Pages with more than a heading above the table say how much.
        virtual
          ? 'max-h-[max(360px,calc(100dvh-var(--above-table,220px)))]'
          : 'sm:max-h-[max(360px,calc(100dvh-var(--above-table,220px)))]',
      )}
    >
      <table
        role="table"
        aria-label={props.label}
        aria-rowcount={sorted.length + 1}
        className={cn('w-full text-md max-sm:block', virtual && 'table-fixed')}
      >
        <TableHead columns={columns} sort={props.sort} onSort={props.onSort} />
        <tbody role="rowgroup" className="max-sm:block">
          {before > 0 && <Gap height={before} />}
          {shown.map((index) => {
            const row = sorted[index] as T
            return (
              <TableRow
                key={props.rowId(row)}
                ref={virtual ? virtualizer.measureElement : undefined}
                index={index}
                row={row}
                columns={columns}
                to={rowTo?.(row)}
                onOpen={rowTo || onRowClick ? open : undefined}
              />
            )
          })}
          {after > 0 && <Gap height={after} />}
        </tbody>
      </table>
      {props.onLoadMore && (
        <div className="sticky left-0 flex justify-center border-t p-2">
          <Button variant="ghost" size="sm" loading={props.loadingMore ?? false} onClick={props.onLoadMore}>
            Load more...
          </Button>
        </div>
      )}
    </div>
  )
}

/** Stands in for the rows that are not drawn. */
function Gap({ height }: { height: number }) {
  return (
    <tr aria-hidden className="max-sm:block" style={{ height }}>
      <td className="max-sm:block" style={{ height }} />
    </tr>
  )
}

function Frame({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section aria-label={label} className="overflow-hidden rounded-lg border bg-panel">
      {children}
    </section>
  )
}

function NoResults({ search, onClear }: { search: string; onClear: (() => void) | undefined }) {
  return (
    <EmptyState
      icon={<SearchX />}
      title={`Nothing found for “${search.trim()}”`}
      action={onClear && <Button onClick={onClear}>Clear search</Button>}
    >
      Check the spelling, or try fewer letters.
    </EmptyState>
  )
}
