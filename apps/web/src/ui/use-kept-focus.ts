import { type FocusEvent, useEffect, useRef } from 'react'

const controls = 'a[href], button:not(:disabled), input:not(:disabled), [tabindex="0"]'

/**
 * Gives the focus on when the row that has it is taken away, as when it was just deleted: to the same control of the
 * row that moves up, of an empty list to its last control, else to the page. The browser would put it before everything.
 * @returns what goes on the box around the list, which stays whatever is in it. `count` is how many rows there are.
 */
export function useKeptFocus(count: number | undefined) {
  const ref = useRef<HTMLDivElement>(null)
  const last = useRef<{ element: Element; row: number; place: number }>(undefined)
  const before = useRef(0)
  useEffect(() => {
    if (count === undefined) return
    const fewer = count < before.current
    before.current = count
    const left = last.current
    if (!fewer || !left || left.element.isConnected || document.activeElement !== document.body) return
    const rows = rowsOf(ref.current)
    const inRow = controlsOf(rows[Math.min(left.row, rows.length - 1)])
    const target = inRow[left.place] ?? inRow[0] ?? controlsOf(ref.current).at(-1) ?? document.querySelector('main')
    target?.focus({ preventScroll: true })
  }, [count])
  const onFocus = ({ target: element, currentTarget }: FocusEvent<HTMLElement>) => {
    // Events of a portal bubble here through React without being inside.
    const row = currentTarget.contains(element) ? element.closest('tbody tr') : null
    if (!row) return
    last.current = {
      element,
      row: rowsOf(currentTarget).indexOf(row),
      place: controlsOf(row).indexOf(element),
    }
  }
  return { ref, onFocus }
}

const rowsOf = (box: Element | null) => [...(box?.querySelectorAll('tbody tr:not([aria-hidden])') ?? [])]
const controlsOf = (box: Element | null | undefined) => [...(box?.querySelectorAll<HTMLElement>(controls) ?? [])]
