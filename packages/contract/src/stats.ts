import * as z from 'zod/mini'
import { Ok } from './primitives.ts'
import { may, route } from './route.ts'

/** Counts of everything. Limits come from the licence; null: none. */
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

/** The counts at a time. */
export const StatsPoint = z.object({
  at: z.iso.datetime(),
  userCount: z.number(),
  teamCount: z.number(),
  instanceCount: z.number(),
  instancesByState: z.record(z.string(), z.number()),
  deviceCount: z.number(),
})
export type StatsPoint = z.infer<typeof StatsPoint>

export const statsRoutes = {
  'admin.stats': route({
    method: 'GET',
    path: '/api/v1/admin/stats',
    summary: 'Counts of users, teams, instances and devices; as OpenMetrics with Accept: application/openmetrics-text',
    access: may('platform:stats', 'platform'),
    reply: Stats,
    errors: [],
  }),
  'stats.history': route({
    method: 'GET',
    path: '/api/v1/admin/stats/history',
    summary: 'Counts over time, oldest first: hourly for a week, daily for ninety days or two years',
    access: may('platform:stats', 'platform'),
    query: z.object({ range: z.optional(z.enum(['week', 'quarter', 'years'])) }),
    reply: z.object({ meta: z.object({}), count: z.number(), points: z.array(StatsPoint) }),
    errors: [],
  }),
  'stats.createToken': route({
    method: 'POST',
    path: '/api/v1/admin/stats-token',
    summary: 'Create the token for reading statistics, replacing an earlier one. It is shown once',
    access: may('platform:stats:token', 'platform'),
    reply: z.object({ token: z.string() }),
    errors: [],
    audit: 'platform.stats-token.created',
  }),
  'stats.deleteToken': route({
    method: 'DELETE',
    path: '/api/v1/admin/stats-token',
    summary: 'Revoke the token for reading statistics',
    access: may('platform:stats:token', 'platform'),
    reply: Ok,
    errors: [],
    audit: 'platform.stats-token.deleted',
  }),
}
