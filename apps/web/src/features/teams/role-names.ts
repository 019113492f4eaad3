import { roleName } from '@app/contract/roles'

/** Name of a role on screens: 'Owner', 'Dashboard'. */
export function roleTitle(role: number): string {
  const name = roleName(role)
  return name.charAt(0).toUpperCase() + name.slice(1)
}
