import { EventEmitter } from 'node:events'
import { sql } from 'kysely'
import type { PushEvent } from '@app/contract'
import { afterCommit, type Database } from '../db/database.ts'
import type { Tx } from '../db/tables.ts'

/**
 * Events between server processes that no browser gets, each with what it says. The feature that hears one declares this
 * interface again.
 */
export interface ServerEvents {}

/** Events for browsers, and between server processes. */
export type BusEvent = PushEvent | { [K in keyof ServerEvents]: { type: K } & ServerEvents[K] }[keyof ServerEvents]

/** Tells every server process, and through them every browser, of what a transaction changed. */
export interface Bus {
  /**
   * Sent when the transaction commits, and never if it does not. An event of 7,900 bytes and more says only that its team
   * changed, or `short` in its place.
   * @throws Error when it is too large and has neither.
   */
  publish(tx: Tx, event: BusEvent, short?: BusEvent): Promise<void>
  subscribe(listener: (event: BusEvent) => void): () => void
  /** Told whenever events may have been missed: whoever keeps a copy reads it anew. */
  onGap(listener: () => void): () => void
  close(): Promise<void>
}

const channel = 'forge_events'
/** PostgreSQL refuses notifications of 8000 bytes and more. */
const largest = 7_900

function shortOf(event: BusEvent, short?: BusEvent): BusEvent {
  if (short) return short
  if ('team' in event) return { type: 'team', team: event.team }
  throw new Error(`An event of the type ${event.type} is too large, and has no short form`)
}

export async function createBus(database: Database): Promise<Bus> {
  const emitter = new EventEmitter<{ event: [BusEvent]; gap: [] }>()
  emitter.setMaxListeners(0)
  // Only `publish` writes payloads, here or in another server.
  const hear = (payload: string) => emitter.emit('event', JSON.parse(payload) as BusEvent)
  const link = database.url
    ? (await import('../db/postgres.ts')).listen(database.url, channel, hear, () => emitter.emit('gap'))
    : undefined
  await link?.ready

  return {
    async publish(tx, event, short) {
      const payload = JSON.stringify(event)
      if (!link) return afterCommit(tx, () => hear(payload))
      const sent = Buffer.byteLength(payload) < largest ? payload : JSON.stringify(shortOf(event, short))
      await sql`select pg_notify(${channel}, ${sent})`.execute(tx)
    },
    subscribe(listener) {
      emitter.on('event', listener)
      return () => void emitter.off('event', listener)
    },
    onGap(listener) {
      emitter.on('gap', listener)
      return () => void emitter.off('gap', listener)
    },
    async close() {
      emitter.removeAllListeners()
      await link?.close()
    },
  }
}
