import { Cpu } from 'lucide-react'
import type { ReactNode } from 'react'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { useSettings } from '../../account/index.ts'

/** Around the pages of devices: the platform may run without them. */
export function RequireDevices({ children }: { children: ReactNode }) {
  if (useSettings()?.features['devices'] !== false) return children
  return (
    <EmptyState icon={<Cpu />} title="Devices are not available">
      This platform runs without them. Ask an administrator if your team needs them.
    </EmptyState>
  )
}
