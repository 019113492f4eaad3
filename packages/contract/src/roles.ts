/** Team roles and their numbers; comparison is numeric [PERM-01] [PERM-04]. */
export const roles = { none: 0, dashboard: 5, viewer: 10, member: 30, owner: 50, admin: 99 } as const

export type RoleName = keyof typeof roles
export type Role = (typeof roles)[RoleName]

/** The roles a team membership can have; `none` and `admin` never stand in one. */
export const teamRoles = [roles.dashboard, roles.viewer, roles.member, roles.owner] as const
export type TeamRole = (typeof teamRoles)[number]

/**
 * Stands in a membership in the place of a team role: a limited member has no role in the team, only in single
 * applications of it.
 */
export const limited = 1

/** The roles that a member can have in one application. None of them hides what a team role shows. */
export const applicationRoles = [roles.viewer, roles.member, roles.owner] as const
export type ApplicationRole = (typeof applicationRoles)[number]

/** Narrows a stored or posted number to a role in an application. */
export function isApplicationRole(role: number): role is ApplicationRole {
  return (applicationRoles as readonly number[]).includes(role)
}

/** Can a member with this team role have another one in an application? Owners own all, dashboard users see none. */
export const mayDiffer = (teamRole: number): boolean =>
  teamRole === limited || (teamRole >= roles.viewer && teamRole < roles.owner)

/** Wire name of a role number; a number outside the table is `none`. */
export function roleName(role: number): RoleName | 'limited' {
  if (role === limited) return 'limited'
  for (const [name, value] of Object.entries(roles)) if (value === role) return name as RoleName
  return 'none'
}

/** Narrows a stored or posted number to a team role. */
export function isTeamRole(role: number): role is TeamRole {
  return (teamRoles as readonly number[]).includes(role)
}
