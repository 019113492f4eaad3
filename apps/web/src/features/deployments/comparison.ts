import type { Difference, Drawing } from '@app/contract'

/** The answer of a call that compares two sets of flows, so far. */
interface Answer {
  data: { changes: Difference; drawing: Drawing; was: Drawing } | undefined
  error: unknown
  refetch: () => unknown
}
const none: Drawing = []

/** The parts of an answer as `Compared` takes them; what has nothing to draw has no drawing. */
export function comparisonOf({ data, error, refetch }: Answer) {
  const { drawing = none, was = none, changes } = data ?? {}
  return {
    flows: drawing.length > 0 ? { data: { drawing, was } } : undefined,
    changes: { data: changes, error, refetch },
  }
}
