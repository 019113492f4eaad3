import { Check } from 'lucide-react'

/** Whether something is so, in a cell of a table. */
export function Mark({ on }: { on: boolean | undefined }) {
  return on ? (
    <span className="inline-flex align-middle">
      <Check size={16} aria-hidden className="text-ink" />
      <span className="sr-only">yes</span>
    </span>
  ) : (
    <span className="text-muted">
      <span aria-hidden>–</span>
      <span className="sr-only">no</span>
    </span>
  )
}
