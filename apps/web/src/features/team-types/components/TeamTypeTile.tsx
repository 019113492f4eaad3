import type { TeamType } from '@app/contract'
import { limitOf, teamTypePrice } from '@app/contract/team-types'
import { Card } from '../../../ui/Card.tsx'
import { Markdown } from '../../../ui/Markdown.tsx'
import type { MenuItem } from '../../../ui/Menu.tsx'
import { RowMenu } from '../../../ui/RowMenu.tsx'

/** An active team type with its price, its limits and how many teams have it. */
export function TeamTypeTile({ type, items }: { type: TeamType; items: MenuItem[] }) {
  const { name, description, properties, teamCount = 0 } = type
  const facts: [label: string, value: string | number][] = [
    ['Teams', teamCount],
    ['Members', limitOf(properties.userLimit) ?? 'no limit'],
    ['Instances', limitOf(properties.runtimeLimit) ?? 'no limit'],
    ['Devices', limitOf(properties.deviceLimit) ?? 'no limit'],
  ]
  return (
    <Card title={name} end={<RowMenu name={name} items={items} />} padded className="flex flex-col">
      <div className="flex flex-col gap-3">
        <p className="font-medium">{teamTypePrice(type).billingPrice}</p>
        {description !== '' && (
          <div className="text-md text-muted">
            <Markdown text={description} />
          </div>
        )}
        <dl className="grid grid-cols-2 gap-x-6 gap-y-1 text-md">
          {facts.map(([label, value]) => (
            <div key={label} className="flex gap-1.5">
              <dt className="text-muted">{label}</dt>
              <dd className="num font-medium">{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Card>
  )
}
