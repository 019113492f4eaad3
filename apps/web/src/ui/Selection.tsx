import { X } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { Button } from './Button.tsx'
import { Checkbox } from './Checkbox.tsx'
import type { Column } from './table-model.ts'
import type { Selection } from './use-selection.ts'

/** The column of boxes by which the rows of a table are selected; the first one. */
export const selectColumn = <Row extends { id: string; name: string }>(selection: Selection): Column<Row> => ({
  id: 'select',
  header: 'Select',
  control: true,
  width: 'w-10',
  cell: ({ id, name }) => (
    <Checkbox bare checked={selection.isSelected(id)} onChange={() => selection.toggle(id)} label={`Select ${name}`} />
  ),
})

/** Selects every row that is shown, or none; nothing while no row is. */
export function SelectAll({ selection }: { selection: Selection }) {
  const { ids, shown, toggleAll } = selection
  if (shown === 0) return null
  const all = ids.length === shown
  return <Checkbox label="Select all shown" checked={all} mixed={ids.length > 0 && !all} onChange={toggleAll} />
}

/** The actions on the selected rows; nothing while none is selected. `label`: 'Selected devices'. */
export function SelectionBar(props: BarProps) {
  return props.count === 0 ? null : <Bar {...props} />
}
type BarProps = { label: string; count: number; onClear: () => void; children: ReactNode }

function Bar(props: BarProps) {
  // The button that was used goes with the bar, and the browser would put the focus before everything.
  useEffect(
    () => () => {
      if (document.activeElement === document.body) document.querySelector('main')?.focus({ preventScroll: true })
    },
    [],
  )
  return (
    <section
      aria-label={props.label}
      className="mb-3 flex flex-wrap items-center gap-2 rounded-lg border bg-selected px-3 py-2"
    >
      <span aria-live="polite" className="num mr-2 font-medium">
        {props.count} selected
      </span>
      {props.children}
      <Button size="sm" variant="ghost" icon={<X size={14} aria-hidden />} onClick={props.onClear}>
        Clear
      </Button>
    </section>
  )
}
