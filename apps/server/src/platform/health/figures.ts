import { Counter, Gauge, type Metric } from 'prom-client'

/** One figure, or a group of those that count as they go. */
export type Figure = Metric

/** A figure as it is at this moment. Values of labels come from lists of our own. */
export function figure(
  name: string,
  kind: 'counter' | 'gauge',
  help: string,
  values: [value: number, labels?: Record<string, string>][],
): Figure {
  const labelNames = Object.keys(values[0]?.[1] ?? {})
  const options = { name, help, labelNames, registers: [] }
  const metric = kind === 'counter' ? new Counter(options) : new Gauge(options)
  for (const [value, labels = {}] of values) metric.inc(labels, value)
  return metric
}
