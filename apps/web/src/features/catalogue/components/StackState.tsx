import type { Stack } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { Badge, type Tone } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Progress } from '../../../ui/Progress.tsx'
import { isMoving, stackJobsQuery, usePrepareStack } from '../catalogue.admin.queries.ts'

const looks: Record<Stack['meta']['state'], [Tone, string]> = {
  waiting: ['idle', 'waiting'],
  installing: ['busy', 'installing'],
  verifying: ['busy', 'starting on trial'],
  ready: ['ok', 'ready'],
  failed: ['bad', 'failed'],
}

/** Progress of fetching and trying a stack; what went wrong, and the way to try again. */
export function StackState({ stack }: { stack: Stack }) {
  const { state, reason } = stack.meta
  const [tone, word] = looks[state]
  return (
    <div className="flex min-w-0 flex-col items-start gap-1.5 max-sm:items-end">
      <Badge tone={tone} turning={state === 'installing' || state === 'verifying'}>
        {word}
      </Badge>
      {isMoving(stack) && <Preparation stackId={stack.id} />}
      {state === 'failed' && <Failed id={stack.id} reason={reason} />}
    </div>
  )
}

function Preparation({ stackId }: { stackId: string }) {
  const { data } = useQuery(stackJobsQuery(stackId, true))
  const step = data?.jobs[0]?.steps.find(({ state }) => state === 'running')
  if (!step) return null
  const counted = step.done !== undefined && step.total
  return (
    <div className="w-full max-w-60">
      <p className="text-sm text-muted">{step.text ?? step.name}</p>
      <div className="mt-1">
        <Progress label="Preparation" {...(counted ? { value: step.done, max: step.total ?? 1 } : {})} />
      </div>
    </div>
  )
}

function Failed({ id, reason }: { id: string; reason: string | undefined }) {
  const { mutate, isPending } = usePrepareStack()
  return (
    <>
      {reason && <p className="text-sm break-words whitespace-normal text-bad-text">{reason}</p>}
      <Button size="sm" icon={<RotateCw size={14} aria-hidden />} loading={isPending} onClick={() => mutate(id)}>
        Try again
      </Button>
    </>
  )
}
