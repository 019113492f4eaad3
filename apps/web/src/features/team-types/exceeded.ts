import type { Exceeded, Quota, TeamQuotas } from '@app/contract'

/** The limits that a team exceeds. */
export function exceededIn({ members, instances, devices, instanceTypes }: TeamQuotas): Exceeded[] {
  const counts = Object.entries({ members, instances, devices }) as ['members' | 'instances' | 'devices', Quota][]
  const exceeded = counts.flatMap(([what, { used, limit }]): Exceeded[] =>
    limit !== null && used > limit ? [{ what, used, limit }] : [],
  )
  const ofTypes = instanceTypes.flatMap(({ id, name, allowed, used, limit }): Exceeded[] => {
    const most = allowed ? limit : 0
    return most !== null && used > most ? [{ what: 'instanceType', instanceType: { id, name }, used, limit: most }] : []
  })
  return [...exceeded, ...ofTypes]
}
