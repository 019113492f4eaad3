import type { Series } from '@app/contract'
import { formatAmount, formatShare } from '../../lib/sizes.ts'

/** The measured quantities. `least`: the scale of a chart reaches at least so far. */
export const quantities: {
  key: keyof Series
  title: string
  format: (value: number) => string
  least: number
  note?: string
}[] = [
  { key: 'cpu', title: 'CPU', format: formatShare, least: 0.1, note: 'of a core' },
  { key: 'memory', title: 'Memory', format: (value) => `${formatAmount(value)} MB`, least: 100 },
  {
    key: 'delay',
    title: 'Event loop delay',
    format: (value) => `${formatAmount(value)} ms`,
    least: 20,
    note: 'at most',
  },
  { key: 'requests', title: 'Requests', format: (value) => `${formatAmount(value)} /min`, least: 10 },
]
