import { Navigate } from '@tanstack/react-router'
import { useCan } from '../../../lib/can.ts'
import { useCurrentInstance } from '../../instances/index.ts'

/** The address of the last part of the general settings [ISET-07]. */
export function DangerSettingsPage() {
  const { id } = useCurrentInstance()
  // Still drawn for a moment while the layout leads others away.
  if (!useCan('project:edit')) return null
  return <Navigate to="/instance/$instanceId/settings/general" params={{ instanceId: id }} hash="danger" replace />
}
