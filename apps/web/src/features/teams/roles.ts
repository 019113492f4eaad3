import { roles } from '@app/contract/roles'

/** The roles of a team as members' pages name them, highest first [MEMB-23]. */
const choices = [
  { role: roles.owner, title: 'Owner', description: 'Manages everything, including the members.' },
  { role: roles.member, title: 'Member', description: 'Builds and deploys flows.' },
  { role: roles.viewer, title: 'Viewer', description: 'Sees everything and changes nothing.' },
  { role: roles.dashboard, title: 'Dashboard Only', description: 'Opens dashboards and nothing else.' },
]

export const titleOfRole = (role: number): string => choices.find((one) => one.role === role)?.title ?? String(role)

/** The same as tiles, whose values are texts. */
export const roleTiles = choices.map(({ role, title, description }) => ({ value: String(role), title, description }))
