import { createLink, Link } from '@tanstack/react-router'
import type { ComponentProps, ComponentType } from 'react'

export type RouterLinkProps = Omit<ComponentProps<'a'>, 'href'> & {
  /** A path of the console, already filled in: '/team/bakery/applications'. */
  to: string
  search?: Record<string, unknown> | undefined
  /** Counts as active (aria-current) on this very path only, not on those below it. */
  exact?: boolean | undefined
  /** False for a link that leads somewhere and does not show where one is, as in running text. */
  marksPlace?: boolean | undefined
  replace?: boolean | undefined
  /** False keeps the scroll position, for links that change a part of the page. */
  resetScroll?: boolean | undefined
}

// Components take paths as text: only the router's own file knows the tree that would type them.
type AnyLink = ComponentType<Record<string, unknown>>
const PlaceLink = Link as unknown as AnyLink
type AnchorProps = ComponentProps<'a'> & { disabled?: boolean }
const OnwardLink = createLink(OnwardAnchor) as unknown as AnyLink

/** The router sets these two on every link to this page or one above it. */
function OnwardAnchor({ 'aria-current': _place, disabled: _disabled, children, ...rest }: AnchorProps) {
  return <a {...rest}>{children}</a>
}

/** A link inside the console. Sets `data-status="active"` and `aria-current="page"` while its page shows. */
export function RouterLink({ to, exact, marksPlace = true, ...rest }: RouterLinkProps) {
  const Anchor = marksPlace ? PlaceLink : OnwardLink
  return <Anchor to={to} activeOptions={{ exact: exact ?? false, includeSearch: false }} {...rest} />
}
