import { useMatches } from '@tanstack/react-router'
import { useHelpVariant } from '../../lib/help-variant.ts'
import { useSettings } from '../account/index.ts'

/** The handbook that every platform serves itself. */
const ownHandbook = '/docs/'

/** The address of the documentation, which the operator may move elsewhere (SHELL-27). */
export function useDocumentation(): string {
  return useSettings()?.documentation_url ?? ownHandbook
}

/** The address of the handbook's section about the page that is shown; undefined for a page without one. */
export function useHelp(): string | undefined {
  const handbook = useDocumentation()
  const { help, helpFor } = useMatches({ select: (matches) => matches.at(-1)?.staticData }) ?? {}
  const variant = useHelpVariant()
  const section = helpFor?.[variant ?? ''] ?? help
  return section && `${handbook.replace(/\/$/, '')}/${section}`
}
