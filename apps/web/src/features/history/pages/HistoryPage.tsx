import type { FlowVersion, HistoryPoint } from '@app/contract'
import { historyKinds } from '@app/contract/constants'
import { useNavigate } from '@tanstack/react-router'
import { Camera, Download, Eye, GitCompare, History, RotateCcw } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQueryTexts } from '../../../lib/use-query-state.ts'
import { useSettled } from '../../../lib/use-settled.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SearchInput } from '../../../ui/Input.tsx'
import type { MenuEntry } from '../../../ui/Menu.tsx'
import { SectionTitle } from '../../../ui/PageHeader.tsx'
import { Segmented } from '../../../ui/Segmented.tsx'
import { Select } from '../../../ui/Select.tsx'
import { Table } from '../../../ui/Table.tsx'
import { TargetDialog } from '../../devices/index.ts'
import { useCurrentInstance } from '../../instances/index.ts'
import { RestoreDialog, versionFile } from '../../versions/index.ts'
import { RollbackDialog, snapshotMenu, useSnapshotActions } from '../../snapshots/index.ts'
import { historyColumns } from '../history-columns.tsx'
import { comparisonPath, keptOf, pathOfPoint } from '../history-text.ts'
import { type HistoryKind, useHistory } from '../history.queries.ts'

const all = 'all'
const choices = [
  { value: all, label: 'All' },
  { value: 'editor', label: 'Editor' },
  { value: 'deployments', label: 'Deployments' },
  { value: 'snapshots', label: 'Snapshots' },
  { value: 'problems', label: 'Problems' },
]
const isKind = (text: string): text is HistoryKind => (historyKinds as readonly string[]).includes(text)

/** Every deploy of the editor, deployment and snapshot of an instance: filtered, compared, restored. */
export function HistoryPage() {
  const instance = useCurrentInstance()
  const { id, name } = instance
  usePageTitle('History', name)
  const [{ kind: asked, q: text }, setTexts] = useQueryTexts(['kind', 'q'])
  const kind = isKind(asked) ? asked : ''
  const list = useHistory(id, kind, useSettled(text))
  const rows = useMemo(() => list.data?.pages.flatMap(({ history }) => history), [list.data])
  const [restoring, setRestoring] = useState<FlowVersion>()
  const { actions, rollingBack, endRollback, targeting, endTargeting } = useSnapshotActions(instance)
  const mayView = useCan('project:flows:view')
  const { menuOf } = useMenu(setRestoring)
  const { kept, toggle, compare } = useComparing(rows)
  const columns = useMemo(
    () =>
      historyColumns({
        instance: name,
        chosen: { kept, toggle },
        pageOf: ({ version }) => (mayView && version ? `/instance/${id}/versions/${version.id}` : undefined),
        menuOf: (point) => (point.snapshot ? snapshotMenu(point.snapshot, actions) : menuOf(point)),
      }),
    [id, name, kept, toggle, mayView, actions, menuOf],
  )
  const choose = (value: string) => setTexts({ kind: value === all ? '' : value })
  const filtered = kind !== '' || text !== ''
  return (
    <>
      <SectionTitle
        title="History"
        note="Every change of the flows, to compare or restore."
        action={
          mayView && (
            <Button icon={<GitCompare size={14} aria-hidden />} disabled={kept.length === 0} onClick={compare}>
              {kept.length === 2 ? 'Compare' : 'Compare with current'}
            </Button>
          )
        }
      />
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <SearchInput
          className="min-w-48 flex-1 sm:max-w-72"
          label="Search History"
          value={text}
          onChange={(q) => setTexts({ q })}
          maxLength={200}
        />
        <div className="max-sm:hidden">
          <Segmented label="Show" value={kind || all} onChange={choose} options={choices} />
        </div>
        <div className="sm:hidden">
          <Select inline label="Show" value={kind || all} onChange={choose} options={choices} />
        </div>
      </div>
      {list.error && !rows ? (
        <Failure error={list.error} onRetry={() => void list.refetch()} needs="Viewer" />
      ) : (
        <Table
          label="History"
          rows={rows}
          columns={columns}
          rowId={(point) => point.id}
          rowTo={(point) => pathOfPoint(point, id)}
          onLoadMore={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
          loadingMore={list.isFetchingNextPage}
          empty={
            filtered ? (
              <EmptyState
                icon={<History />}
                title="Nothing Found"
                action={<Button onClick={() => setTexts({ kind: '', q: '' })}>Show All</Button>}
              >
                Nothing in the history of this instance matches.
              </EmptyState>
            ) : (
              <EmptyState icon={<History />} title="No History Yet">
                Every deploy is kept here, so you can compare or restore it.
              </EmptyState>
            )
          }
        />
      )}
      {restoring && <RestoreDialog version={restoring} onClose={() => setRestoring(undefined)} />}
      {rollingBack && <RollbackDialog snapshot={rollingBack} onClose={endRollback} />}
      {targeting && <TargetDialog instanceId={id} first={targeting} onClose={endTargeting} />}
    </>
  )
}

/** Up to two points to be compared, the third choice in the place of the first; the older is compared with the newer. */
function useComparing(rows: readonly HistoryPoint[] | undefined) {
  const { id } = useCurrentInstance()
  const navigate = useNavigate()
  const [kept, setKept] = useState<readonly string[]>([])
  const toggle = useCallback(
    (one: string) =>
      setKept((before) =>
        before.includes(one) ? before.filter((other) => other !== one) : [...before, one].slice(-2),
      ),
    [],
  )
  const compare = () => {
    const order = (rows ?? []).map(keptOf)
    const [newer, older] = kept.toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
    if (newer !== undefined) void navigate({ to: comparisonPath(id, newer, older) })
  }
  return { kept, toggle, compare }
}

/** The menu of a version or deployment, with what this person may do. */
function useMenu(onRestore: (version: FlowVersion) => void) {
  const { id } = useCurrentInstance()
  const mayRestore = useCan('project:edit')
  const mayView = useCan('project:flows:view')
  const menuOf = useCallback(
    ({ version, deployment }: HistoryPoint): MenuEntry[] => [
      ...(version && mayRestore
        ? [
            {
              label: 'Restore',
              icon: <RotateCcw size={15} aria-hidden />,
              obstacle: version.current ? 'These flows are in use.' : undefined,
              onSelect: () => onRestore(version),
            },
          ]
        : []),
      ...(version && mayView
        ? [
            {
              label: 'View and compare',
              icon: <Eye size={15} aria-hidden />,
              to: `/instance/${id}/versions/${version.id}`,
            },
            {
              label: 'Download Flows',
              icon: <Download size={15} aria-hidden />,
              onSelect: () => location.assign(versionFile(id, version.id)),
            },
          ]
        : []),
      ...(deployment?.before
        ? [
            {
              label: 'Snapshot before it',
              icon: <Camera size={15} aria-hidden />,
              to: `/instance/${id}/snapshots/${deployment.before}`,
            },
          ]
        : []),
    ],
    [id, mayRestore, mayView, onRestore],
  )
  return { menuOf }
}
