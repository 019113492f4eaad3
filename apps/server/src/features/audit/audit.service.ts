import {
  type AuditEntry,
  type AuditKey,
  type AuditPage,
  type AuditQuery,
  type AuditScope,
  auditEvents,
  type BodyFor,
  limits,
  roles,
} from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import { type Clock, iso } from '../../platform/clock.ts'
import type { Signer } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { objectColumn } from '../../platform/db/json.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { signEntry } from './audit.chain.ts'
import { staysOf } from './audit.device-log.ts'
import type { Trigger } from './audit.reports.ts'
import { countEntries, findEntries } from './audit.search.ts'
import { type AuditFilter, type AuditLogOf, insertEntry, newestId, type ShownEntry } from './audit.store.ts'

/** Where an entry stands: whose log, and which team's browsers are told of it. */
export interface AuditSubject {
  type: AuditScope
  id: string
  team?: string
}

export interface Audit {
  /** Records an event in the transaction of the change it is about. */
  record<K extends AuditKey>(tx: Tx, actor: Actor, event: K, auditScope: AuditSubject, body: BodyFor<K>): Promise<void>
  /** Records what a running instance or a device reports. */
  recordReported(tx: Tx, trigger: Trigger, event: string, auditScope: AuditSubject, body: object): Promise<void>
  /** Addresses of people are shown to whoever may see them. */
  list(of: AuditLogOf, query: AuditQuery, reader: Reader): Promise<AuditPage>
  /** Every entry before `end` that `list` would show page by page, in portions. */
  all(of: AuditLogOf, query: Filters, end: number): AsyncGenerator<AuditEntry[]>
  /** The id that follows the newest entry of all. */
  end(): Promise<number>
}

/** The reader of a log: owners of the team and administrators see the addresses of people. */
export interface Reader {
  role: number
}

export type { AuditLogOf }
type Filters = Omit<AuditQuery, 'cursor' | 'limit'>

const platform: Trigger = {
  trigger_id: 'system',
  trigger_type: 'system',
  trigger_name: 'Forge Platform',
  username: null,
  address: '',
}

function triggerOf(actor: Actor): Trigger {
  if (actor.kind === 'user') {
    return {
      trigger_id: actor.userId,
      trigger_type: 'user',
      // A reader of the log must be able to tell a person from a program of theirs.
      trigger_name: 'name' in actor.via ? `${actor.name} (access token “${actor.via.name}”)` : actor.name,
      username: actor.username,
      address: actor.address,
    }
  }
  if (actor.kind === 'system') return platform
  const byToken = { trigger_type: 'system' as const, username: null, address: actor.address }
  if (actor.kind === 'provisioning')
    return { ...byToken, trigger_id: actor.tokenId, trigger_name: `provisioning token “${actor.name}”` }
  if (actor.kind === 'scim')
    return { ...byToken, trigger_id: actor.tokenId, trigger_name: `SCIM token “${actor.name}”` }
  if (actor.kind === 'setup') return { ...byToken, trigger_id: actor.deviceId, trigger_name: 'one-time code' }
  return { trigger_id: null, trigger_type: 'unknown', trigger_name: 'unknown', username: null, address: actor.address }
}

const bodyOf = objectColumn('audit_log.body')

function view(row: ShownEntry, withAddress: boolean): AuditEntry {
  return {
    id: String(row.id),
    createdAt: iso(row.created_at),
    event: row.event,
    username: row.username,
    scope: { id: row.scope_id, type: row.scope_type },
    trigger: { id: row.trigger_id, type: row.trigger_type, name: row.trigger_name },
    address: (withAddress && row.address) || null,
    // Entries of earlier versions hold values of variables.
    body: withoutValues(bodyOf(row.body, String(row.id))),
  }
}

/** The device in whose log an entry stands as well. Of an assignment that is the entry of the team, and not that of the instance too. */
function deviceOf(event: string, { device }: { device?: { id: string } }): string | null {
  return secondOfTwo.includes(event) ? null : (device?.id ?? null)
}

const secondOfTwo: readonly string[] = ['project.device.assigned', 'project.device.unassigned'] satisfies AuditKey[]

const portion = 1000

async function filterOf(
  db: Db,
  of: AuditLogOf,
  { event, username, query, search, from, to }: Filters,
): Promise<AuditFilter> {
  const times = { from: from && Date.parse(from), to: to && Date.parse(to) }
  return {
    ...(of.type === 'device log' ? { ...of, stays: await staysOf(db, of) } : of),
    events: [event ?? []].flat(),
    username: username || undefined,
    query: query || search,
    from: times.from || undefined,
    to: times.to || undefined,
  }
}

export interface AuditDependencies {
  database: Database
  bus: Bus
  clock: Clock
  /** Shows that an entry is ours. */
  signer: Signer
}

/** The append-only record of who did what, when and from where. */
export function createAudit({ database, bus, clock, signer }: AuditDependencies): Audit {
  async function append(
    tx: Tx,
    trigger: Trigger,
    event: string,
    auditScope: AuditSubject,
    body: object,
  ): Promise<void> {
    const entry = {
      ...trigger,
      created_at: clock.now(),
      event,
      scope_type: auditScope.type,
      scope_id: auditScope.id,
      body: JSON.stringify(withoutValues(body)),
      device_id: deviceOf(event, body),
    }
    const id = await insertEntry(tx, { ...entry, mac: signEntry(signer, entry) })
    if (!auditScope.team || (auditScope.type !== 'team' && auditScope.type !== 'project')) return
    await bus.publish(tx, {
      type: 'audit',
      team: auditScope.team,
      scope: auditScope.type,
      id: auditScope.type === 'team' ? String(id) : auditScope.id,
    })
  }

  return {
    async record(tx, actor, event, auditScope, body) {
      const scopes: readonly AuditScope[] = auditEvents[event].scopes
      if (!scopes.includes(auditScope.type)) throw new Error(`${event} does not belong in a ${auditScope.type} log`)
      await append(tx, triggerOf(actor), event, auditScope, body)
    },
    recordReported: append,
    async list(of, { cursor, limit = limits.auditPage, ...filters }, { role }) {
      const filter = await filterOf(database.read, of, filters)
      const { rows, next, indexing } = await findEntries(
        database,
        filter,
        cursor === undefined ? undefined : Number(cursor),
        limit,
      )
      return {
        meta: {
          ...(next === undefined ? {} : { next_cursor: String(next) }),
          ...(indexing === undefined ? {} : { indexing }),
        },
        // A result on one page needs no second search.
        count: cursor === undefined && next === undefined ? rows.length : await countEntries(database, filter),
        log: rows.map((row) => view(row, role >= roles.owner)),
      }
    },
    end: async () => (await newestId(database.read)) + 1,
    async *all(of, filters, end) {
      const filter = await filterOf(database.read, of, filters)
      for (let before = end; ; ) {
        const { rows, next } = await findEntries(database, filter, before, portion)
        yield rows.map((row) => view(row, true))
        if (next === undefined) return
        before = next
      }
    },
  }
}

/** A body that names the variables that were changed, and never what they hold: it may be a password. */
function withoutValues<T extends { updates?: unknown }>(body: T): T {
  if (!Array.isArray(body.updates)) return body
  const updates = body.updates.map((change: { key?: unknown; dif?: unknown }) =>
    String(change.key).startsWith('env.') ? { key: change.key, dif: change.dif } : change,
  )
  return { ...body, updates }
}

/** The changes between two records, for an event's `updates`; values of secret keys are hidden. */
export function changes(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): BodyFor<'application.updated'>['updates'] {
  return Object.keys(after)
    .filter((key) => after[key] !== undefined && after[key] !== before[key])
    .map((key) => ({
      key,
      old: hide(key, before[key]),
      new: hide(key, after[key]),
      dif: before[key] === undefined ? 'created' : 'updated',
    }))
}

function hide(key: string, value: unknown): unknown {
  return /(pass|password|token|secret|credentials|credentialSecret|cookieSecret)$/.test(key) ? '***' : value
}
