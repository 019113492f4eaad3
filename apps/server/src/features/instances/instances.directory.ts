import type { Driver, Endpoint } from '@app/drivers'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Bus } from '../../platform/events/bus.ts'
import type { Activity } from './instances.activity.ts'
import type { Sleep } from './instances.sleep.ts'
import { type BriefInstance, findByName } from './instances.store.ts'
import { shownState } from './instances.view.ts'
import { createWaking } from './instances.wake.ts'

/** What stands behind a host name. */
export type Destination =
  | { kind: 'ready'; endpoint: Endpoint; begin: () => () => void }
  | { kind: 'away'; name: string; state: string }
  | { kind: 'unknown' }

export interface DirectoryDependencies {
  database: Database
  bus: Bus
  driver: Driver
  clock: Clock
  activity: Activity
  sleep: Sleep
  wake(row: BriefInstance): Promise<void>
  instanceDomain: string
}

/**
 * Finds the instance of a host name for every proxied request. Names are remembered and forgotten
 * again with every change of state, so a request costs no query while an instance runs. What is asked
 * of a sleeping instance wakes it and waits.
 */
export function createDirectory(deps: DirectoryDependencies) {
  const { database, bus, driver, clock, activity, sleep } = deps
  const suffix = `.${deps.instanceDomain.toLowerCase()}`
  const running = new Map<string, { id: string; begin: () => () => void }>()
  const waking = createWaking({ bus, driver, clock, wake: deps.wake, look: (name) => findByName(database.read, name) })
  const forget = (id: string) => {
    for (const [name, known] of running) if (known.id === id) running.delete(name)
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
      const known = running.get(name)
      const endpoint = known && sleep.falling(known.id) === undefined ? driver.endpoint(known.id) : undefined
      return endpoint ? { kind: 'ready', endpoint, begin: known!.begin } : look(name)
    },
    close() {
      unsubscribe()
      unhook()
      waking.close()
    },
  }

  async function look(name: string): Promise<Destination> {
    const found = await findByName(database.read, name)
    if (!found) return { kind: 'unknown' }
    const fall = sleep.falling(found.id)
    await fall
    const row = fall ? await findByName(database.read, name) : found
    if (!row) return { kind: 'unknown' }
    const begin = activity.beginOf(row.id)
    const state = shownState(row, clock.now())
    const endpoint = driver.endpoint(row.id)
    if (endpoint && (state === 'running' || state === 'safe')) {
      running.set(name, { id: row.id, begin })
      activity.touch(row.id)
      return { kind: 'ready', endpoint, begin }
    }
    if (row.asleep === 0) return { kind: 'away', name: row.name, state }
    const woken = await waking.wait(row)
    return typeof woken === 'string'
      ? { kind: 'away', name: row.name, state: woken }
      : { kind: 'ready', endpoint: woken, begin }
  }
}
