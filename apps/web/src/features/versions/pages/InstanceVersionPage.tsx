import type { FlowVersion } from '@app/contract'
import { useParams } from '@tanstack/react-router'
import { Download, History, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { useCan } from '../../../lib/can.ts'
import { formatExact } from '../../../lib/dates.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQueryText } from '../../../lib/use-query-state.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Loading } from '../../../ui/Loading.tsx'
import { EntryHeader } from '../../../ui/PageHeader.tsx'
import { Compared, ComparedWith, comparisonOf } from '../../deployments/index.ts'
import { useCurrentInstance } from '../../instances/index.ts'
import { RestoreDialog } from '../components/RestoreDialog.tsx'
import { originOf, whoOf } from '../version-text.ts'
import { useVersionChanges, useVersions, versionFile } from '../versions.queries.ts'

/** One version of the flows: its differences from the one before it, from another one or from the current flows. */
export function InstanceVersionPage() {
  const { id, name } = useCurrentInstance()
  const { versionId } = useParams({ from: '/platform/instance/$instanceId/versions/$versionId' })
  const { data: versions, error, refetch } = useVersions(id)
  const mayRestore = useCan('project:edit')
  const [restoring, setRestoring] = useState(false)
  usePageTitle('Version', name)
  if (error && !versions) return <PageFailure error={error} onRetry={() => void refetch()} />
  if (!versions) return <Loading message="Loading Version..." />
  const at = versions.findIndex((one) => one.id === versionId)
  const version = versions[at]
  return (
    <div className="flex flex-col gap-4">
      <EntryHeader
        list={{ to: `/instance/${id}/history`, label: 'History' }}
        title={
          version && (
            <span className="flex flex-wrap items-center gap-2">
              Version of {formatExact(version.createdAt)} {version.current && <Badge tone="ok">current</Badge>}
            </span>
          )
        }
      >
        {version && (
          <>
            <Button
              icon={<Download size={14} aria-hidden />}
              onClick={() => location.assign(versionFile(id, version.id))}
            >
              Download Flows
            </Button>
            {mayRestore && !version.current && (
              <Button variant="primary" icon={<RotateCcw size={14} aria-hidden />} onClick={() => setRestoring(true)}>
                Restore
              </Button>
            )}
          </>
        )}
      </EntryHeader>
      {version ? (
        <>
          <p className="text-muted">{[originOf(version), whoOf(version, name)].filter(Boolean).join(' · ')}</p>
          <VersionCompared version={version} versions={versions} before={earlierThan(versions, at)} />
          {restoring && <RestoreDialog version={version} onClose={() => setRestoring(false)} />}
        </>
      ) : (
        <EmptyState icon={<History />} title="Version Not Kept">
          The newest 50 versions are kept. This one is no longer among them.
        </EmptyState>
      )}
    </div>
  )
}

/** The version that this one was made from, if that is still kept; refused ones never were the flows of the instance. */
const earlierThan = (versions: readonly FlowVersion[], at: number) =>
  versions.slice(at + 1).find(({ kind }) => kind !== 'refused')?.id

/** Stands for the current flows where the id of a version could stand. */
const now = 'now'

function VersionCompared({
  version,
  versions,
  before = now,
}: {
  version: FlowVersion
  versions: readonly FlowVersion[]
  before: string | undefined
}) {
  const { id: instanceId } = useCurrentInstance()
  // In the address, so that a comparison can be sent to others.
  const [chosen, setFrom] = useQueryText('from')
  const from = chosen === '' ? before : chosen
  const answer = useVersionChanges(instanceId, version.id, from === now ? undefined : from)
  return (
    <Compared
      {...comparisonOf(answer)}
      title="Compared with"
      end={
        <ComparedWith
          value={from}
          onChange={setFrom}
          options={[
            { value: now, label: 'Current flows' },
            ...versions
              .filter(({ id }) => id !== version.id)
              .map(({ id, createdAt }) => ({
                value: id,
                label: `${formatExact(createdAt)}${id === before ? ' (previous)' : ''}`,
              })),
          ]}
          link={`${location.origin}${location.pathname}?from=${from}`}
        />
      }
    />
  )
}
