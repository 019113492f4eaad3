import { Outlet, useParams } from '@tanstack/react-router'
import { hasStatus } from '../../../lib/api.ts'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { Loading } from '../../../ui/Loading.tsx'
import { TeamAccess } from '../../teams/index.ts'
import { InstanceHeader } from '../components/InstanceHeader.tsx'
import { StateNotice } from '../components/StateNotice.tsx'
import { InstanceContext } from '../instance-context.ts'
import { useDeletion } from '../instances.actions.ts'
import { useInstance } from '../instances.queries.ts'

/** Around every page of an instance. */
export function InstanceLayout() {
  const { instanceId: id } = useParams({ from: '/platform/instance/$instanceId' })
  const { data: instance, error, refetch } = useInstance(id)
  const { remove, deleting } = useDeletion(id, instance?.application.id)
  if (deleting) return <Loading message="Deleting Instance..." />
  if (error && (!instance || hasStatus(error, 404))) return <PageFailure error={error} onRetry={() => void refetch()} />
  if (!instance) return <Loading message="Loading Instance..." />
  return (
    <InstanceContext value={instance}>
      <TeamAccess
        teamId={instance.team.id}
        applicationId={instance.application.id}
        loading={<Loading message="Loading Instance..." />}
      >
        <InstanceHeader onDelete={remove} />
        <StateNotice instance={instance} />
        <Outlet />
      </TeamAccess>
    </InstanceContext>
  )
}
