import { Cpu, Plus } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { useQuerySort, useQueryText } from '../../../lib/use-query-state.ts'
import { useSettled } from '../../../lib/use-settled.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SearchInput } from '../../../ui/Input.tsx'
import { Table } from '../../../ui/Table.tsx'
import { deviceColumns } from '../device-columns.tsx'
import { type Owner, useDevices } from '../devices.queries.ts'
import { useDeviceActions } from '../use-device-actions.tsx'

/** The devices of a team, or of one instance of it, and what can be done with them. `tools`: more buttons above. */
export function DeviceBrowser({ teamId, owner, tools }: { teamId: string; owner: Owner; tools?: ReactNode }) {
  const [text, setText] = useQueryText('q')
  const [sort, setSort] = useQuerySort()
  const settled = useSettled(text)
  const list = useDevices(owner, settled)
  const { actions, add, dialog } = useDeviceActions(teamId, owner)
  const of = 'team' in owner ? 'team' : 'instance'
  const columns = useMemo(() => deviceColumns(of, actions), [of, actions])
  const rows = useMemo(() => list.data?.pages.flatMap(({ devices }) => devices), [list.data])
  const button = add && (
    <Button variant="primary" icon={<Plus size={16} aria-hidden />} onClick={add}>
      Add Device
    </Button>
  )
  const none = rows?.length === 0 && text === '' && settled === ''
  if (list.error && !rows) return <Failure error={list.error} onRetry={() => void list.refetch()} needs="Viewer" />
  return (
    <>
      {!none && (
        <div className="mb-3 flex flex-wrap items-center gap-3">
          <SearchInput
            className="min-w-0 flex-[1_1_280px] sm:max-w-75"
            label="Search Devices"
            value={text}
            onChange={setText}
          />
          <div className="ml-auto flex flex-wrap items-center gap-3">
            {tools}
            {button}
          </div>
        </div>
      )}
      <Table
        label="Devices"
        rows={rows}
        columns={columns}
        rowId={({ id }) => id}
        rowTo={({ id }) => `/device/${id}/overview`}
        sort={sort}
        onSort={setSort}
        onLoadMore={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
        loadingMore={list.isFetchingNextPage}
        empty={
          none ? (
            <EmptyState
              icon={<Cpu />}
              title="Connect your First Device"
              action={
                <>
                  {tools}
                  {button}
                </>
              }
            >
              A device is any computer outside this server, such as a gateway or a Raspberry Pi. Its agent runs the
              target snapshot of an instance.
              {!add && ' A team owner can add one.'}
            </EmptyState>
          ) : (
            <EmptyState icon={<Cpu />} title="No devices found.">
              Search by a part of the name or the type.
            </EmptyState>
          )
        }
      />
      {dialog}
    </>
  )
}
