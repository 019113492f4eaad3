/** The value below which this share of the figures lies, for example 0.99; NaN of none. */
export function percentile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))] ?? Number.NaN
}

export const median = (figures: readonly number[]): number => percentile(figures, 0.5)

/** The spread of repeated figures as a note: "0.171 to 0.192 in 3 rounds". */
export function spread(figures: readonly number[]): string {
  const ends = [Math.min(...figures), Math.max(...figures)].map((value) => Number(value.toPrecision(3)))
  return `${ends[0]} to ${ends[1]} in ${figures.length} rounds`
}
