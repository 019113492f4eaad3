import type { Snapshot } from '@app/contract'
import { Cpu, Download, Eye, MoreHorizontal, RotateCcw, Trash2 } from 'lucide-react'
import { plural } from '../../lib/plural.ts'
import { Tag } from '../../ui/Badge.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu, type MenuEntry } from '../../ui/Menu.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import type { Column } from '../../ui/Table.tsx'

/** Actions on a snapshot; an absent one is not for this person. */
export interface SnapshotActions {
  view(snapshot: Snapshot): void
  rollback?: ((snapshot: Snapshot) => void) | undefined
  /** Have the devices of the instance run it. */
  target?: ((snapshot: Snapshot) => void) | undefined
  download?: ((snapshot: Snapshot) => void) | undefined
  remove?: ((snapshot: Snapshot) => void) | undefined
}

/** The columns of the list of snapshots, the last with the menu of each. */
export function snapshotColumns(actions: SnapshotActions): Column<Snapshot>[] {
  return [
    {
      id: 'name',
      header: 'Snapshot',
      value: ({ name }) => name,
      cell: ({ name, automatic, deviceCount }) => (
        <span className="inline-flex min-w-0 flex-wrap items-center gap-2 break-words">
          {name}
          {automatic && <Tag>automatic</Tag>}
          {deviceCount > 0 && <Tag>{plural(deviceCount, 'device')}</Tag>}
        </span>
      ),
    },
    {
      id: 'user',
      header: 'Created By',
      value: ({ user }) => user?.name ?? 'Platform',
      cell: ({ user }) => user?.name ?? <span className="text-muted">Platform</span>,
      width: 'w-44',
    },
    {
      id: 'created',
      header: 'Date Created',
      value: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <RelativeTime time={createdAt} />,
      searchable: false,
      width: 'w-44',
    },
    {
      id: 'menu',
      header: '',
      align: 'end',
      width: 'w-14',
      cell: (snapshot) => (
        <Menu
          label={`Actions on ${snapshot.name}`}
          trigger={
            <IconButton size="sm" label={`Actions on ${snapshot.name}`}>
              <MoreHorizontal size={16} aria-hidden />
            </IconButton>
          }
          items={menuOf(snapshot, actions)}
        />
      ),
    },
  ]
}

/** The menu of a snapshot, with the actions of this person. */
export function menuOf(snapshot: Snapshot, { view, rollback, target, download, remove }: SnapshotActions): MenuEntry[] {
  return [
    ...(rollback
      ? [{ label: 'Rollback', icon: <RotateCcw size={15} aria-hidden />, onSelect: () => rollback(snapshot) }]
      : []),
    { label: 'View and compare', icon: <Eye size={15} aria-hidden />, onSelect: () => view(snapshot) },
    ...(target
      ? [{ label: 'Set as Device Target', icon: <Cpu size={15} aria-hidden />, onSelect: () => target(snapshot) }]
      : []),
    ...(download
      ? [
          {
            label: 'Download package.json',
            icon: <Download size={15} aria-hidden />,
            onSelect: () => download(snapshot),
          },
        ]
      : []),
    ...(remove
      ? [
          'divider' as const,
          {
            label: 'Delete Snapshot',
            icon: <Trash2 size={15} aria-hidden />,
            danger: true,
            onSelect: () => remove(snapshot),
          },
        ]
      : []),
  ]
}
