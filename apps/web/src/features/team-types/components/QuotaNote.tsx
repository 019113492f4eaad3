import type { TeamQuotas } from '@app/contract'
import { Banner } from '../../../ui/Banner.tsx'
import { isFull } from '../quota-text.ts'
import { useQuotas } from '../quotas.queries.ts'

const nouns = { members: 'members and invitations', instances: 'instances', devices: 'devices' } as const

/** Use of a limit by a team, where there is one; a warning once it is reached. */
export function QuotaNote({ teamId, of }: { teamId: string; of: keyof typeof nouns }) {
  const data = useQuotas(teamId).data
  const quota = data?.[of]
  if (!data || !quota || quota.limit === null) return null
  const used = `${quota.used} of ${quota.limit} ${nouns[of]} used`
  if (!isFull(quota)) return <p className="text-muted">{used}.</p>
  return (
    <Banner kind="warning">
      {used}. The team type {data.type.name} allows no more: ask an administrator for another type.
    </Banner>
  )
}

/** Is there no room in the team for another one of these? False while it is not known. */
export function useIsFull(teamId: string, of: keyof Pick<TeamQuotas, 'members' | 'instances' | 'devices'>): boolean {
  return isFull(useQuotas(teamId).data?.[of])
}
