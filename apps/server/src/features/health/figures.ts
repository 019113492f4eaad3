import { routes } from '@app/contract'
import type { FastifyInstance } from 'fastify'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const paths = new Set<string>(Object.values(routes).map(({ path }) => path))
/** Upper bounds in seconds. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

type Labels = Record<string, string>
type Kind = 'counter' | 'gauge' | 'histogram'

/** Lines of the text format of Prometheus for one figure. Values of labels come from lists of our own. */
export function figure(
  name: string,
  kind: Kind,
  help: string,
  values: [value: number, labels?: Labels, suffix?: string][],
) {
  const text = (labels: Labels = {}) => {
    const all = Object.entries(labels).map(([key, value]) => `${key}="${value.replace(/["\\\n]/g, '_')}"`)
    return all.length > 0 ? `{${all.join(',')}}` : ''
  }
  const lines = values.map(([value, labels, suffix = '']) => `${name}${suffix}${text(labels)} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...lines].join('\n')
}

/** Counts requests as they end: two additions for each, and as many series as the contract has calls. */
export function countRequests(app: FastifyInstance) {
  const counts = new Map<string, { route: string; method: string; status: string; n: number }>()
  const durations = buckets.map(() => 0)
  let [sum, total] = [0, 0]
  app.addHook('onResponse', async (request, reply) => {
    const url = request.routeOptions.url ?? ''
    const route = paths.has(url) ? url : 'other'
    const method = route === 'other' ? 'any' : request.method
    const status = `${Math.floor(reply.statusCode / 100)}xx`
    const key = `${method} ${route} ${status}`
    const known = counts.get(key)
    if (known) known.n += 1
    else counts.set(key, { route, method, status, n: 1 })
    // A stream of events lasts as long as its page is open, which is nobody's waiting.
    if (url === '/api/v1/events') return
    const seconds = reply.elapsedTime / 1000
    const at = buckets.findIndex((bound) => seconds <= bound)
    if (at >= 0) durations[at]! += 1
    sum += seconds
    total += 1
  })
  const lag = monitorEventLoopDelay({ resolution: 20 })
  lag.enable()
  app.addHook('onClose', async () => {
    lag.disable()
  })

  return {
    text(): string {
      let below = 0
      const byTime = buckets.map((bound, at): [number, Labels, string] => {
        below += durations[at]!
        return [below, { le: String(bound) }, '_bucket']
      })
      const result = [
        figure(
          'flowforge_http_requests_total',
          'counter',
          'Requests that were answered.',
          [...counts.values()].map(({ n, ...labels }): [number, Labels] => [n, labels]),
        ),
        figure('flowforge_http_request_duration_seconds', 'histogram', 'Time until a request was answered.', [
          ...byTime,
          [total, { le: '+Inf' }, '_bucket'],
          [sum, {}, '_sum'],
          [total, {}, '_count'],
        ]),
        figure(
          'flowforge_event_loop_delay_p99_seconds',
          'gauge',
          'How late the server gets to its work, since the last look.',
          [[Number.isFinite(lag.percentile(99)) ? lag.percentile(99) / 1e9 : 0]],
        ),
      ]
      lag.reset()
      return result.join('\n')
    },
  }
}

/** Figures of the process itself. */
export function processFigures(version: string): string {
  const { user, system } = process.cpuUsage()
  const memory = process.memoryUsage()
  return [
    figure('flowforge_build_info', 'gauge', 'The version of the platform.', [[1, { version, node: process.version }]]),
    figure('process_cpu_seconds_total', 'counter', 'CPU time of the server.', [[(user + system) / 1e6]]),
    figure('process_resident_memory_bytes', 'gauge', 'Memory of the server.', [[memory.rss]]),
    figure('process_start_time_seconds', 'gauge', 'When the server was started.', [[performance.timeOrigin / 1000]]),
    figure('nodejs_heap_size_used_bytes', 'gauge', 'Memory in use by objects of the server.', [[memory.heapUsed]]),
  ].join('\n')
}
