import type { FlowVersion } from '@app/contract'
import { Download, Ellipsis, History, RotateCcw } from 'lucide-react'
import { useMemo, useState } from 'react'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { useCan } from '../../../lib/can.ts'
import { formatExact } from '../../../lib/dates.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { SectionTitle } from '../../../ui/PageHeader.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { RestoreDialog } from '../components/RestoreDialog.tsx'
import { VersionChanges } from '../components/VersionChanges.tsx'
import { useCurrentInstance } from '../instance-context.ts'
import { originOf, whoOf } from '../version-text.ts'
import { useVersions, versionFile } from '../versions.queries.ts'

const columnsOf = (instance: string, pageOf: (id: string) => string | undefined): Column<FlowVersion>[] => [
  {
    id: 'created',
    header: 'When',
    value: ({ createdAt }) => createdAt,
    cell: ({ createdAt, current }) => (
      <span className="inline-flex flex-wrap items-center gap-2">
        <RelativeTime time={createdAt} />
        {current && <Badge tone="ok">current</Badge>}
      </span>
    ),
    width: 'w-52',
  },
  {
    id: 'origin',
    header: 'What',
    value: originOf,
    cell: (version) => (
      <span className={version.kind === 'refused' ? 'text-warn-text' : undefined}>{originOf(version)}</span>
    ),
  },
  { id: 'user', header: 'Who', value: (version) => whoOf(version, instance), width: 'w-44' },
  { id: 'nodes', header: 'Nodes', value: ({ nodes }) => nodes, align: 'end', width: 'w-24' },
  {
    id: 'changes',
    header: 'Changed nodes',
    cell: ({ id, changes }) => <VersionChanges changes={changes} page={pageOf(id)} />,
  },
]

/** Every kept version of the flows of an instance, and the way back to each. */
export function InstanceVersionsPage() {
  const { id, name } = useCurrentInstance()
  usePageTitle('Versions', name)
  const mayRestore = useCan('project:edit')
  const mayView = useCan('project:flows:view')
  const { data, error, refetch } = useVersions(id)
  const [restoring, setRestoring] = useState<FlowVersion>()
  const all = useMemo((): Column<FlowVersion>[] => {
    return [
      ...columnsOf(name, (version) => (mayView ? `/instance/${id}/versions/${version}` : undefined)),
      {
        id: 'actions',
        header: '',
        width: 'w-14',
        cell: (version) => (
          <Menu
            items={[
              {
                label: 'Download Flows',
                icon: <Download size={16} aria-hidden />,
                onSelect: () => location.assign(versionFile(id, version.id)),
              },
              ...(mayRestore
                ? [
                    {
                      label: 'Restore',
                      icon: <RotateCcw size={16} aria-hidden />,
                      disabled: version.current,
                      onSelect: () => setRestoring(version),
                    },
                  ]
                : []),
            ]}
            trigger={
              <IconButton size="sm" label={`Actions for the version of ${formatExact(version.createdAt)}`}>
                <Ellipsis size={16} aria-hidden />
              </IconButton>
            }
          />
        ),
      },
    ]
  }, [id, name, mayRestore, mayView])
  if (error && !data) return <PageFailure error={error} onRetry={() => void refetch()} />
  return (
    <>
      {restoring && <RestoreDialog version={restoring} onClose={() => setRestoring(undefined)} />}
      <SectionTitle title="Versions" note="Every deploy, kept so you can compare or restore it." />
      <Table
        label="Versions"
        rows={data}
        columns={all}
        rowId={(version) => version.id}
        empty={
          <EmptyState icon={<History />} title="No Versions Yet">
            Whenever somebody deploys, the flows are kept here, so that you can go back to them.
          </EmptyState>
        }
      />
    </>
  )
}
