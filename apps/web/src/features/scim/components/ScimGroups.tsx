import type { ScimGroup } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { Users } from 'lucide-react'
import { Failure } from '../../../lib/api-failure.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SectionTitle } from '../../../ui/PageHeader.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { scimGroupsQuery } from '../scim.queries.ts'

const columns: Column<ScimGroup>[] = [
  {
    id: 'name',
    header: 'Group',
    value: ({ name }) => name,
    cell: ({ name, directory }) => (
      <span className="flex flex-col">
        {name} <span className="text-sm text-muted">{directory}</span>
      </span>
    ),
  },
  { id: 'members', header: 'Members', align: 'end', width: 'w-28', value: ({ members }) => members },
  {
    id: 'changed',
    header: 'Changed',
    align: 'end',
    width: 'w-36',
    value: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <RelativeTime time={updatedAt} />,
  },
]

/** The groups that directories sent, with how many of their accounts are in each. */
export function ScimGroups() {
  const { data: groups, error, refetch } = useQuery(scimGroupsQuery)
  return (
    <section>
      <SectionTitle title="Groups" note="As the directories sent them." />
      {error && !groups ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label="Groups"
          rows={groups}
          columns={columns}
          rowId={({ id }) => id}
          empty={
            <EmptyState icon={<Users />} title="No groups">
              They appear when a directory pushes its groups.
            </EmptyState>
          }
        />
      )}
    </section>
  )
}
