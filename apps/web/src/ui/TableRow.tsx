/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- see Table */
import { type KeyboardEvent, type MouseEvent, memo, type ReactNode, type Ref } from 'react'
import { cn } from '../lib/cn.ts'
import { RouterLink } from './RouterLink.tsx'
import type { CellValue, Column } from './table-model.ts'

function PlainRow<T extends object>({
  row,
  index,
  columns,
  to,
  onOpen,
  ref,
}: {
  row: T
  index: number
  columns: Column<T>[]
  to: string | undefined
  onOpen: ((row: T) => void) | undefined
  ref?: Ref<HTMLTableRowElement> | undefined
}) {
  const named = columns.findIndex(({ names }) => names)
  const first = named >= 0 ? named : columns.findIndex(({ control }) => !control)
  const isFact = (column: Column<T>, place: number) => place !== first && !column.control && column.header !== ''
  const focusable = onOpen !== undefined && to === undefined
  return (
    <tr
      ref={ref}
      data-index={index}
      role="row"
      aria-rowindex={index + 2}
      tabIndex={focusable ? 0 : undefined}
      onClick={(event) => onOpen && !isOwnControl(event) && onOpen(row)}
      onKeyDown={(event) => walk(event, focusable ? () => onOpen?.(row) : undefined)}
      className={cn(
        'border-b -outline-offset-2 last:border-0 max-sm:relative max-sm:flex max-sm:flex-col max-sm:px-4 max-sm:py-2.5',
        onOpen && 'cursor-pointer hover:bg-hover',
      )}
    >
      {columns.map((column, place) => {
        const content = column.cell ? column.cell(row) : show(column.value?.(row))
        return (
          <td
            key={column.id}
            role="cell"
            className={cn(
              'h-11 px-4 py-1.5 max-sm:h-auto max-sm:px-0 max-sm:py-1',
              // A name of one long word is broken, so that the columns after it stay in sight.
              place === first && 'font-medium break-words max-sm:order-first max-sm:block max-sm:pr-10 sm:max-w-80',
              place === first && columns[0]?.control && 'max-sm:pl-7',
              column.control && 'max-sm:absolute max-sm:top-2.5 max-sm:left-4 sm:pr-0',
              // The row's own menu stands in the corner of its card.
              column.header === '' && 'max-sm:absolute max-sm:top-2 max-sm:right-2.5',
              isFact(column, place) &&
                // On a card, what has nothing to say is left out with its name.
                'max-sm:flex max-sm:items-baseline max-sm:justify-between max-sm:gap-4 max-sm:has-[>div:empty]:hidden',
              column.align === 'end' && 'num text-right',
              column.wide && 'max-sm:hidden',
              column.spare && 'sm:max-lg:hidden',
            )}
          >
            {isFact(column, place) && (
              <span aria-hidden className="text-muted sm:hidden">
                {column.header}
              </span>
            )}
            {place === first && to ? (
              <RouterLink to={to} data-row-link className="rounded-sm hover:underline">
                {content}
              </RouterLink>
            ) : isFact(column, place) ? (
              // One box, so that several paragraphs stay under each other on a card.
              <div className="min-w-0 max-sm:text-right max-sm:wrap-anywhere">{content}</div>
            ) : (
              content
            )}
          </td>
        )
      })}
    </tr>
  )
}

/**
 * One row: a table row from 640 px, a card below. Arrow keys walk between rows, Enter opens.
 * Remembered: while a long table scrolls, only the rows that come in are drawn.
 */
export const TableRow = memo(PlainRow) as typeof PlainRow

function show(value: CellValue): ReactNode {
  if (value instanceof Date) return value.toLocaleString()
  return typeof value === 'number' ? value.toLocaleString() : value
}

/** Clicks on links, buttons and menus inside the row are their own; so is selecting text. */
function isOwnControl(event: MouseEvent<HTMLTableRowElement>): boolean {
  const target = event.target as Element
  // Events of a portal (a menu of the row) bubble here through React without being inside the row.
  if (!event.currentTarget.contains(target)) return true
  return (
    target.closest('a, button, input, label, [role=menuitem]') !== null || (getSelection()?.toString() ?? '') !== ''
  )
}

function walk(event: KeyboardEvent<HTMLTableRowElement>, open: (() => void) | undefined): void {
  const target = event.target as HTMLElement
  const onRow = target === event.currentTarget || target.matches('[data-row-link]')
  if (!onRow) return
  if (event.key === 'Enter' && open) open()
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const sibling =
    event.key === 'ArrowDown' ? event.currentTarget.nextElementSibling : event.currentTarget.previousElementSibling
  const next = sibling?.querySelector<HTMLElement>('[data-row-link]') ?? (sibling as HTMLElement | null)
  event.preventDefault()
  next?.focus()
}
