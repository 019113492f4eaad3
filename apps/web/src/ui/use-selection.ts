import { useMemo, useState } from 'react'

/** The selected rows of a list. */
export interface Selection {
  /** Ids of selected rows, in the order in which they are shown. */
  ids: string[]
  /** Number of rows that are shown. */
  shown: number
  isSelected: (id: string) => boolean
  toggle: (id: string) => void
  toggleAll: () => void
  clear: () => void
  /** Selects these and no others. */
  only: (ids: readonly string[]) => void
}

/** Rows that are not shown any more, by a filter or a deletion, are not selected any more. */
export function useSelection(rows: readonly { id: string }[] | undefined): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  return useMemo(() => {
    const shown = rows ?? []
    const ids = shown.flatMap(({ id }) => (chosen.has(id) ? [id] : []))
    const selected = new Set(ids)
    return {
      ids,
      shown: shown.length,
      isSelected: (id) => selected.has(id),
      toggle: (id) => setChosen(selected.symmetricDifference(new Set([id]))),
      toggleAll: () => setChosen(new Set(ids.length === shown.length ? [] : shown.map(({ id }) => id))),
      clear: () => setChosen(new Set()),
      only: (ids) => setChosen(new Set(ids)),
    }
  }, [rows, chosen])
}
