import * as z from 'zod/mini'
import { LogNode } from './instance-link.ts'
import { Id } from './primitives.ts'
import { may, route } from './route.ts'
import { behind } from './switches.ts'

/** A line of a device's log. `ts`: milliseconds by its own clock, with four digits more where its agent counts lines. */
export const DeviceLogEntry = z.object({
  ts: z.string(),
  level: z.string(),
  msg: z.string(),
  /** The node that wrote it, where the agent is one of this platform. */
  node: z.optional(LogNode),
})
export type DeviceLogEntry = z.infer<typeof DeviceLogEntry>

export const deviceLogRoutes = behind(['projectComms', 'devices'], {
  'deviceLog.stream': route({
    method: 'GET',
    path: '/api/v1/devices/:deviceId/logs',
    summary:
      'WebSocket: live log of a device, history first. Each message is one line or an array of lines. Closed with 4001 while no agent is connected to the broker',
    access: may('device:read', 'device'),
    params: z.object({ deviceId: Id }),
    errors: ['upgrade_required', 'too_many_requests'],
    socket: true,
  }),
})
