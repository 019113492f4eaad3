import type { Instance } from '@app/contract'

/** Messages after High Availability was switched on or off [HA-04] [HA-05]. */
export function haMessage(on: boolean, state: Instance['meta']['state']): string {
  const done = `High Availability mode ${on ? 'enabled' : 'disabled'}`
  return state === 'suspended' ? done : `${done}. The Instance will now be restarted`
}
