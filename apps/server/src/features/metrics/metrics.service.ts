import {
  type InstanceMetrics,
  metricWindows,
  type MetricWindow,
  type PageQuery,
  type Series,
  sparkWindows,
  type SparkWindow,
  type TeamMetrics,
} from '@app/contract'
import { keyOf, partsOf } from '@app/drivers'
import { join } from 'node:path'
import { also } from '../../platform/features/services.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { instanceJson, type InstanceRow, type Instances, type TeamReach } from '../instances/index.ts'
import { openFiles } from './metrics.files.ts'
import { type Point, rings, rollUp, sampleSeconds } from './metrics.points.ts'
import { createSampler, type SamplerDependencies } from './metrics.sampler.ts'
import { listIds } from './metrics.store.ts'

export interface MetricsDependencies extends Omit<SamplerDependencies, 'files'> {
  bus: Bus
  home: string
  instances: Instances
}

export type Metrics = ReturnType<typeof createMetrics>

/** The usage of instances over time: measured while the platform runs, kept for a week, deleted with the instance. */
export function createMetrics(deps: MetricsDependencies) {
  const { database, clock, log, home, bus, instances } = deps
  const files = openFiles(join(home, 'metrics'))
  const sampler = createSampler(also(deps, { files }))
  let timer: NodeJS.Timeout | undefined
  let unsubscribe: (() => void) | undefined
  let working: Promise<void> = Promise.resolve()

  const work = (task: () => Promise<void>): Promise<void> => {
    working = working.then(task).catch((error: unknown) => log.warn({ err: error }, 'measuring failed'))
    return working
  }

  /** Removes what is kept of instances that are no more. */
  async function sweep(): Promise<void> {
    const known = await listIds(database.read)
    const kept = new Set([...(await files.list()), ...sampler.tracked()])
    for (const key of kept) if (!known.has(partsOf(key).id)) await sampler.forget(key)
  }

  /** Steps begin at multiples of their length, and a sample is taken as one ends. */
  function schedule(): void {
    const stepMs = sampleSeconds * 1_000
    timer = setTimeout(() => void work(sampler.tick).then(() => timer && schedule()), stepMs - (clock.now() % stepMs))
    timer.unref()
  }

  /** A window ends with the step that has ended last; its beginning in seconds. */
  function fromOf({ seconds, step }: { seconds: number; step: number }): number {
    const end = Math.floor(clock.now() / 1_000 / step) * step
    return end - seconds + (step > sampleSeconds ? step : 0)
  }

  async function points(id: string, from: number, { seconds, step }: { seconds: number; step: number }) {
    const ring = rings.findLastIndex((each) => each.step <= step)
    const found = await sampler.read(id, ring, from, from + seconds)
    return rings[ring]!.step === step ? found : rollUp(found, step)
  }

  return {
    /** One instance's series in a window, with a value or null for each step; with several processes, each one's. */
    async ofInstance(
      { id, members }: Pick<InstanceRow, 'id' | 'members'>,
      window: MetricWindow,
    ): Promise<InstanceMetrics> {
      const grid = metricWindows[window]
      const from = fromOf(grid)
      const found = await points(id, from, grid)
      const series = seriesView(found, from, grid)
      const others = members === null ? [] : await points(keyOf(id, 1), from, grid)
      const starts = [...found, ...others].filter((point) => point.starts > 0).map(({ at }) => at * 1_000)
      const [first, second] = members === null ? [] : instanceJson.members(members, id)
      const replicas = first &&
        second && [
          { id: first.src, series },
          { id: second.src, series: seriesView(others, from, grid) },
        ]
      return {
        from: from * 1_000,
        step: grid.step,
        series,
        starts: [...new Set(starts)].sort((one, other) => one - other),
        ...(replicas ? { replicas } : {}),
      }
    },

    /** The same of a page of a team's instances; one query for the page, whatever its length. */
    async ofTeam(of: TeamReach, { window, ...page }: PageQuery & { window: SparkWindow }): Promise<TeamMetrics> {
      const grid = sparkWindows[window]
      const from = fromOf(grid)
      const { meta, count, projects } = await instances.ofTeam(of, page)
      const listed = projects.map(async ({ id, name, meta: state }) => ({
        id,
        name,
        state: state?.state ?? 'unknown',
        series: seriesView(await points(id, from, grid), from, grid),
      }))
      return { from: from * 1_000, step: grid.step, meta, count, instances: await Promise.all(listed) }
    },

    start(): void {
      unsubscribe = bus.subscribe((event) => {
        if (event.type === 'instance.deleted') void work(sweep)
      })
      void work(sweep)
      schedule()
    },
    /** Measures now, as at the end of a step. */
    tick: (): Promise<void> => work(sampler.tick),
    async stop(): Promise<void> {
      clearTimeout(timer)
      timer = undefined
      unsubscribe?.()
      await work(sampler.write)
    },
  }
}

function seriesView(
  points: readonly Point[],
  from: number,
  { seconds, step }: { seconds: number; step: number },
): Series {
  const length = seconds / step
  const empty = () => Array.from({ length }, (): number | null => null)
  const series = { cpu: empty(), memory: empty(), delay: empty(), requests: empty() }
  for (const { at, cpu, memory, delay, requests, samples } of points) {
    const n = (at - from) / step
    if (n < 0 || n >= length) continue
    series.cpu[n] = cpu === undefined ? null : cpu / 1_000
    series.memory[n] = memory
    series.delay[n] = delay ?? null
    series.requests[n] = Math.round((requests / (samples * sampleSeconds)) * 60 * 10) / 10
  }
  return series
}
