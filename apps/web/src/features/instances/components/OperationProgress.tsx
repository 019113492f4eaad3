import { useNow } from '../../../lib/use-now.ts'
import { useJobs } from '../instances.queries.ts'
import { JobSteps } from './JobSteps.tsx'

/** Time that the end of an operation stays on the page, in ms. */
const lingers = 60_000

/** The operation under way, the one that has just ended, or the last one when it failed. */
export function OperationProgress({ instanceId }: { instanceId: string }) {
  const { data } = useJobs(instanceId)
  const now = useNow(15_000)
  const job = data?.jobs[0]
  if (!job) return null
  const isOver = job.endedAt !== undefined && Date.parse(job.endedAt) + lingers < now
  return isOver && job.state !== 'failed' ? null : <JobSteps job={job} />
}
