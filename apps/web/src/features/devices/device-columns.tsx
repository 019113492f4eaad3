import type { Device } from '@app/contract'
import { cn } from '../../lib/cn.ts'
import { RouterLink } from '../../ui/RouterLink.tsx'
import { RowMenu } from '../../ui/RowMenu.tsx'
import { selectColumn } from '../../ui/Selection.tsx'
import type { Column } from '../../ui/Table.tsx'
import type { Selection } from '../../ui/use-selection.ts'
import { DeployedSnapshot } from './components/DeployedSnapshot.tsx'
import { LastSeen } from './components/LastSeen.tsx'
import { LastStatus } from './components/LastStatus.tsx'
import { Tags } from './components/Tags.tsx'
import { type DeviceActions, menuOf } from './device-menu.tsx'

const link = (to: string, name: string) => (
  <RouterLink to={to} className="rounded-sm hover:underline sm:whitespace-nowrap">
    {name}
  </RouterLink>
)
const whose: Column<Device>[] = [
  {
    id: 'application',
    header: 'Application',
    spare: true,
    value: ({ application }) => application?.name,
    cell: ({ application }) => application && link(`/application/${application.id}/instances`, application.name),
  },
  {
    id: 'instance',
    header: 'Instance',
    value: ({ instance }) => instance?.name,
    cell: ({ instance }) => instance && link(`/instance/${instance.id}/overview`, instance.name),
  },
]
const runs: Column<Device>[] = [
  { id: 'snapshot', header: 'Deployed Snapshot', cell: (device) => <DeployedSnapshot device={device} /> },
]

/**
 * The columns of a list of devices, of a team or of one instance [DEV-10]; the menu stands in the last. With `onTag` there
 * is one of tags, each of which calls it.
 */
export function deviceColumns(
  of: 'team' | 'instance',
  actions: DeviceActions,
  select?: Selection,
  onTag?: (tag: string) => void,
): Column<Device>[] {
  const columns: Column<Device>[] = [
    ...(select ? [selectColumn<Device>(select)] : []),
    {
      id: 'name',
      header: 'Device',
      value: ({ name }) => name,
      cell: ({ name }) => (
        <span className={cn('block', name.length > 16 && ['sm:max-w-60 sm:min-w-32', !onTag && 'xl:max-w-72'])}>
          {name}
        </span>
      ),
    },
    {
      id: 'type',
      header: 'Type',
      value: ({ type }) => type,
      cell: ({ type }) =>
        type && (
          <span className="block break-words sm:line-clamp-2 sm:max-w-50" title={type}>
            {type}
          </span>
        ),
      spare: true,
    },
    ...(onTag
      ? [{ id: 'tags', header: 'Tags', spare: true, cell: ({ tags }: Device) => <Tags tags={tags} onChoose={onTag} /> }]
      : []),
    {
      id: 'seen',
      header: 'Last Seen',
      value: ({ lastSeenAt }) => lastSeenAt,
      cell: (device) => <LastSeen device={device} />,
      width: 'w-40',
    },
    {
      id: 'status',
      header: 'Last Known Status',
      cell: (device) => <LastStatus device={device} />,
      width: 'w-40',
    },
    ...(of === 'team' ? whose : runs),
  ]
  if (!actions.edit) return columns
  return [
    ...columns,
    {
      id: 'menu',
      header: '',
      align: 'end',
      width: 'w-14',
      cell: (device) => <RowMenu name={device.name} items={menuOf(device, actions)} />,
    },
  ]
}
