import type { Series } from '@app/contract'

/** What is measured: how it is called, how a value reads, and how far its scale reaches at least. */
export const quantities: {
  key: keyof Series
  title: string
  format: (value: number) => string
  least: number
  note?: string
}[] = [
  { key: 'cpu', title: 'CPU', format: percent, least: 0.1, note: 'of a core' },
  { key: 'memory', title: 'Memory', format: (value) => `${number(value)} MB`, least: 100 },
  { key: 'delay', title: 'Event loop delay', format: (value) => `${number(value)} ms`, least: 20, note: 'at most' },
  { key: 'requests', title: 'Requests', format: (value) => `${number(value)} /min`, least: 10 },
]

function percent(share: number): string {
  return `${number(share * 100)} %`
}

function number(value: number): string {
  return value.toLocaleString(undefined, { maximumFractionDigits: value < 10 ? 1 : 0 })
}
