import { type AuditScope, auditEvents } from '@app/contract/audit'
import type { AuditLogOf } from './audit.queries.ts'

/** One choice of the event filter: a label, and all keys that carry it. */
export type EventChoice = { label: string; keys: string[] }

/** The scopes whose entries are in a log: the platform's has those of users as well. */
export const scopesOf = (of: AuditLogOf): AuditScope[] =>
  of.scope === 'platform' ? (of.within ? [of.within] : ['platform', 'user']) : [of.scope]

/** The events of a log by label, sorted; keys with the same label are one choice [AUDIT-02]. */
export function eventChoices(scopes: readonly AuditScope[]): EventChoice[] {
  const byLabel = new Map<string, string[]>()
  for (const [key, event] of Object.entries(auditEvents)) {
    if (!event.scopes.some((scope) => scopes.includes(scope))) continue
    byLabel.set(event.label, [...(byLabel.get(event.label) ?? []), key])
  }
  return [...byLabel].map(([label, keys]) => ({ label, keys })).sort((a, b) => a.label.localeCompare(b.label))
}
