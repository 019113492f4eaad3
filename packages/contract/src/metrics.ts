import * as z from 'zod/mini'
import { deviceWindows, metricWindows, sparkWindows } from './constants.ts'
import { Id, InstanceParams, PageMeta, TeamParams } from './primitives.ts'
import { may, route, withinReach } from './route.ts'
import { behind } from './switches.ts'

const windowOf = <const T extends object>(windows: T) => z.enum(Object.keys(windows) as [keyof T & string])

/** One value for each step; null where nothing was measured. */
const Values = z.array(z.nullable(z.number()))

/** The resources an instance used, in steps of equal length. */
export const Series = z.object({
  /** The share of one core, 1 being all of it, averaged over the step. */
  cpu: Values,
  /** Resident memory in MiB, at most. */
  memory: Values,
  /** The longest that the event loop let something wait, in milliseconds. */
  delay: Values,
  /** Requests that came in through the platform, per minute. */
  requests: Values,
})
export type Series = z.infer<typeof Series>

/** Beginning of the first step in milliseconds since the epoch, and seconds from step to step. */
const Grid = z.object({ from: z.number(), step: z.number() })

export const InstanceMetrics = z.extend(Grid, {
  series: Series,
  /** When Node-RED was started, in milliseconds since the epoch. */
  starts: z.array(z.number()),
  /** With several processes: each by itself; `series` is then that of the first. */
  replicas: z.optional(z.array(z.object({ id: z.string(), series: Series }))),
})
export type InstanceMetrics = z.infer<typeof InstanceMetrics>

export const TeamMetrics = z.extend(Grid, {
  meta: PageMeta,
  count: z.number(),
  instances: z.array(z.object({ id: Id, name: z.string(), state: z.string(), series: Series })),
})
export type TeamMetrics = z.infer<typeof TeamMetrics>

/** The load of a device. No value where its agent reported none. */
export const DeviceMetrics = z.extend(Grid, {
  series: z.pick(Series, { cpu: true, memory: true, delay: true }),
  /** Whether the agent reported any load in the last day. */
  measured: z.boolean(),
})
export type DeviceMetrics = z.infer<typeof DeviceMetrics>

export const deviceMetricsRoutes = behind('devices', {
  'deviceMetrics.get': route({
    method: 'GET',
    path: '/api/v1/devices/:deviceId/metrics',
    summary: 'CPU, memory and event loop delay of Node-RED on a device over time, up to a day',
    access: may('device:read', 'device'),
    params: z.object({ deviceId: Id }),
    query: z.object({ window: z.prefault(windowOf(deviceWindows), '1h') }),
    reply: DeviceMetrics,
    errors: [],
  }),
})

export const metricsRoutes = {
  'metrics.instance': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/metrics',
    summary: 'CPU, memory, event loop delay and requests of an instance over time',
    access: may('project:read', 'instance'),
    params: InstanceParams,
    query: z.object({ window: z.prefault(windowOf(metricWindows), '1h') }),
    reply: InstanceMetrics,
    errors: [],
  }),
  'metrics.team': route({
    method: 'GET',
    path: '/api/v1/teams/:teamId/metrics',
    summary: 'Metrics of the instances of a team side by side, in fewer steps',
    access: withinReach(may('team:projects:list', 'team')),
    params: TeamParams,
    query: z.object({
      window: z.prefault(windowOf(sparkWindows), '1h'),
      cursor: z.optional(z.string().check(z.maxLength(100))),
      limit: z.prefault(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100)), 50),
    }),
    reply: TeamMetrics,
    errors: [],
  }),
}
