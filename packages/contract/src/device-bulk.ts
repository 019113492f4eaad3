import * as z from 'zod/mini'
import { DeviceTags } from './device-tags.ts'
import { Bulk, Chosen } from './devices.ts'
import { TeamParams } from './primitives.ts'
import { may, route } from './route.ts'
import { behind } from './switches.ts'

const bulk = '/api/v1/teams/:teamId/devices/bulk'

export const deviceBulkRoutes = behind('devices', {
  'device.tagMany': route({
    method: 'PUT',
    path: `${bulk}/tags`,
    summary: 'Add tags to devices of a team, and remove others. Each device succeeds or fails on its own',
    access: may('device:edit', 'team'),
    params: TeamParams,
    body: z
      .object({ devices: Chosen, add: z.optional(DeviceTags), remove: z.optional(DeviceTags) })
      .check(z.refine(({ add, remove }) => add?.length || remove?.length, { path: ['add'], error: 'Name a tag' })),
    reply: Bulk,
    errors: [],
    audit: 'team.device.updated',
    example: { body: { devices: ['01hz'], add: ['bakery'] } },
  }),
})
