/** Team roles and their numbers; comparison is numeric [PERM-01] [PERM-04]. */
export const roles = { none: 0, dashboard: 5, viewer: 10, member: 30, owner: 50, admin: 99 } as const

export type RoleName = keyof typeof roles
export type Role = (typeof roles)[RoleName]

/** The roles a team membership can have; `none` and `admin` never stand in one. */
export const teamRoles = [roles.dashboard, roles.viewer, roles.member, roles.owner] as const
export type TeamRole = (typeof teamRoles)[number]

/** Wire name of a role number; a number outside the table is `none`. */
export function roleName(role: number): RoleName {
  for (const [name, value] of Object.entries(roles)) if (value === role) return name as RoleName
  return 'none'
}

/** Narrows a stored or posted number to a team role. */
export function isTeamRole(role: number): role is TeamRole {
  return (teamRoles as readonly number[]).includes(role)
}
