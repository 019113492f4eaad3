import type { Device } from '@app/contract'
import { TriangleAlert } from 'lucide-react'
import { Tooltip } from '../../../ui/Tooltip.tsx'

const late = 'Target snapshot has not yet been deployed to this device.'

/** The snapshot that a device runs, with a warning while it is not the target [DEV-47]. */
export function DeployedSnapshot({ device: { activeSnapshot, targetSnapshot } }: { device: Device }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      {activeSnapshot ? activeSnapshot.name || activeSnapshot.id : <span className="text-muted">none</span>}
      {activeSnapshot?.id !== targetSnapshot?.id && (
        <Tooltip content={late}>
          <button
            type="button"
            aria-label={late}
            className="inline-grid cursor-default place-items-center rounded-sm text-warn-text"
          >
            <TriangleAlert size={16} aria-hidden />
          </button>
        </Tooltip>
      )}
    </span>
  )
}
