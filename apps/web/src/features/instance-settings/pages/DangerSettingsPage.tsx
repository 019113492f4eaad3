import { Navigate } from '@tanstack/react-router'
import { useCurrentInstance } from '../../instances/index.ts'

/** The address of the last part of the general settings [ISET-07]. */
export function DangerSettingsPage() {
  const { id } = useCurrentInstance()
  return <Navigate to="/instance/$instanceId/settings/general" params={{ instanceId: id }} hash="danger" replace />
}
