import * as z from 'zod/mini'
import { may, route } from './route.ts'

/** How much there is on the platform; null is no limit. */
export const Stats = z.object({
  userCount: z.number(),
  maxUsers: z.nullable(z.number()),
  adminCount: z.number(),
  inviteCount: z.number(),
  teamCount: z.number(),
  maxTeams: z.nullable(z.number()),
  instanceCount: z.number(),
  maxInstances: z.nullable(z.number()),
  instancesByState: z.record(z.string(), z.number()),
  deviceCount: z.number(),
  maxDevices: z.nullable(z.number()),
})
export type Stats = z.infer<typeof Stats>

export const adminRoutes = {
  'admin.stats': route({
    method: 'GET',
    path: '/api/v1/admin/stats',
    summary: 'How many users, teams, instances and devices there are',
    access: may('platform:stats', 'platform'),
    reply: Stats,
    errors: [],
  }),
}
