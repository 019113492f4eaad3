/** Values one step apart; null where nothing was measured. */
export type Values = readonly (number | null)[]

/** The inner measures of a drawing, which is stretched to the room there is. */
export const plot = { width: 1000, height: 100 }

/** A round number at or above the greatest value, never below `least`. */
export function topOf(values: Values, least: number): number {
  const most = Math.max(least, ...values.map((value) => value ?? 0))
  const unit = 10 ** Math.floor(Math.log10(most))
  const factor = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((each) => each * unit >= most * 0.9999) ?? 10
  return factor * unit
}

/** Where the middle of a step stands, as a share of the width. */
export const xOf = (index: number, length: number): number => (index + 0.5) / length

/** The step under a place given as a share of the width. */
export function indexAt(share: number, length: number): number {
  return Math.max(0, Math.min(length - 1, Math.floor(share * length)))
}

interface Run {
  line: string
  area: string
}

/** The lines of a chart, and the areas below them: one for each stretch without a gap. */
export function runsOf(values: Values, top: number): Run[] {
  const runs: Run[] = []
  let points: [number, number][] = []
  const end = () => {
    if (points.length > 0) runs.push(drawn(points))
    points = []
  }
  for (const [n, value] of values.entries()) {
    if (value === null) end()
    else points.push([round(xOf(n, values.length) * plot.width), round(plot.height * (1 - Math.min(value / top, 1)))])
  }
  end()
  return runs
}

/** A stretch of one step alone is drawn as a point. */
function drawn(points: [number, number][]): Run {
  const [[first]] = points as [[number, number]]
  const last = points.at(-1)![0]
  const line = points.map(([x, y], n) => `${n === 0 ? 'M' : 'L'}${x} ${y}`).join('')
  return {
    line: points.length === 1 ? `${line}h0.01` : line,
    area: `${line}L${last} ${plot.height}L${first} ${plot.height}Z`,
  }
}

const round = (value: number) => Math.round(value * 10) / 10

/** Steps at the end that may be missing while measuring goes on. */
const late = 3

/** The value of now; null where measuring has stopped, as in a suspended instance. */
export const lastOf = (values: Values): number | null =>
  values.slice(-1 - late).findLast((value) => value !== null) ?? null

/** Was nothing measured at all? */
export const isEmpty = (values: Values): boolean => values.every((value) => value === null)
