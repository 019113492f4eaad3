import { type AuditEntry, type AuditExportQuery, auditTitle } from '@app/contract'
import type { FastifyReply } from 'fastify'
import { Readable } from 'node:stream'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Database } from '../../platform/db/database.ts'
import { platformScope } from './audit.scopes.ts'
import type { Audit } from './audit.service.ts'
import type { AuditLogOf } from './audit.store.ts'

const columns = ['id', 'time', 'event', 'label', 'username', 'trigger', 'scope', 'scope id', 'body', 'address']

/** A cell that no spreadsheet takes for a formula. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}

function line(entry: AuditEntry): string {
  const { id, createdAt, event, username, trigger, scope, body } = entry
  const cells = [id, createdAt, event, auditTitle(entry), username ?? '', trigger.name, scope.type, scope.id]
  return `${[...cells, JSON.stringify(body), entry.address ?? ''].map(cell).join(',')}\r\n`
}

async function* csv(portions: AsyncIterable<AuditEntry[]>): AsyncGenerator<string> {
  yield `${columns.map(cell).join(',')}\r\n`
  for await (const entries of portions) yield entries.map(line).join('')
}

async function* json(portions: AsyncIterable<AuditEntry[]>): AsyncGenerator<string> {
  let before = '[\n'
  for await (const entries of portions) {
    for (const entry of entries) {
      yield before + JSON.stringify(entry)
      before = ',\n'
    }
  }
  yield before === '[\n' ? '[]\n' : '\n]\n'
}

export type AuditExport = ReturnType<typeof createAuditExport>

/** Audit logs as files, sent as they are read, so that the longest needs no more memory than the shortest. */
export function createAuditExport({ database, audit }: { database: Database; audit: Audit }) {
  return {
    /** Sends what `query` leaves of a log, newest first. That somebody took it away is an entry of the log itself. */
    async send(
      reply: FastifyReply,
      actor: Actor,
      of: AuditLogOf,
      { format, ...filters }: AuditExportQuery,
    ): Promise<void> {
      const info = { format, ...('id' in of ? { of: of.type } : {}), ...filters }
      // Before the entry of the export itself, which may well match what it asks for.
      const end = await audit.end()
      await database.transact((tx) =>
        of.type === 'team' && of.id !== undefined && !('scope' in filters)
          ? audit.record(tx, actor, 'team.audit-log.exported', { type: 'team', id: of.id, team: of.id }, { info })
          : audit.record(tx, actor, 'platform.audit-log.exported', platformScope, { info }),
      )
      const portions = audit.all(of, filters, end)
      const name = `audit-log-${'id' in of && of.id !== undefined ? 'team' : 'platform'}.${format}`
      reply
        .header('content-type', format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8')
        .header('content-disposition', `attachment; filename="${name}"`)
        .header('x-content-type-options', 'nosniff')
        .send(Readable.from(format === 'csv' ? csv(portions) : json(portions)))
    },
  }
}
