import type { Stage } from '@app/contract'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Direction } from '../../../ui/Direction.tsx'
import { Changes, DeployButton, ForeseenList, TakeoverNote, useInstall } from '../../deployments/index.ts'
import { OpenEditorsNotice } from '../../instances/index.ts'
import { usePush, useStageChanges } from '../pipelines.queries.ts'

/** Shows what running a stage changes before it is asked for. */
export function PushDialog({
  applicationId,
  pipelineId,
  source,
  target,
  onClose,
}: {
  applicationId: string
  pipelineId: string
  source: Stage
  target: Stage
  onClose: () => void
}) {
  const changes = useStageChanges(pipelineId, source.id)
  const { mutate: push, isPending } = usePush(applicationId, source, target)
  const { data } = changes
  const install = useInstall(data?.foreseen)
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={`Push to "${target.name}"?`}
      description={
        <>
          Replaces the flows, credentials and modules of <b>{target.instances[0]?.name}</b> with those from{' '}
          <b>{source.instances[0]?.name}</b>. Missing variables are added without values; settings stay. A snapshot is
          taken first, and restored if <b>{target.instances[0]?.name}</b> does not start.
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <DeployButton
            verb="Push"
            choice={install}
            disabled={!data}
            loading={isPending}
            onClick={() =>
              data &&
              push({ seen: data.seen, ...install.sent }, { onSuccess: onClose, onError: () => void changes.refetch() })
            }
          />
        </>
      }
    >
      <Direction
        from={{ name: source.name, note: source.instances[0]?.name }}
        to={{ name: target.name, note: target.instances[0]?.name }}
      />
      {target.instances[0] && <OpenEditorsNotice instance={target.instances[0]} />}
      {data?.notes.map((note) => (
        <Banner key={note} kind="warning">
          {note}
        </Banner>
      ))}
      <TakeoverNote plan={data?.takeover} />
      {data && <ForeseenList foreseen={data.foreseen} install={install} />}
      <Changes
        changes={data?.difference}
        drawing={data?.drawing}
        was={data?.was}
        error={changes.error}
        onRetry={() => void changes.refetch()}
      />
    </Dialog>
  )
}
