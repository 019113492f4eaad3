import type { Driver, Endpoint } from '@app/drivers'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { findByName } from './instances.store.ts'
import { shownState } from './instances.view.ts'

/** What stands behind a host name. */
export type Destination =
  | { kind: 'ready'; endpoint: Endpoint }
  | { kind: 'away'; name: string; state: string }
  | { kind: 'unknown' }

/**
 * Finds the instance of a host name for every proxied request. Names are remembered and forgotten
 * again with every change of state, so a request costs no query while an instance runs.
 */
export function createDirectory(deps: {
  database: Database
  bus: Bus
  driver: Driver
  clock: Clock
  instanceDomain: string
}) {
  const { database, bus, driver, clock } = deps
  const suffix = `.${deps.instanceDomain.toLowerCase()}`
  const running = new Map<string, string>()
  const forget = (id: string) => {
    for (const [name, known] of running) if (known === id) running.delete(name)
  }
  const unsubscribe = bus.subscribe((event) => {
    if (event.type === 'instance' || event.type === 'instance.deleted') forget(event.id)
  })
  const unhook = bus.onGap(() => running.clear())

  return {
    /** `host` as in the Host header, lower case. */
    resolve(host: string): Destination | Promise<Destination> {
      if (!host.endsWith(suffix)) return { kind: 'unknown' }
      const name = host.slice(0, -suffix.length)
      const id = running.get(name)
      const endpoint = id === undefined ? undefined : driver.endpoint(id)
      return endpoint ? { kind: 'ready', endpoint } : look(name)
    },
    close() {
      unsubscribe()
      unhook()
    },
  }

  async function look(name: string): Promise<Destination> {
    const row = await findByName(database.read, name)
    if (!row) return { kind: 'unknown' }
    const state = shownState(row, clock.now())
    const endpoint = driver.endpoint(row.id)
    if (!endpoint || (state !== 'running' && state !== 'safe')) return { kind: 'away', name: row.name, state }
    running.set(name, row.id)
    return { kind: 'ready', endpoint }
  }
}
