import { seenBars, statusBars } from '@app/contract/constants'
import { cn } from '../../../lib/cn.ts'
import type { Owner } from '../devices.queries.ts'
import { useDeviceCharts } from '../devices.queries.ts'

const seenLabels = { running: 'under 1.5 min', safe: '1.5 to 3 min', error: 'over 3 min', never: 'never' }
/** The colour of each bar [DEV-58]; the label says the same in words. */
const looks: Record<string, string> = {
  running: 'bg-ok',
  safe: 'bg-warn',
  error: 'bg-bad',
  stopped: 'bg-idle',
  offline: 'bg-idle opacity-60',
  never: 'bg-track',
  other: 'bg-busy',
}

interface Chosen {
  seen: string
  status: string
}

/** When devices were seen and how they do, counted by the platform; a bar filters the list, once more clears it [DEV-05] [DEV-06]. */
export function DeviceCharts(props: { owner: Owner; chosen: Chosen; onChoose: (chosen: Partial<Chosen>) => void }) {
  const { data } = useDeviceCharts(props.owner)
  if (!data || Object.values(data.lastSeen).every((n) => n === 0)) return null
  const { chosen, onChoose } = props
  return (
    <div className="mb-3 grid gap-3 sm:grid-cols-2">
      <Chart
        title="Last Seen"
        bars={seenBars.map((id) => ({ id, label: seenLabels[id], n: data.lastSeen[id] }))}
        chosen={chosen.seen}
        onChoose={(seen) => onChoose({ seen })}
      />
      <Chart
        title="Last Known Status"
        bars={statusBars
          .filter((id) => id !== 'other' || data.status.other > 0 || chosen.status === 'other')
          .map((id) => ({ id, label: id, n: data.status[id] }))}
        chosen={chosen.status}
        onChoose={(status) => onChoose({ status })}
      />
    </div>
  )
}

function Chart(props: {
  title: string
  bars: { id: string; label: string; n: number }[]
  chosen: string
  onChoose: (id: string) => void
}) {
  const { title, bars, chosen, onChoose } = props
  const most = Math.max(1, ...bars.map(({ n }) => n))
  return (
    <section aria-label={title} className="rounded-lg border bg-panel px-2.5 py-2.5">
      <h2 className="px-1.5 pb-1 text-sm font-medium text-muted">{title}</h2>
      {bars.map(({ id, label, n }) => (
        <button
          key={id}
          type="button"
          data-bar={id}
          aria-pressed={chosen === id}
          onClick={() => onChoose(chosen === id ? '' : id)}
          className={cn(
            'grid w-full grid-cols-[7rem_1fr_3.5rem] items-center gap-2 rounded-md px-1.5 min-h-6 text-left text-sm hover:bg-hover',
            chosen === id && 'bg-selected font-medium',
            chosen !== '' && chosen !== id && 'text-muted',
          )}
        >
          <span className="truncate">{label}</span>
          <span aria-hidden className="h-2 rounded-full">
            <span
              data-part="bar"
              className={cn('block h-2 rounded-full', looks[id], n > 0 && 'min-w-1')}
              style={{ width: `${(100 * n) / most}%` }}
            />
          </span>
          <span className="num text-right">{n.toLocaleString()}</span>
        </button>
      ))}
    </section>
  )
}
