import type { InstanceListed } from '@app/contract'
import type { Column } from '../../ui/Table.tsx'
import { InstanceStatus, LastUpdated } from '../instances/index.ts'

type Row = Pick<InstanceListed, 'id' | 'name' | 'meta' | 'flowLastUpdatedAt'>

/** Name, state and last change: what every table of instances begins with. */
export const instanceColumns: Column<Row>[] = [
  { id: 'name', header: 'Name', value: ({ name }) => name },
  {
    id: 'status',
    header: 'Status',
    value: ({ meta }) => meta?.state,
    cell: (instance) => <InstanceStatus instance={instance} />,
    width: 'w-40',
  },
  {
    id: 'updated',
    header: 'Last Updated',
    value: ({ flowLastUpdatedAt }) => flowLastUpdatedAt,
    cell: ({ flowLastUpdatedAt }) => <LastUpdated time={flowLastUpdatedAt} />,
    searchable: false,
    width: 'w-48',
  },
]
