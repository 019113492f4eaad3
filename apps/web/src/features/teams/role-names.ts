import { roleName } from '@app/contract/roles'

/** How a role is called on screens: 'Owner', 'Dashboard'. */
export function roleTitle(role: number): string {
  const name = roleName(role)
  return name.charAt(0).toUpperCase() + name.slice(1)
}
