import type { ErrorCode } from './errors.ts'
import type { Route } from './route.ts'

/** Parts of the product that an operator can switch off (SHELL-42), each with what its calls answer then. */
export const switches = {
  'shared-library': 'The shared library is switched off on this platform',
  'devops-pipelines': 'DevOps Pipelines are switched off on this platform',
  ha: 'High availability is switched off on this platform',
  devices: 'Devices are switched off on this platform',
  deviceEditor: 'The editors of devices are switched off on this platform',
  billing: 'Billing is off on this platform',
  projectComms: 'Messages between instances and devices are switched off on this platform',
  sso: 'Single sign-on is switched off on this platform',
  applicationRoles: 'Roles in applications are switched off on this platform',
} as const
export type Switch = keyof typeof switches
/** Switches that an administrator turns on as well, each with the setting that does it. */
export const switchSettings = {
  sso: 'user:sso',
  applicationRoles: 'team:application-roles',
} as const satisfies Partial<Record<Switch, string>>
/** Which of them are on. */
export type Switches = Record<Switch, boolean>

/**
 * Puts all these routes behind a switch, or behind several, the first of which that is off is told. `refusal` is the code
 * that callers get then.
 */
export function behind<const R extends Record<string, Route>, const C extends ErrorCode = 'not_found'>(
  name: Switch | readonly Switch[],
  routes: R,
  refusal?: C,
): { [K in keyof R]: R[K] & { switch: { names: readonly Switch[]; refusal: ErrorCode } } } {
  const names = typeof name === 'string' ? [name] : name
  const entries = Object.entries(routes).map(([id, route]) => [
    id,
    { ...route, switch: { names, refusal: refusal ?? 'not_found' } },
  ])
  // Object.fromEntries forgets which route has which id.
  return Object.fromEntries(entries) as never
}
