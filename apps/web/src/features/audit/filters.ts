import { type AuditKey, auditEvents, type AuditScope } from '@app/contract/audit'
import type { AuditLogOf } from './audit.queries.ts'

/** One choice of the event filter: a label, and all keys that carry it. */
export type EventChoice = { label: string; keys: string[] }

/** Whether an event may stand in a log: the platform's has those of users as well. */
function isIn(of: AuditLogOf, key: AuditKey): boolean {
  const { scopes, body }: { scopes: readonly AuditScope[]; body: readonly string[] } = auditEvents[key]
  // A device has what people do with it, and what Node-RED reports from it as it does from an instance.
  if (of.scope === 'device')
    return scopes.includes('team') ? body.includes('device') : scopes.includes('project') && !key.startsWith('project.')
  if (of.scope === 'platform' && !of.within) return scopes.includes('platform') || scopes.includes('user')
  const scope = of.scope === 'platform' ? of.within : of.scope
  return scope !== undefined && scopes.includes(scope)
}

/** The events of a log by label, sorted; keys with the same label are one choice [AUDIT-02]. */
export function eventChoices(of: AuditLogOf): EventChoice[] {
  const byLabel = new Map<string, string[]>()
  for (const key of Object.keys(auditEvents) as AuditKey[]) {
    const { label } = auditEvents[key]
    if (isIn(of, key)) byLabel.set(label, [...(byLabel.get(label) ?? []), key])
  }
  return [...byLabel].map(([label, keys]) => ({ label, keys })).sort((a, b) => a.label.localeCompare(b.label))
}
