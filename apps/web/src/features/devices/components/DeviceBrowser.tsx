import { Cpu, Plus, X } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { useQuerySort, useQueryTexts } from '../../../lib/use-query-state.ts'
import { useSettled } from '../../../lib/use-settled.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SearchInput } from '../../../ui/Input.tsx'
import { SelectAll } from '../../../ui/Selection.tsx'
import { Table } from '../../../ui/Table.tsx'
import { useSelection } from '../../../ui/use-selection.ts'
import { deviceColumns } from '../device-columns.tsx'
import { type Owner, useDevices } from '../devices.queries.ts'
import { useDeviceActions } from '../use-device-actions.tsx'
import { BulkBar } from './BulkBar.tsx'
import { DeviceCharts } from './DeviceCharts.tsx'
import { TagFilter } from './TagFilter.tsx'

/** The devices of a team, or of one instance of it, and what can be done with them. `tools`: more buttons above. */
export function DeviceBrowser({ teamId, owner, tools }: { teamId: string; owner: Owner; tools?: ReactNode }) {
  const [filter, setFilter] = useQueryTexts(['q', 'seen', 'status', 'token', 'tag'])
  const { q: text, seen, status, token, tag } = filter
  const [sort, setSort] = useQuerySort()
  const settled = useSettled(text)
  const list = useDevices(owner, { text: settled, seen, status, token, tag })
  const { actions, add, dialog } = useDeviceActions(teamId, owner)
  const of = 'team' in owner ? 'team' : 'instance'
  const rows = useMemo(() => list.data?.pages.flatMap(({ devices }) => devices), [list.data])
  const selection = useSelection(rows)
  const isTagged = rows?.some(({ tags }) => tags.length > 0) === true
  const columns = useMemo(() => {
    const chooseTag = isTagged ? (tag: string) => setFilter({ tag }) : undefined
    return deviceColumns(of, actions, actions.edit && selection, chooseTag)
  }, [of, actions, selection, isTagged, setFilter])
  const button = add && (
    <Button variant="primary" icon={<Plus size={16} aria-hidden />} onClick={add}>
      Add Device
    </Button>
  )
  const narrowed = [text, settled, seen, status, token, tag].some((value) => value !== '')
  const none = rows?.length === 0 && !narrowed
  if (list.error && !rows) return <Failure error={list.error} onRetry={() => void list.refetch()} needs="Viewer" />
  return (
    <>
      <DeviceCharts owner={owner} chosen={{ seen, status }} onChoose={setFilter} />
      {!none && (
        <div className="mb-3 flex flex-wrap items-center gap-3">
          <SearchInput
            className="min-w-0 flex-[1_1_280px] sm:max-w-75"
            label="Search Devices"
            value={text}
            onChange={(q) => setFilter({ q })}
          />
          <TagFilter teamId={teamId} value={tag} onChange={(tag) => setFilter({ tag })} />
          {actions.edit && <SelectAll selection={selection} />}
          {token !== '' && (
            <Button size="sm" icon={<X size={14} aria-hidden />} onClick={() => setFilter({ token: '' })}>
              Registered by one token
            </Button>
          )}
          <div className="ml-auto flex flex-wrap items-center gap-3">
            {tools}
            {button}
          </div>
        </div>
      )}
      <BulkBar
        teamId={teamId}
        ofTeam={of === 'team'}
        rows={rows?.filter(({ id }) => selection.isSelected(id)) ?? []}
        onClear={selection.clear}
        onKeep={selection.only}
      />
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
            <EmptyState
              icon={<Cpu />}
              title="No devices found."
              action={
                <Button onClick={() => setFilter({ q: '', seen: '', status: '', token: '', tag: '' })}>
                  Show all devices
                </Button>
              }
            >
              {tag !== '' && text === '' && seen === '' && status === '' && token === ''
                ? `No device has the tag ${tag}.`
                : 'Search by a part of the name, the type or a tag.'}
            </EmptyState>
          )
        }
      />
      {dialog}
    </>
  )
}
