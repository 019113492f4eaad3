import * as z from 'zod/mini'
import { InstanceParams, TeamParams } from './primitives.ts'
import { may, route, withinReach } from './route.ts'
import { behind } from './switches.ts'

const n = z.number()

/** Number of devices that each bar counts. Each chart counts every device once. */
export const DeviceCharts = z.object({
  lastSeen: z.object({ running: n, safe: n, error: n, never: n }),
  status: z.object({ running: n, safe: n, stopped: n, error: n, offline: n, never: n, other: n }),
})
export type DeviceCharts = z.infer<typeof DeviceCharts>

export const deviceChartRoutes = behind('devices', {
  'device.chartsOfTeam': route({
    method: 'GET',
    path: '/api/v1/teams/:teamId/devices/charts',
    summary: 'Counts of the devices of a team by when they were last seen, and by status',
    access: withinReach(may('team:device:list', 'team')),
    params: TeamParams,
    reply: DeviceCharts,
    errors: [],
  }),
  'device.chartsOfInstance': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/devices/charts',
    summary: 'Counts of the devices of an instance by when they were last seen, and by status',
    access: may('project:read', 'instance'),
    params: InstanceParams,
    reply: DeviceCharts,
    errors: [],
  }),
})
