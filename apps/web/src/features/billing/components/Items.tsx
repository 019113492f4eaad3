import { dollars } from '@app/contract/billing'
import { Card } from '../../../ui/Card.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import type { BillingItem } from '../billing.state.ts'

const columns: Column<BillingItem>[] = [
  { id: 'name', header: 'Name', value: ({ name }) => name },
  { id: 'quantity', header: 'Quantity', value: ({ quantity }) => quantity, align: 'end' },
  {
    id: 'price',
    header: 'Unit Price (US$)',
    value: ({ price }) => price,
    cell: ({ price }) => dollars(price),
    align: 'end',
  },
  {
    id: 'total',
    header: 'Total Price (US$)',
    value: ({ price, quantity }) => price * quantity,
    cell: ({ price, quantity }) => dollars(price * quantity),
    align: 'end',
  },
]

/** The items that a team is charged for; undefined while they are not known [BILL-03]. */
export function Items({ items }: { items: BillingItem[] | undefined }) {
  return (
    <Table
      label="Subscription items"
      rows={items}
      columns={columns}
      // One product may have two prices.
      rowId={(item) => String(items?.indexOf(item))}
      empty={
        <Card title="No Items Yet" padded>
          <p className="text-muted">Instances, devices and members that cost something are listed here.</p>
        </Card>
      }
    />
  )
}
