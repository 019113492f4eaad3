import { routes } from '@app/contract'
import type { FastifyInstance } from 'fastify'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Histogram, Registry } from 'prom-client'
import { type Figure, figure } from '../../platform/health/figures.ts'

const paths = new Set<string>(Object.values(routes).map(({ path }) => path))
/** Upper bounds in seconds. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** The figures in the text format of Prometheus. */
export function textOf(figures: Figure[]): Promise<string> {
  const registry = new Registry()
  for (const one of figures) registry.registerMetric(one)
  return registry.metrics()
}

/** Counts requests as they end, in as many series as the contract has calls. */
export function countRequests(app: FastifyInstance) {
  const counts = new Counter({
    name: 'flowforge_http_requests_total',
    help: 'Requests that were answered.',
    labelNames: ['route', 'method', 'status'],
    registers: [],
  })
  const durations = new Histogram({
    name: 'flowforge_http_request_duration_seconds',
    help: 'Time until a request was answered.',
    buckets,
    registers: [],
  })
  app.addHook('onResponse', async (request, reply) => {
    const url = request.routeOptions.url ?? ''
    const route = paths.has(url) ? url : 'other'
    const method = route === 'other' ? 'any' : request.method
    counts.inc({ route, method, status: `${Math.floor(reply.statusCode / 100)}xx` })
    // A stream of events lasts as long as its page is open, which is nobody's waiting.
    if (url !== '/api/v1/events') durations.observe(reply.elapsedTime / 1000)
  })
  const lag = monitorEventLoopDelay({ resolution: 20 })
  lag.enable()
  app.addHook('onClose', async () => {
    lag.disable()
  })

  return {
    figures(): Figure[] {
      const late = lag.percentile(99)
      lag.reset()
      return [
        counts,
        durations,
        figure(
          'flowforge_event_loop_delay_p99_seconds',
          'gauge',
          'How late the server gets to its work, since the last look.',
          [[Number.isFinite(late) ? late / 1e9 : 0]],
        ),
      ]
    },
  }
}

/** Figures of the process itself. */
export function processFigures(version: string): Figure[] {
  const { user, system } = process.cpuUsage()
  const memory = process.memoryUsage()
  return [
    figure('flowforge_build_info', 'gauge', 'The version of the platform.', [[1, { version, node: process.version }]]),
    figure('process_cpu_seconds_total', 'counter', 'CPU time of the server.', [[(user + system) / 1e6]]),
    figure('process_resident_memory_bytes', 'gauge', 'Memory of the server.', [[memory.rss]]),
    figure('process_start_time_seconds', 'gauge', 'When the server was started.', [[performance.timeOrigin / 1000]]),
    figure('nodejs_heap_size_used_bytes', 'gauge', 'Memory in use by objects of the server.', [[memory.heapUsed]]),
  ]
}
