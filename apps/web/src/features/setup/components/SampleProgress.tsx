import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ButtonLink } from '../../../ui/Button.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { JobSteps, useJobs } from '../../instances/index.ts'

/** Third step: the sample instance comes up; then the person goes into it. */
export function SampleProgress({ instanceId }: { instanceId: string }) {
  const navigate = useNavigate()
  const { data } = useJobs(instanceId)
  const job = data?.jobs[0]
  const to = `/instance/${instanceId}/overview`
  const done = job?.state === 'done'
  useEffect(() => {
    if (done) void navigate({ to, replace: true })
  }, [done, navigate, to])
  if (!job) return <SkeletonCard rows={3} />
  return <JobSteps job={job} end={<ButtonLink to={to}>Go to the instance</ButtonLink>} />
}
