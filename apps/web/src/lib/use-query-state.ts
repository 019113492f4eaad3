import { useLocation, useNavigate } from '@tanstack/react-router'
import type { SortState } from '../ui/Table.tsx'

type Search = Record<string, unknown>

/** Texts for the address that the router goes to. Routes declare none, so its types would let nothing in. */
export const queryOf = (texts: Record<string, unknown>) => texts as never

/**
 * Texts of the page's address (`?q=oven&level=warn`), so that a link shows a colleague the same view.
 * Typing replaces the entry in the history instead of adding one; an empty text leaves the address.
 */
export function useQueryTexts<const Name extends string>(
  names: readonly Name[],
): [Record<Name, string>, (values: Partial<Record<Name, string>>) => void] {
  const search = useLocation({ select: (location) => location.search as Search })
  const navigate = useNavigate()
  const textOf = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
  return [
    Object.fromEntries(names.map((name) => [name, textOf(search[name])])) as Record<Name, string>,
    (values) => {
      const given = Object.entries(values).map(([name, value]) => [name, value === '' ? undefined : value])
      const next = { ...search, ...Object.fromEntries(given) }
      void navigate({ to: '.', search: queryOf(next), replace: true, resetScroll: false })
    },
  ]
}

/** One text of the page's address, as `useQueryTexts`. */
export function useQueryText(name: string): [string, (value: string) => void] {
  const [texts, set] = useQueryTexts([name])
  return [texts[name] ?? '', (value) => set({ [name]: value })]
}

/** The sort of a table in the address: `?sort=name` ascending, `?sort=-name` descending. */
export function useQuerySort(name = 'sort'): [SortState | undefined, (sort: SortState | undefined) => void] {
  const [text, setText] = useQueryText(name)
  const sort = text === '' ? undefined : { id: text.replace(/^-/, ''), desc: text.startsWith('-') }
  return [sort, (next) => setText(next ? `${next.desc ? '-' : ''}${next.id}` : '')]
}
