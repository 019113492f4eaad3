import type { InstanceListed } from '@app/contract'
import { Box, Plus, SearchX } from 'lucide-react'
import { useMemo } from 'react'
import { useCan } from '../../../lib/can.ts'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQuerySort, useQueryTexts } from '../../../lib/use-query-state.ts'
import { Button, ButtonLink } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SearchInput } from '../../../ui/Input.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { RouterLink } from '../../../ui/RouterLink.tsx'
import { Select } from '../../../ui/Select.tsx'
import { SelectAll } from '../../../ui/Selection.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { InstanceBulkBar, instancePath, useTeamInstances } from '../../instances/index.ts'
import { useTeam } from '../../teams/index.ts'
import { InstanceTools } from '../components/InstanceTools.tsx'
import { RecentlyDeleted } from '../components/RecentlyDeleted.tsx'
import { instanceColumns } from '../instance-columns.tsx'
import { useSelectedInstances } from '../use-selected-instances.ts'

const states = ['running', 'suspended', 'crashed', 'error', 'safe', 'stopped']
const choices = [{ value: '', label: 'All states' }, ...states.map((state) => ({ value: state, label: state }))]

const own: Column<InstanceListed>[] = [
  {
    id: 'name',
    header: 'Name',
    value: ({ name }) => name,
    cell: ({ name, url }) => (
      <span className="block min-w-0">
        <span className="block truncate max-sm:pr-24">{name}</span>
        {/* On a phone below the buttons of the row, so that it keeps its width. */}
        {url && (
          <span className="mono block truncate font-normal text-muted max-sm:pt-1.5">
            {url.replace(/^https?:\/\//, '')}
          </span>
        )}
      </span>
    ),
  },
  ...instanceColumns.slice(1),
  {
    id: 'application',
    header: 'Application',
    spare: true,
    value: ({ application }) => application?.name,
    cell: ({ application }) =>
      application && (
        <RouterLink to={`/application/${application.id}/instances`} className="rounded-sm hover:underline">
          {application.name}
        </RouterLink>
      ),
  },
  { id: 'tools', header: '', cell: (instance) => <InstanceTools instance={instance} />, align: 'end', width: 'w-40' },
]

/** Every instance of a team. */
export function TeamInstancesPage() {
  const team = useTeam()
  usePageTitle('Instances', team.name)
  const [{ q: text, state }, setTexts] = useQueryTexts(['q', 'state'])
  const setText = (q: string) => setTexts({ q })
  const [sort, setSort] = useQuerySort()
  const mayCreate = useCan('project:create')
  const mayDelete = useCan('project:delete')
  const { data, error, refetch } = useTeamInstances(team.id)

  const create = mayCreate && (
    <ButtonLink variant="primary" icon={<Plus size={16} aria-hidden />} to={`/team/${team.slug}/instances/create`}>
      Create Instance
    </ButtonLink>
  )
  const rows = useMemo(
    () => (state === '' ? data?.instances : data?.instances.filter(({ meta }) => meta?.state === state)),
    [data?.instances, state],
  )
  const { columns, selection, selected } = useSelectedInstances(rows, own, text)
  if (error && !data) return <PageFailure error={error} onRetry={() => void refetch()} />
  const isEmpty = data?.instances.length === 0
  return (
    <>
      <PageHeader
        title="Instances"
        description="All Node-RED instances in this team."
        actions={
          !isEmpty && (
            // Gone again when there is nothing to search, and the focus must not be in it then.
            <div inert={!data} className="contents">
              <SearchInput
                label="Search Instances..."
                value={text}
                onChange={setText}
                className="min-w-0 flex-[1_1_280px] sm:w-70 sm:flex-none"
              />
              <Select
                label="State:"
                inline
                value={state}
                onChange={(next) => setTexts({ state: next })}
                options={choices}
              />
              {create}
            </div>
          )
        }
      />
      {selection && (
        <>
          <div className="mb-3 empty:hidden">
            <SelectAll selection={selection} />
          </div>
          <InstanceBulkBar instances={selected} onClear={selection.clear} />
        </>
      )}
      <Table
        label="Instances"
        rows={rows}
        columns={columns}
        rowId={({ id }) => id}
        rowTo={instancePath}
        sort={sort}
        onSort={setSort}
        search={text}
        onClearSearch={() => setText('')}
        empty={
          state !== '' && !isEmpty ? (
            <EmptyState
              icon={<SearchX />}
              title={`No instance is ${state}`}
              action={<Button onClick={() => setTexts({ state: '' })}>Show All</Button>}
            />
          ) : (
            <EmptyState icon={<Box />} title="Get Started with your First Node-RED Instance" action={create}>
              An instance is a separate <span className="whitespace-nowrap">Node-RED</span> with its own address and
              editor.
              {!mayCreate && ' A team owner can create one.'}
            </EmptyState>
          )
        }
      />
      {mayDelete && <RecentlyDeleted teamId={team.id} />}
    </>
  )
}
