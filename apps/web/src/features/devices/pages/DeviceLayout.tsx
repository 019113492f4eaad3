import { Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { ChevronDown, Code, Cpu, Zap } from 'lucide-react'
import { useCallback, useState } from 'react'
import { hasStatus } from '../../../lib/api.ts'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { StatusHeader } from '../../../shell/StatusHeader.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Loading } from '../../../ui/Loading.tsx'
import { Menu, type MenuEntry } from '../../../ui/Menu.tsx'
import { TextLink } from '../../../ui/TextLink.tsx'
import { useSettings } from '../../account/index.ts'
import { TeamAccess } from '../../teams/index.ts'
import { DeveloperModeDialog } from '../components/DeveloperModeDialog.tsx'
import { RequireDevices } from '../components/RequireDevices.tsx'
import { EditorLink } from '../components/EditorAccess.tsx'
import { LastSeen } from '../components/LastSeen.tsx'
import { LastStatus } from '../components/LastStatus.tsx'
import { DeviceContext, useCurrentDevice } from '../device-context.ts'
import { menuOf } from '../device-menu.tsx'
import { useDevice } from '../devices.queries.ts'
import { useDeviceActions } from '../use-device-actions.tsx'
import { useFlowEntries } from '../use-flow-entries.tsx'

/** Around every page of a device. */
export function DeviceLayout() {
  const { deviceId } = useParams({ from: '/platform/device/$deviceId' })
  const { data: device, error, refetch } = useDevice(deviceId)
  const loading = <Loading message="Loading Device..." />
  if (error && (!device || hasStatus(error, 404))) return <PageFailure error={error} onRetry={() => void refetch()} />
  if (!device) return loading
  return (
    <RequireDevices teamId={device.team.id}>
      <DeviceContext value={device}>
        <TeamAccess teamId={device.team.id} applicationId={device.application?.id} loading={loading}>
          <Header />
          <Outlet />
        </TeamAccess>
      </DeviceContext>
    </RequireDevices>
  )
}

/** Name and state of a device, the instance it belongs to, what can be done with it, and its pages. */
function Header() {
  const device = useCurrentDevice()
  const { id, name, instance, team } = device
  const hasLogs = useSettings()?.features['projectComms'] === true
  const [isSwitching, setSwitching] = useState(false)
  const navigate = useNavigate()
  const leave = useCallback(
    () => void navigate({ to: '/team/$slug/devices', params: { slug: team.slug }, replace: true }),
    [navigate, team.slug],
  )
  const { actions, dialog } = useDeviceActions(team.id, { team: team.id }, leave)
  const flows = useFlowEntries(device)
  const entries: MenuEntry[] = [
    ...flows,
    ...(flows.length > 0 && actions.edit ? ['divider' as const] : []),
    ...menuOf(device, actions),
  ]
  return (
    <>
      <StatusHeader
        label="Device"
        breadcrumb={[{ label: 'Devices', to: `/team/${team.slug}/devices`, icon: <Cpu size={16} aria-hidden /> }]}
        title={name}
        badge={
          <>
            <LastSeen device={device} />
            <LastStatus device={device} />
            {instance ? (
              <TextLink to={`/instance/${instance.id}/overview`}>{instance.name}</TextLink>
            ) : (
              <span className="text-muted">Device Not Assigned to an Instance</span>
            )}
          </>
        }
        actions={
          <>
            <EditorLink device={device} />
            {actions.edit && (
              <Button
                icon={<Code size={16} aria-hidden />}
                aria-pressed={device.mode === 'developer'}
                onClick={() => setSwitching(true)}
              >
                Developer Mode
              </Button>
            )}
            {entries.length > 0 && (
              <Menu
                items={entries}
                trigger={
                  <Button icon={<Zap size={16} aria-hidden />}>
                    Actions
                    <ChevronDown size={16} aria-hidden />
                  </Button>
                }
              />
            )}
          </>
        }
        tabs={[
          { to: `/device/${id}/overview`, label: 'Overview' },
          { to: `/device/${id}/audit-log`, label: 'Audit Log' },
          ...(hasLogs ? [{ to: `/device/${id}/logs`, label: 'Logs' }] : []),
          { to: `/device/${id}/settings`, label: 'Settings' },
        ]}
      />
      {dialog}
      {isSwitching && <DeveloperModeDialog device={device} onClose={() => setSwitching(false)} />}
    </>
  )
}
