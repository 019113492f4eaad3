import type { InstanceType } from '@app/contract'
import { Card } from '../../../ui/Card.tsx'
import { Markdown } from '../../../ui/Markdown.tsx'
import type { MenuItem } from '../../../ui/Menu.tsx'
import { RowMenu } from '../../../ui/RowMenu.tsx'

/** An active type, with its price and how much it is used [ATYPE-02] [ATYPE-03]. */
export function TypeTile({ type, items }: { type: InstanceType; items: MenuItem[] }) {
  const { name, description, properties, instanceCount = 0, stackCount = 0 } = type
  const [price, interval] = (properties.billingDescription ?? '').split('/')
  return (
    <Card title={name} end={<RowMenu name={name} items={items} />} padded className="flex flex-col">
      <div className="flex flex-col gap-3">
        {price && (
          <p>
            <span className="num text-xl font-semibold">{price}</span>{' '}
            {interval && <span className="text-muted">{interval}</span>}
          </p>
        )}
        {description !== '' && (
          <div className="text-md text-muted">
            <Markdown text={description} />
          </div>
        )}
        <dl className="flex flex-wrap gap-x-6 gap-y-1 text-md">
          {[
            ['Instance Count', instanceCount],
            ['Stack Count', stackCount],
          ].map(([label, count]) => (
            <div key={label} className="flex gap-1.5">
              <dt className="text-muted">{label}</dt>
              <dd className="num font-medium">{count}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Card>
  )
}
