import { useLocation, useNavigate } from '@tanstack/react-router'
import type { SortState } from '../ui/Table.tsx'

type Search = Record<string, unknown>

/**
 * One text of the page's address (`?q=oven`), so that a link shows a colleague the same view.
 * Typing replaces the entry in the history instead of adding one; an empty text leaves the address.
 */
export function useQueryText(name: string): [string, (value: string) => void] {
  const search = useLocation({ select: (location) => location.search as Search })
  const navigate = useNavigate()
  const value = search[name]
  return [
    typeof value === 'string' || typeof value === 'number' ? String(value) : '',
    (next) => {
      const rest = { ...search, [name]: next === '' ? undefined : next }
      void navigate({ to: '.', search: rest as never, replace: true, resetScroll: false })
    },
  ]
}

/** The sort of a table in the address: `?sort=name` ascending, `?sort=-name` descending. */
export function useQuerySort(name = 'sort'): [SortState | undefined, (sort: SortState | undefined) => void] {
  const [text, setText] = useQueryText(name)
  const sort = text === '' ? undefined : { id: text.replace(/^-/, ''), desc: text.startsWith('-') }
  return [sort, (next) => setText(next ? `${next.desc ? '-' : ''}${next.id}` : '')]
}
