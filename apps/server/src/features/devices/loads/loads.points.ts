import type { DeviceLoad, DeviceMetrics } from '@app/contract'

/** The load of a device at a time, in seconds since the epoch. */
export interface LoadPoint extends DeviceLoad {
  at: number
}

export const hourSeconds = 3_600

/**
 * Points of one hour as text, one after the other: seconds in the hour, thousandths of a core, MiB, milliseconds. An empty
 * field was not measured.
 */
export function textOf(points: readonly LoadPoint[]): string {
  return points
    .map(({ at, cpu, memoryMb, eventLoopDelayMs }) => {
      const fields = [
        at % hourSeconds,
        cpu === undefined ? '' : Math.round(cpu * 1_000),
        whole(memoryMb),
        whole(eventLoopDelayMs),
      ]
      return `${fields.join(',')};`
    })
    .join('')
}

/** The points of a text of this hour, in hours since the epoch. */
export function pointsOf(hour: number, text: string): LoadPoint[] {
  return text
    .split(';')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [second, cpu, memory, delay] = entry.split(',').map((field) => (field === '' ? undefined : Number(field)))
      return {
        at: hour * hourSeconds + second!,
        ...(cpu === undefined ? {} : { cpu: cpu / 1_000 }),
        ...(memory === undefined ? {} : { memoryMb: memory }),
        ...(delay === undefined ? {} : { eventLoopDelayMs: delay }),
      }
    })
}

const whole = (value: number | undefined) => (value === undefined ? '' : Math.round(value))

/** A value or null for each step: CPU on average, memory and delay at most. */
export function seriesOf(
  points: readonly LoadPoint[],
  from: number,
  step: number,
  length: number,
): DeviceMetrics['series'] {
  const steps = Map.groupBy(points, ({ at }) => Math.floor((at - from) / step))
  const each = (key: keyof DeviceLoad, of: (values: number[]) => number) =>
    Array.from({ length }, (_, n) => {
      const values = (steps.get(n) ?? []).flatMap((point) => point[key] ?? [])
      return values.length > 0 ? of(values) : null
    })
  const most = (values: number[]) => Math.max(...values)
  return {
    cpu: each('cpu', (values) => values.reduce((sum, value) => sum + value) / values.length),
    memory: each('memoryMb', most),
    delay: each('eventLoopDelayMs', most),
  }
}
