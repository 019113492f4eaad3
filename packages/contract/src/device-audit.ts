import * as z from 'zod/mini'
import { AuditPage, AuditQuery } from './audit.ts'
import { Id } from './primitives.ts'
import { may, route } from './route.ts'
import { behind } from './switches.ts'

export const deviceAuditRoutes = behind('devices', {
  'device.auditLog': route({
    method: 'GET',
    path: '/api/v1/devices/:deviceId/audit-log',
    summary: "A device's audit log, newest first",
    access: may('device:audit-log', 'device'),
    params: z.object({ deviceId: Id }),
    query: AuditQuery,
    reply: AuditPage,
    errors: [],
  }),
})
