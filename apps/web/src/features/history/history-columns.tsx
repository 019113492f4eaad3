import type { HistoryPoint } from '@app/contract'
import { Camera, Copy, FileUp, History, PencilLine, RotateCcw, Rocket, ServerCog, TriangleAlert } from 'lucide-react'
import { formatExact } from '../../lib/dates.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import type { MenuEntry } from '../../ui/Menu.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { RowMenu } from '../../ui/RowMenu.tsx'
import type { Column } from '../../ui/Table.tsx'
import { changesText, endText, endTone } from '../deployments/index.ts'
import { VersionChanges } from '../versions/index.ts'
import { keptOf, titleOfPoint, whoOfPoint } from './history-text.ts'

const icons = {
  push: Rocket,
  rollback: RotateCcw,
  restore: RotateCcw,
  import: FileUp,
  stack: ServerCog,
  duplicate: Copy,
} as const

function PointIcon({ version, deployment, snapshot }: HistoryPoint) {
  const Icon = deployment
    ? icons[deployment.kind]
    : snapshot
      ? Camera
      : version?.kind === 'refused'
        ? TriangleAlert
        : version?.kind === 'deploy'
          ? PencilLine
          : History
  return <Icon size={15} className="flex-none text-muted" aria-hidden />
}

/** Which points are chosen to be compared, by what they keep. */
export interface Chosen {
  kept: readonly string[]
  toggle: (kept: string) => void
}

interface Shown {
  /** The name of the instance. */
  instance: string
  chosen: Chosen
  /** The page of the differences of a version, for whom it is. */
  pageOf: (point: HistoryPoint) => string | undefined
  menuOf: (point: HistoryPoint) => MenuEntry[]
}

/** The columns of the history of an instance, the last with the menu of each point. */
export function historyColumns({ instance, chosen, pageOf, menuOf }: Shown): Column<HistoryPoint>[] {
  return [
    {
      id: 'select',
      header: 'Select',
      control: true,
      width: 'w-10',
      cell: (point) => {
        const kept = keptOf(point)
        return (
          kept !== undefined && (
            <Checkbox
              checked={chosen.kept.includes(kept)}
              onChange={() => chosen.toggle(kept)}
              label={<span className="sr-only">Select {titleOfPoint(point)} to compare</span>}
            />
          )
        )
      },
    },
    {
      id: 'what',
      header: 'What',
      value: titleOfPoint,
      cell: (point) => (
        <span className="inline-flex min-w-0 flex-wrap items-center gap-2 break-words">
          <PointIcon {...point} />
          {titleOfPoint(point)}
          {point.version?.current && <Badge tone="ok">current</Badge>}
          {point.deployment && endText(point.deployment) !== 'done' && (
            <Badge tone={endTone(point.deployment)}>{endText(point.deployment)}</Badge>
          )}
        </span>
      ),
    },
    { id: 'who', header: 'By', value: (point) => whoOfPoint(point, instance), width: 'w-40' },
    {
      id: 'changes',
      header: 'Changes',
      cell: (point) => <PointChanges point={point} page={pageOf(point)} />,
    },
    {
      id: 'created',
      header: 'When',
      value: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <RelativeTime time={createdAt} />,
      width: 'w-40',
    },
    {
      id: 'menu',
      header: '',
      align: 'end',
      width: 'w-14',
      cell: (point) => {
        const items = menuOf(point)
        return (
          items.length > 0 && (
            <RowMenu name={`${titleOfPoint(point)} of ${formatExact(point.createdAt)}`} items={items} />
          )
        )
      },
    },
  ]
}

function PointChanges({ point, page }: { point: HistoryPoint; page: string | undefined }) {
  const { version, deployment, snapshot } = point
  // Nothing at all where there is no description: a card then leaves out the name of the column.
  if (snapshot) return snapshot.description && <span className="text-muted">{snapshot.description}</span>
  if (!deployment) return <VersionChanges changes={version?.changes} page={page} />
  // Its version tells of the nodes by tab.
  const rest = changesText(version?.changes ? { ...deployment.changes, nodes: noNodes } : deployment.changes)
  if (!version?.changes) return rest.join(' · ') || <span className="text-muted">Nothing</span>
  return (
    <div className="max-sm:text-right">
      <VersionChanges changes={version.changes} page={page} />
      {rest.length > 0 && <div className="text-sm">{rest.join(' · ')}</div>}
    </div>
  )
}

const noNodes = { added: 0, changed: 0, moved: 0, removed: 0 }
