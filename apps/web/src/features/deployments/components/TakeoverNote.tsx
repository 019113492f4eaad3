import type { TakeoverPlan } from '@app/contract'
import { takeoverWords } from '../takeover-text.ts'

/** How a new version would take over from the one that serves, and why so. `on`: only on these devices. */
export function TakeoverNote({ plan, on }: { plan: TakeoverPlan | undefined; on?: string | undefined }) {
  if (!plan) return null
  const { name, means } = takeoverWords[plan.way]
  return (
    <p className="text-sm text-muted">
      <b>
        Takeover{on !== undefined && ` on ${on}`}: {name}.
      </b>{' '}
      {means} {plan.why}
    </p>
  )
}
