import { EventEmitter } from 'node:events'
import { sql } from 'kysely'
import type { PushEvent } from '@app/contract'
import { afterCommit, type Database } from '../db/database.ts'
import type { Tx } from '../db/tables.ts'

/**
 * Events between server processes that no browser gets, each with what it says. The feature that hears one declares this
 * interface again. One of 7,900 bytes and more arrives without anything but its type.
 */
export interface ServerEvents {}

/** Events for browsers, and between server processes. */
export type BusEvent = PushEvent | { [K in keyof ServerEvents]: { type: K } & ServerEvents[K] }[keyof ServerEvents]

/** Tells every server process, and through them every browser, of what a transaction changed. */
export interface Bus {
  /** Sent when the transaction commits, and never if it does not. */
  publish(tx: Tx, event: BusEvent): Promise<void>
  subscribe(listener: (event: BusEvent) => void): () => void
  /** Told whenever events may have been missed: whoever keeps a copy reads it anew. */
  onGap(listener: () => void): () => void
  close(): Promise<void>
}

const channel = 'forge_events'
/** PostgreSQL refuses notifications of 8000 bytes and more; a larger event says only that the team changed. */
const largest = 7_900

export async function createBus(database: Database): Promise<Bus> {
  const emitter = new EventEmitter()
  emitter.setMaxListeners(0)
  const hear = (payload: string) => emitter.emit('event', JSON.parse(payload))
  const link = database.url
    ? (await import('../db/postgres.ts')).listen(database.url, channel, hear, () => emitter.emit('gap'))
    : undefined
  await link?.ready

  const on = (name: string, listener: (value: BusEvent) => void) => {
    emitter.on(name, listener)
    return () => void emitter.off(name, listener)
  }
  return {
    async publish(tx, event) {
      const payload = JSON.stringify(event)
      if (!link) return afterCommit(tx, () => hear(payload))
      const rest = 'team' in event ? { type: 'team', team: event.team } : { type: event.type }
      const short = Buffer.byteLength(payload) < largest ? payload : JSON.stringify(rest)
      await sql`select pg_notify(${channel}, ${short})`.execute(tx)
    },
    subscribe: (listener) => on('event', listener),
    onGap: (listener) => on('gap', listener),
    async close() {
      emitter.removeAllListeners()
      await link?.close()
    },
  }
}
