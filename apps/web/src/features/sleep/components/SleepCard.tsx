import type { Instance, Sleep } from '@app/contract'
import { Moon } from 'lucide-react'
import { useCan } from '../../../lib/can.ts'
import { plural } from '../../../lib/plural.ts'
import { Card } from '../../../ui/Card.tsx'
import { Switch } from '../../../ui/Checkbox.tsx'
import { Select } from '../../../ui/Select.tsx'
import { useSleepSetting } from '../sleep.queries.ts'

const choices = [
  [300, '5 minutes'],
  [900, '15 minutes'],
  [1800, '30 minutes'],
  [3600, '1 hour'],
  [14_400, '4 hours'],
  [86_400, '1 day'],
] as const

/** Whether the instance falls asleep when nobody asks it anything, and why it does not. */
export function SleepCard({ instance: { id, settings, template, sleepObstacle } }: { instance: Instance }) {
  const { mutate, isPending, variables } = useSleepSetting(id)
  const may = useCan('project:edit')
  const policy = (template.policy.sleep ?? {}) as Partial<Record<keyof Sleep, boolean>>
  const now: Sleep = { enabled: false, after: 1800, ...settings.sleep, ...(isPending ? variables : {}) }
  const known = choices.some(([after]) => after === now.after)
  const options = [...(known ? [] : [[now.after, plural(now.after, 'second')] as const]), ...choices]
  const help = policy.enabled
    ? 'Suspends when idle. The next request starts it, and waits.'
    : 'The template of this instance decides.'
  return (
    <Card title="Sleep" icon={<Moon size={16} aria-hidden className="text-muted" />}>
      <div className="flex flex-col gap-3 p-4">
        <Switch
          label="Sleep when idle"
          help={help}
          checked={now.enabled}
          disabled={!may || !policy.enabled}
          onChange={(enabled) => mutate({ ...now, enabled })}
        />
        {now.enabled && (
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
            <span className="text-muted">When there are no requests for</span>
            <Select
              inline
              label="Idle time"
              value={String(now.after)}
              disabled={!may || !policy.after}
              options={options.map(([after, label]) => ({ value: String(after), label }))}
              onChange={(after) => mutate({ ...now, after: Number(after) })}
            />
          </div>
        )}
        {now.enabled && sleepObstacle && (
          <p role="status" className="text-warn-text">
            <b>On, but prevented.</b> {sleepObstacle} It stays awake so that it misses nothing.
          </p>
        )}
      </div>
    </Card>
  )
}
