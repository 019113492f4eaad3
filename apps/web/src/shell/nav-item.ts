import type { ReactNode } from 'react'

/** One place the side navigation leads to. */
export type NavItem = {
  to: string
  label: string
  icon: ReactNode
  /** A square picture in front of the label, of the team that the place belongs to. */
  avatar?: { name: string; src?: string } | undefined
  /** Where one is belongs here, though its address does not say so. */
  current?: boolean | undefined
  /** The platform or the plan lacks the feature: shown with a mark, and the page says why. */
  unavailable?: boolean | undefined
  /** Things waiting there; a pill above 0. */
  count?: number | undefined
}

export type NavSection = {
  /** A heading over the group; the first group needs none. */
  heading?: string
  items: NavItem[]
}
