import type { Job, JobStep } from '@app/contract'
import type { ReactNode } from 'react'
import { ordinal } from '../../../lib/plural.ts'
import { Steps, type Step } from '../../../ui/Steps.tsx'

const states = { waiting: 'todo', running: 'now', done: 'done', failed: 'failed' } as const
const ms = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time))

/** An operation with its named steps, while it runs and after. */
export function JobSteps({
  job,
  title,
  badge,
  end,
}: {
  job: Job
  /** In place of the job's own title: the thing it is about. */
  title?: ReactNode
  badge?: ReactNode
  end?: ReactNode
}) {
  return (
    <Steps
      title={title ?? job.title}
      badge={badge}
      waiting={job.queuePosition === undefined ? undefined : `${ordinal(job.queuePosition)} in the queue`}
      startedAt={ms(job.startedAt ?? job.createdAt)}
      endedAt={ms(job.endedAt)}
      steps={job.steps.map((step) => toStep(step, job.error))}
      end={end}
    />
  )
}

/** A step of an operation as it is drawn; the reason stands at the one that failed. */
export function toStep(step: JobStep, jobError: string | undefined): Step {
  const [start, end] = [ms(step.startedAt), ms(step.endedAt)]
  return {
    id: step.name,
    label: step.name,
    state: states[step.state],
    took: start !== undefined && end !== undefined ? end - start : undefined,
    progress: step.done !== undefined && step.total ? { value: step.done, max: step.total } : undefined,
    note: step.state === 'failed' ? (jobError ?? step.text) : step.text,
  }
}
