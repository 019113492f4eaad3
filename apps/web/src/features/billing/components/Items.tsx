import { dollars } from '@app/contract/billing'
import { ReceiptText } from 'lucide-react'
import { EmptyState } from '../../../ui/EmptyState.tsx'
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
      rowId={({ name }) => name}
      empty={
        <EmptyState icon={<ReceiptText />} title="No Items Yet">
          Instances, devices and members that cost something are listed here.
        </EmptyState>
      }
    />
  )
}
