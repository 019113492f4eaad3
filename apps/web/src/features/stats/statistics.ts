import type { StatsPoint } from '@app/contract'

/** One line of a chart: a name and a value for each point, oldest first. */
export interface Series {
  name: string
  values: number[]
}

/** Counts of people and things. */
export function totals(points: readonly StatsPoint[]): Series[] {
  return [
    { name: 'Users', values: points.map(({ userCount }) => userCount) },
    { name: 'Teams', values: points.map(({ teamCount }) => teamCount) },
    { name: 'Instances', values: points.map(({ instanceCount }) => instanceCount) },
    { name: 'Devices', values: points.map(({ deviceCount }) => deviceCount) },
  ]
}

/** One line for every state that some instance was in, the most frequent at last first. */
export function byState(points: readonly StatsPoint[]): Series[] {
  const names = new Set(points.flatMap(({ instancesByState }) => Object.keys(instancesByState)))
  const last = (series: Series) => series.values.at(-1) ?? 0
  return [...names]
    .sort()
    .map((name) => ({ name, values: points.map(({ instancesByState }) => instancesByState[name] ?? 0) }))
    .sort((a, b) => last(b) - last(a))
}

/** A round number at or above `most`, so that the scale reads well; at least 4. */
export function scaleFor(most: number): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(most, 1)))
  return Math.max(4, [1, 2, 4, 5, 10].map((step) => step * size).find((top) => top >= most) ?? most)
}

/** The points of a line in a box of `width` by `height`, time from left to right by the times themselves. */
export function linePath(
  times: readonly number[],
  values: readonly number[],
  top: number,
  box: { width: number; height: number },
): string {
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  const span = last - first || 1
  const at = (value: number, i: number) =>
    `${((((times[i] ?? 0) - first) / span) * box.width).toFixed(1)} ${(box.height - (value / top) * box.height).toFixed(1)}`
  // A count holds until the next one.
  return values.map((value, i) => (i === 0 ? `M${at(value, i)}` : `L${at(value, i)}`)).join('')
}
