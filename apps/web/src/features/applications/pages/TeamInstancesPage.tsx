import type { InstanceListed } from '@app/contract'
import { Box, Plus } from 'lucide-react'
import { useCan } from '../../../lib/can.ts'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQuerySort, useQueryText } from '../../../lib/use-query-state.ts'
import { ButtonLink } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SearchInput } from '../../../ui/Input.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { RouterLink } from '../../../ui/RouterLink.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { instancePlace, useTeamInstances } from '../../instances/index.ts'
import { useTeam } from '../../teams/index.ts'
import { RecentlyDeleted } from '../components/RecentlyDeleted.tsx'
import { instanceColumns } from '../instance-columns.tsx'

const columns: Column<InstanceListed>[] = [
  ...instanceColumns,
  {
    id: 'application',
    header: 'Application',
    value: ({ application }) => application?.name,
    cell: ({ application }) =>
      application && (
        <RouterLink to={`/application/${application.id}/instances`} className="rounded-sm hover:underline">
          {application.name}
        </RouterLink>
      ),
  },
]

/** Every instance of a team. */
export function TeamInstancesPage() {
  const team = useTeam()
  usePageTitle('Instances', team.name)
  const [text, setText] = useQueryText('q')
  const [sort, setSort] = useQuerySort()
  const mayCreate = useCan('project:create')
  const mayDelete = useCan('project:delete')
  const { data, error, refetch } = useTeamInstances(team.id)
  if (error && !data) return <PageFailure error={error} onRetry={() => void refetch()} />

  const create = mayCreate && (
    <ButtonLink variant="primary" icon={<Plus size={16} aria-hidden />} to={`/team/${team.slug}/instances/create`}>
      Create Instance
    </ButtonLink>
  )
  const isEmpty = data?.instances.length === 0
  return (
    <>
      <PageHeader
        title="Instances"
        description="Every Node-RED of your team."
        actions={
          !isEmpty && (
            <>
              <SearchInput
                label="Search Instances..."
                value={text}
                onChange={setText}
                className="min-w-0 flex-[1_1_280px] sm:w-70 sm:flex-none"
              />
              {create}
            </>
          )
        }
      />
      <Table
        label="Instances"
        rows={data?.instances}
        columns={columns}
        rowId={({ id }) => id}
        rowTo={instancePlace}
        sort={sort}
        onSort={setSort}
        search={text}
        onClearSearch={() => setText('')}
        empty={
          <EmptyState icon={<Box />} title="Get Started with your First Node-RED Instance" action={create}>
            An instance is a Node-RED of its own, with its own address and editor.
            {!mayCreate && ' A team owner can create one.'}
          </EmptyState>
        }
      />
      {mayDelete && <RecentlyDeleted teamId={team.id} />}
    </>
  )
}
