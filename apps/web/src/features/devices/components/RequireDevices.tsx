import { Cpu } from 'lucide-react'
import type { ReactNode } from 'react'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { useFeatures } from '../../teams/index.ts'

/** Around the pages of devices: the platform, or the team, may run without them. */
export function RequireDevices({ teamId, children }: { teamId: string; children: ReactNode }) {
  if (useFeatures(teamId)?.['devices'] !== false) return children
  return (
    <EmptyState icon={<Cpu />} title="Devices are not available">
      This platform or the type of this team leaves them out. Ask an administrator if your team needs them.
    </EmptyState>
  )
}
