import { Navigate, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { useCurrentDevice } from '../device-context.ts'
import { useDeviceActions } from '../use-device-actions.tsx'

/** The end of a device [DEV-39] [DEV-40]. */
export function DeviceDangerPage() {
  const device = useCurrentDevice()
  const { id, name, team } = device
  usePageTitle('Danger', name)
  const navigate = useNavigate()
  const leave = useCallback(
    () => void navigate({ to: '/team/$slug/devices', params: { slug: team.slug }, replace: true }),
    [navigate, team.slug],
  )
  const { remove } = useDeviceActions(team.id, { team: team.id }, leave).actions
  if (!useCan('device:edit'))
    return <Navigate to="/device/$deviceId/settings/general" params={{ deviceId: id }} replace />
  return (
    <Card>
      <section className="flex flex-wrap items-center gap-x-6 gap-y-3 p-4">
        <div className="min-w-60 flex-1">
          <h2 className="text-base font-semibold">Delete Device</h2>
          <p className="text-md text-muted">Stops its flows and revokes its credentials. This cannot be undone.</p>
        </div>
        <Button variant="danger" disabled={!remove} onClick={() => remove?.(device)}>
          Delete Device
        </Button>
      </section>
    </Card>
  )
}
