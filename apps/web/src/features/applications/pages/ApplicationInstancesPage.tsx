import { Box, Plus } from 'lucide-react'
import { useCan } from '../../../lib/can.ts'
import { Failure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQuerySort, useQueryText } from '../../../lib/use-query-state.ts'
import { ButtonLink } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SearchInput } from '../../../ui/Input.tsx'
import { SelectAll } from '../../../ui/Selection.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { InstanceBulkBar, instancePath } from '../../instances/index.ts'
import { useCurrentApplication } from '../application-context.ts'
import { type ListedInstance, useApplicationInstances } from '../applications.queries.ts'
import { CreationProgress } from '../components/CreationProgress.tsx'
import { InstanceTools } from '../components/InstanceTools.tsx'
import { instanceColumns } from '../instance-columns.tsx'
import { useSelectedInstances } from '../use-selected-instances.ts'

const own: Column<ListedInstance>[] = [
  ...instanceColumns,
  { id: 'tools', header: '', cell: (instance) => <InstanceTools instance={instance} />, align: 'end', width: 'w-40' },
]

/** The instances of an application; one just created shows how far it is. */
export function ApplicationInstancesPage() {
  const application = useCurrentApplication()
  usePageTitle('Instances', application.name)
  const [text, setText] = useQueryText('q')
  const [sort, setSort] = useQuerySort()
  const [created] = useQueryText('created')
  const mayCreate = useCan('project:create')
  const { data, error, refetch } = useApplicationInstances(application.id)
  const { columns, selection, selected } = useSelectedInstances(data?.instances, own, text)
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />

  const create = mayCreate && (
    <ButtonLink
      variant="primary"
      icon={<Plus size={16} aria-hidden />}
      to={`/application/${application.id}/instances/create`}
    >
      Create Instance
    </ButtonLink>
  )
  return (
    <div className="flex flex-col gap-4">
      {created && <CreationProgress instanceId={created} />}
      {data?.instances.length !== 0 && (
        <div className="flex flex-wrap items-center gap-3">
          <SearchInput
            label="Search Instances..."
            value={text}
            onChange={setText}
            className="min-w-0 flex-[1_1_280px] sm:w-70 sm:flex-none"
          />
          {selection && <SelectAll selection={selection} />}
          <div className="ml-auto">{create}</div>
        </div>
      )}
      {selection && <InstanceBulkBar instances={selected} onClear={selection.clear} />}
      <Table
        label="Instances"
        rows={data?.instances}
        columns={columns}
        rowId={({ id }) => id}
        rowTo={instancePath}
        sort={sort}
        onSort={setSort}
        search={text}
        onClearSearch={() => setText('')}
        empty={
          <EmptyState icon={<Box />} title="This application has no instances yet" action={create}>
            An instance is a separate <span className="whitespace-nowrap">Node-RED</span> with its own address and
            editor.
            {!mayCreate && ' A team owner can create one.'}
          </EmptyState>
        }
      />
    </div>
  )
}
