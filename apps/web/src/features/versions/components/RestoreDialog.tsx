import type { FlowVersion } from '@app/contract'
import { formatExact } from '../../../lib/dates.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Direction } from '../../../ui/Direction.tsx'
import { DeployButton, Preview, useInstall, usePreview } from '../../deployments/index.ts'
import { OpenEditorsNotice, useCurrentInstance } from '../../instances/index.ts'
import { useRestoreVersion } from '../versions.queries.ts'

/** Shows what the restore of a version changes before it is asked for. */
export function RestoreDialog({ version, onClose }: { version: FlowVersion; onClose: () => void }) {
  const { id, name } = useCurrentInstance()
  const draft = { version: version.id }
  const preview = usePreview(id, version.id, draft)
  const install = useInstall(preview.data?.foreseen)
  const { mutate: restore, isPending } = useRestoreVersion(id)
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Restore Version"
      description={
        <>
          Replaces the flows and credentials of <b>{name}</b> with those of <b>{formatExact(version.createdAt)}</b>. A
          running instance restarts. The current flows stay in this list, and are restored if it does not start.
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <DeployButton
            verb="Restore"
            choice={install}
            disabled={preview.isPending}
            loading={isPending}
            onClick={() => restore({ id: version.id, ...install.sent }, { onSettled: onClose })}
          />
        </>
      }
    >
      <Direction
        from={{ name: formatExact(version.createdAt), note: 'Version' }}
        to={{ name, note: 'Current flows' }}
      />
      <OpenEditorsNotice instance={{ id }} />
      <Preview instanceId={id} token={version.id} draft={draft} install={install} />
    </Dialog>
  )
}
