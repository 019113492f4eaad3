import type { FlowVersion } from '@app/contract'
import { formatExact } from '../../../lib/dates.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Preview } from '../../deployments/index.ts'
import { useCurrentInstance } from '../instance-context.ts'
import { OpenEditorsNotice } from './OpenEditorsNotice.tsx'
import { useRestoreVersion } from '../versions.queries.ts'

/** Shows what the restore of a version changes before it is asked for. */
export function RestoreDialog({ version, onClose }: { version: FlowVersion; onClose: () => void }) {
  const { id, name } = useCurrentInstance()
  const { mutate: restore, isPending } = useRestoreVersion(id)
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Restore Version"
      description={
        <>
          <b>{name}</b> gets the flows of <b>{formatExact(version.createdAt)}</b> back, with the credentials of that
          time. If it runs, it restarts; when it does not come up, what is there now comes back. The flows that it has
          now stay in this list.
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" loading={isPending} onClick={() => restore(version, { onSettled: onClose })}>
            Restore
          </Button>
        </>
      }
    >
      <OpenEditorsNotice instance={{ id }} />
      <Preview instanceId={id} token={version.id} draft={{ version: version.id }} />
    </Dialog>
  )
}
