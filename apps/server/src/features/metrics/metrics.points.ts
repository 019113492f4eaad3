/** Seconds from sample to sample. */
export const sampleSeconds = 15

/** The measurements of one step. A step without any sample has no point. */
export interface Point {
  /** Beginning of the step, in seconds since the epoch; a multiple of its length. */
  at: number
  /** Thousandths of a core, on average. */
  cpu: number | undefined
  /** Resident memory in MiB, at most. */
  memory: number
  /** The longest wait for the event loop in milliseconds. */
  delay: number | undefined
  requests: number
  /** Number of starts of Node-RED. */
  starts: number
  /** Number of samples it stands for. */
  samples: number
}

/** The steps that are kept, and how many of each: an hour of every sample, a day of minutes, a week of ten minutes. */
export const rings = [
  { step: sampleSeconds, count: 240 },
  { step: 60, count: 1_440 },
  { step: 600, count: 1_008 },
] as const

/** Puts points together into longer steps, oldest first. A step is as long as others when samples of it are missing. */
export function rollUp(points: readonly Point[], step: number): Point[] {
  const steps = new Map<number, Point[]>()
  for (const point of points) {
    const at = point.at - (point.at % step)
    const group = steps.get(at)
    if (group) group.push(point)
    else steps.set(at, [point])
  }
  return [...steps].sort(([one], [other]) => one - other).map(([at, group]) => merge(at, group))
}

function merge(at: number, group: Point[]): Point {
  const sum = (of: (point: Point) => number) => group.reduce((total, point) => total + of(point), 0)
  const measured = group.filter(({ cpu }) => cpu !== undefined)
  const weight = measured.reduce((total, { samples }) => total + samples, 0)
  const delays = group.flatMap(({ delay }) => delay ?? [])
  return {
    at,
    cpu: weight
      ? Math.round(measured.reduce((total, { cpu, samples }) => total + cpu! * samples, 0) / weight)
      : undefined,
    memory: Math.max(...group.map(({ memory }) => memory)),
    delay: delays.length > 0 ? Math.max(...delays) : undefined,
    requests: sum(({ requests }) => requests),
    starts: sum(({ starts }) => starts),
    samples: sum(({ samples }) => samples),
  }
}
