import type { TakeoverPlan } from '@app/contract'
import { takeoverWords } from '../takeover-text.ts'

/** How a new version would take over from the one that serves, and why so. */
export function TakeoverNote({ plan }: { plan: TakeoverPlan | undefined }) {
  if (!plan) return null
  const { name, means } = takeoverWords[plan.way]
  return (
    <p className="text-sm text-muted">
      <b>Takeover: {name}.</b> {means} {plan.why}
    </p>
  )
}
