import { useMatches } from '@tanstack/react-router'
import { useHelpVariant } from '../../lib/help-variant.ts'
import { useSettings } from '../account/index.ts'
import { helpPages, helpVariants } from './help-pages.ts'

/** The handbook that every platform serves itself. */
const ownHandbook = '/docs/'

/** The address of the documentation, which the operator may move elsewhere (SHELL-27). */
export function useDocumentation(): string {
  return useSettings()?.documentation_url ?? ownHandbook
}

/** The address of the handbook's section about the page that is shown; undefined for a page without one. */
export function useHelp(): string | undefined {
  const handbook = useDocumentation()
  const path = useMatches({ select: (matches) => matches.at(-1)?.fullPath })
  const variant = useHelpVariant()
  const section = helpVariants[path ?? '']?.[variant ?? ''] ?? helpPages[path ?? '']
  return section && `${handbook.replace(/\/$/, '')}/${section}`
}
