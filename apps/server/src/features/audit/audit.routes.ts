import { type PlatformAuditQuery, roles, type RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { AuditExport } from './audit.export.ts'
import type { Integrity } from './audit.integrity.ts'
import type { Audit, AuditLogOf } from './audit.service.ts'

function logOf({ scope, scopeId }: Pick<PlatformAuditQuery, 'scope' | 'scopeId'>): AuditLogOf {
  return scope === undefined ? { type: 'platform log' } : { type: scope, id: scopeId }
}

export function auditHandlers(
  audit: Audit,
  auditExport: AuditExport,
  integrity: Integrity,
): Handlers<RouteIdOf<'auditLog'>> {
  return {
    'auditLog.list': async (_context, { query: { scope, scopeId, ...query } }) =>
      audit.list(logOf({ scope, scopeId }), query, { role: roles.admin }),
    'auditLog.export': async ({ actor, reply }, { query }) => auditExport.send(reply, actor, logOf(query), query),
    'auditLog.integrity': async () => integrity.get(),
    'auditLog.verify': async () => integrity.start(),
  }
}
