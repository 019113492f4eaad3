import { teamTypePrice } from '@app/contract/team-types'
import { priceParts } from '@app/contract/billing'
import type { Team } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { plural } from '../../../lib/plural.ts'
import { Card } from '../../../ui/Card.tsx'
import { type Detail, DetailList } from '../../../ui/DetailList.tsx'
import { instanceTypesQuery } from '../../catalogue/index.ts'
import { priceIn } from '../billing.state.ts'

/** The prices for this team, and what of it is free. */
export function Prices({ team: { type } }: { team: Team }) {
  const { data: types = [] } = useQuery(instanceTypesQuery)
  const { billing = {}, deviceFreeAllocation: free = 0 } = type.properties
  const device = billing.deviceCost ?? 0
  const items: Detail[] = [
    { label: `Team type ${type.name}`, value: teamTypePrice(type).billingPrice },
    {
      label: 'Device',
      value:
        device === 0
          ? 'free'
          : `${priceIn(device)} per month${free > 0 ? `; the first ${free === 1 ? 'one is' : `${plural(free, 'device')} are`} free` : ''}`,
    },
    ...types.map(({ name, properties }) => ({ label: `Instance ${name}`, value: priceText(properties) })),
  ]
  return (
    <Card title="Prices">
      <DetailList items={items} />
    </Card>
  )
}

function priceText({ billingDescription = '' }: { billingDescription?: string | undefined }): string {
  const { amount, interval } = priceParts(billingDescription)
  if (amount === '') return 'free'
  return interval === '' ? amount : `${amount} per ${interval}`
}
