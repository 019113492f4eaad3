import * as z from 'zod/mini'
import { AuditExportQuery, AuditPage, AuditQuery } from './audit.ts'
import { may, route } from './route.ts'

/** The kinds of fault in the chain of entries. `head` and `cut` concern the mark of its end or of its beginning. */
export const auditFaultKinds = ['altered', 'removed', 'inserted', 'moved', 'head', 'cut'] as const
export type AuditFaultKind = (typeof auditFaultKinds)[number]

export const AuditFault = z.object({
  kind: z.enum(auditFaultKinds),
  /** Place in the chain, from 1; 0 for an entry that has none. */
  position: z.number(),
  /** Number of entries it is about. */
  count: z.number(),
  /** The entry, where there still is one. */
  entry: z.optional(z.string()),
})
export type AuditFault = z.infer<typeof AuditFault>

/** The last verification of the audit log by this server, or how far the present one is. */
export const AuditIntegrity = z.object({
  state: z.enum(['unchecked', 'running', 'intact', 'broken', 'failed']),
  /** Entries checked so far. */
  checked: z.number(),
  /** Entries that retention has removed; the chain begins after them. */
  removed: z.number(),
  at: z.nullable(z.iso.datetime()),
  faults: z.array(AuditFault),
})
export type AuditIntegrity = z.infer<typeof AuditIntegrity>

const AuditScopes = z.enum(['platform', 'user', 'team', 'project'])
/** Without a scope: what concerns the platform and its users. */
const scoped = { scope: z.optional(AuditScopes), scopeId: z.optional(z.string().check(z.maxLength(64))) }

export const PlatformAuditQuery = z.extend(AuditQuery, scoped)
export type PlatformAuditQuery = z.infer<typeof PlatformAuditQuery>
export const PlatformAuditExportQuery = z.extend(AuditExportQuery, scoped)
export type PlatformAuditExportQuery = z.infer<typeof PlatformAuditExportQuery>

const access = may('platform:audit-log', 'platform')

/** The audit log of the platform. */
export const auditLogRoutes = {
  'auditLog.list': route({
    method: 'GET',
    path: '/api/v1/admin/audit-log',
    summary: 'Audit log of the platform and its users, or of one scope, newest first',
    access,
    query: PlatformAuditQuery,
    reply: AuditPage,
    errors: [],
  }),
  'auditLog.export': route({
    method: 'GET',
    path: '/api/v1/admin/audit-log/export',
    summary: 'Export the filtered audit log as CSV or JSON. The export is logged',
    access,
    query: PlatformAuditExportQuery,
    errors: [],
  }),
  'auditLog.integrity': route({
    method: 'GET',
    path: '/api/v1/admin/audit-log/integrity',
    summary: 'Result of the last integrity check of the audit log',
    access,
    reply: AuditIntegrity,
    errors: [],
  }),
  'auditLog.verify': route({
    method: 'POST',
    path: '/api/v1/admin/audit-log/verify',
    summary: 'Start an integrity check of the whole audit log, unless one is running, and return its progress',
    access,
    reply: AuditIntegrity,
    errors: [],
  }),
}
