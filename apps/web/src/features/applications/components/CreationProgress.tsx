import { ButtonLink } from '../../../ui/Button.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { EditorButton, InstanceStatus, JobSteps, useInstance, useJobs } from '../../instances/index.ts'
import { useVisiting } from '../../teams/index.ts'

/** Progress of the creation of an instance; the address names it, so that it survives a reload. */
export function CreationProgress({ instanceId }: { instanceId: string }) {
  const visiting = useVisiting()
  const { data: instance } = useInstance(instanceId)
  const { data, isLoading } = useJobs(instanceId)
  const job = data?.jobs.find(({ kind }) => kind === 'instance.create')
  if (isLoading) return <SkeletonCard rows={3} />
  // An instance that is gone, or of long ago, has nothing to tell.
  if (!job || !instance) return null
  return (
    <JobSteps
      title={instance.name}
      job={job}
      badge={<InstanceStatus instance={instance} />}
      end={
        job.endedAt && (
          <>
            <ButtonLink to={`/instance/${instanceId}/overview`} size="sm">
              Go to the instance
            </ButtonLink>
            {job.state === 'done' && <EditorButton instance={instance} visiting={visiting} />}
          </>
        )
      }
    />
  )
}
