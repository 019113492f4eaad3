import { applicationRoles, limited, roles } from '@app/contract/roles'
import { useSettings } from '../account/index.ts'

/** The roles of a team as members' pages name them, highest first [MEMB-23]. */
const choices = [
  { role: roles.owner, title: 'Owner', description: 'Manages everything, including the members.' },
  { role: roles.member, title: 'Member', description: 'Builds and deploys flows.' },
  { role: roles.viewer, title: 'Viewer', description: 'Sees everything and changes nothing.' },
  { role: roles.dashboard, title: 'Dashboard Only', description: 'Opens dashboards and nothing else.' },
]
const limitedChoice = {
  role: limited,
  title: 'Limited',
  description: 'Sees only the applications they are added to.',
}

/** The roles that a member can have in one application, highest first. */
const inApplication: Record<(typeof applicationRoles)[number], { title: string; description: string }> = {
  [roles.owner]: { title: 'Owner', description: 'Manages the application and its instances.' },
  [roles.member]: { title: 'Member', description: 'Builds and deploys its flows.' },
  [roles.viewer]: { title: 'Viewer', description: 'Sees the application and changes nothing.' },
}

/** Their name, or the user name of somebody without one. */
export const nameOf = ({ name, username }: { name: string; username: string }): string => name || username

export const titleOfRole = (role: number): string =>
  [...choices, limitedChoice].find((one) => one.role === role)?.title ?? String(role)

const tile = ({ role, title, description }: { role: number; title: string; description: string }) => ({
  value: String(role),
  title,
  description,
})

/** The roles in a team as tiles, whose values are texts. Limited is among them where the platform has it. */
export function useRoleTiles() {
  const hasLimited = useSettings()?.features.applicationRoles === true
  return [...choices, ...(hasLimited ? [limitedChoice] : [])].map(tile)
}

/** The same for the roles in an application. */
export const applicationRoleTiles = applicationRoles.toReversed().map((role) => tile({ role, ...inApplication[role] }))
