import type { Exceeded, Quota } from '@app/contract'
import { limitOf } from '@app/contract/team-types'

/** Use of a limit: `4 of 5`, or `4` where there is none. */
export const quotaText = (used: number, limit: number | null | undefined): string =>
  limitOf(limit ?? undefined) === undefined ? String(used) : `${used} of ${limit}`

/** Is there room for no more? */
export const isFull = (quota: Quota | undefined): boolean =>
  quota !== undefined && quota.limit !== null && quota.used >= quota.limit

const nouns = { members: 'members and invitations', instances: 'instances', devices: 'devices' } as const

/** An exceeded limit in words: `7 of 5 instances`. */
export function exceededText({ what, used, limit, instanceType }: Exceeded): string {
  if (what !== 'instanceType') return `${used} of ${limit} ${nouns[what]}`
  const name = instanceType?.name ?? 'an instance type'
  return limit === 0 ? `${used} of type ${name}, which is not allowed` : `${used} of ${limit} of type ${name}`
}
