import { useQuery } from '@tanstack/react-query'
import { useCan } from '../../../lib/can.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { TextLink } from '../../../ui/TextLink.tsx'
import { useSettings } from '../../account/index.ts'
import { quotasQuery } from '../../team-types/index.ts'
import { teamsQuery } from '../../teams/index.ts'
import { pricedTeamQuery, useTeamBilling } from '../billing.queries.ts'
import { devicePrice, instanceObstacle, stateOf } from '../billing.state.ts'

/** Why billing keeps the team from another instance; undefined while it does not, or is off. */
export function useInstanceObstacle(teamId: string): string | undefined {
  const billing = useTeamBilling(teamId)
  return billing && instanceObstacle(billing)
}

/** The instance type that the trial of a team still has room for; undefined without one. */
export function useTrialType(teamId: string): string | undefined {
  const type = useSettings()?.['user:team:trial-mode:projectType']
  return useTeamBilling(teamId)?.trialProjectAllowed ? (type ?? undefined) : undefined
}

/** Why billing keeps the team from another device, and what one costs. */
export function useDeviceTerms(teamId: string): { price?: string | undefined; obstacle?: string | undefined } {
  const isOn = useSettings()?.features['billing'] === true
  const billing = useTeamBilling(teamId)
  const { data: team } = useQuery({ ...pricedTeamQuery(teamId), enabled: isOn })
  const { data: quotas } = useQuery({ ...quotasQuery(teamId), enabled: isOn })
  if (!isOn || !team || !quotas) return {}
  const { billing: costs = {}, deviceFreeAllocation: free = 0 } = team.type.properties
  const price = devicePrice({ cost: costs.deviceCost ?? 0, free, devices: quotas.devices.used })
  if (price === undefined) return {}
  const isPaid = !billing || stateOf(billing) === 'active'
  return {
    price,
    obstacle: isPaid ? undefined : 'Set up payment for this team before you add devices that cost something.',
  }
}

/** A reason that keeps a team from something that costs money, with the way to Billing. */
export function PaymentObstacle({ teamId, children }: { teamId: string; children: string | undefined }) {
  const mayEdit = useCan('team:edit')
  const slug = useQuery(teamsQuery).data?.find(({ id }) => id === teamId)?.slug
  if (children === undefined) return null
  return (
    <Banner
      kind="warning"
      action={mayEdit && slug !== undefined && <TextLink to={`/team/${slug}/billing`}>Go to Billing</TextLink>}
    >
      {children}
    </Banner>
  )
}

/** The price of one more device, and the reason that keeps the team from adding it. */
export function DeviceTerms({ teamId }: { teamId: string }) {
  const { price, obstacle } = useDeviceTerms(teamId)
  return (
    <>
      {price !== undefined && <p className="text-muted">This device costs {price}.</p>}
      <PaymentObstacle teamId={teamId}>{obstacle}</PaymentObstacle>
    </>
  )
}
