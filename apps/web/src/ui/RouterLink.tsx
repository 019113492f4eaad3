import { Link } from '@tanstack/react-router'
import type { ComponentProps, ComponentType } from 'react'

export type RouterLinkProps = Omit<ComponentProps<'a'>, 'href'> & {
  /** A path of the console, already filled in: '/team/bakery/applications'. */
  to: string
  search?: Record<string, unknown> | undefined
  /** Counts as active (aria-current) on this very path only, not on those below it. */
  exact?: boolean | undefined
  replace?: boolean | undefined
  /** False keeps the scroll position, for links that change a part of the page. */
  resetScroll?: boolean | undefined
}

// Components take paths as text: only the router's own file knows the tree that would type them.
const PlainLink = Link as unknown as ComponentType<Record<string, unknown>>

/** A link inside the console. Sets `data-status="active"` and `aria-current="page"` while its page shows. */
export function RouterLink({ to, exact, ...rest }: RouterLinkProps) {
  return <PlainLink to={to} activeOptions={{ exact: exact ?? false, includeSearch: false }} {...rest} />
}
