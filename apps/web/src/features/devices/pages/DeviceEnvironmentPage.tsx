import { Failure } from '../../../lib/api-failure.tsx'
import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { VariablesForm } from '../../instance-settings/index.ts'
import { useCurrentDevice } from '../device-context.ts'
import { useSaveVariables } from '../devices.actions.ts'
import { useDeviceVariables } from '../devices.queries.ts'

/** The environment variables of a device; they win over those of its snapshot [DSET-06]. */
export function DeviceEnvironmentPage() {
  const { id, name } = useCurrentDevice()
  usePageTitle('Environment', name)
  const mayEdit = useCan('device:edit-env')
  const { data: env, error, refetch } = useDeviceVariables(id)
  const { mutateAsync: save, isPending } = useSaveVariables(id)
  if (error && !env) return <Failure error={error} onRetry={() => void refetch()} needs="Viewer" />
  if (!env) return <SkeletonCard rows={5} />
  const tell = (sent: Parameters<typeof save>[0]) =>
    save(sent).then(
      () => true,
      () => false,
    )
  return <VariablesForm env={env} mayEdit={mayEdit} saving={isPending} onSave={tell} />
}
