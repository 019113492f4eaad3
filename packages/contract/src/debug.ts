import * as z from 'zod/mini'
import { Time } from './primitives.ts'
import { may, route } from './route.ts'

/** A column of a table, as the database itself describes it. */
const Column = z.object({ name: z.string(), type: z.string(), nullable: z.boolean() })

/** Schema details for comparing a database with what a version expects (PERM-28). They contain no rows. */
export const debugRoutes = {
  'debug.migrations': route({
    method: 'GET',
    path: '/api/v1/admin/debug/db-migrations',
    summary: 'Migrations applied to the database, in order',
    access: may('platform:debug', 'platform'),
    reply: z.array(z.object({ name: z.string(), appliedAt: Time })),
    errors: [],
  }),
  'debug.schema': route({
    method: 'GET',
    path: '/api/v1/admin/debug/db-schema',
    summary: 'Columns of every table, by table name',
    access: may('platform:debug', 'platform'),
    reply: z.record(z.string(), z.array(Column)),
    errors: [],
  }),
}
