import type { TakeoverPlan } from '@app/contract'
import { takeoverWords } from '../takeover-text.ts'

/** Takeover plan of a new version, with the reason. `on`: only on these devices. */
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
