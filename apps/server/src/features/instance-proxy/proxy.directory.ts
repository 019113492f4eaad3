import type { Driver } from '@app/drivers'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { consoleHosts, type Destination } from '../../platform/proxy/index.ts'
import { type Activity, type Sleep, createWaking } from '../sleep/index.ts'
import { type BriefInstance, findByName, findByPort, isUnprotected, shownState } from '../instances/index.ts'
import type { EditorGateway } from '../devices/index.ts'
import { awayNotice, unknownHost } from './proxy.notices.ts'
import { patienceMs, type Traffic } from './proxy.traffic.ts'
import type { Visitor } from './proxy.visitor.ts'

const away = (name: string, state: string): Destination => ({ kind: 'refused', notice: awayNotice(name, state) })

export interface DirectoryDependencies {
  database: Database
  bus: Bus
  driver: Driver
  clock: Clock
  activity: Activity
  traffic: Traffic
  sleep: Sleep
  wake(row: BriefInstance): Promise<void>
  baseUrl: string
  instanceDomain: string
  /** The port of the instance that a host means, where they have ports in the place of names. */
  portOf: ((host: string) => number | undefined) | undefined
  /** The editors of devices, which have host names too. */
  editorGateway: Pick<EditorGateway, 'destinationOf'>
}

export type Directory = ReturnType<typeof createDirectory>

/**
 * Finds the instance of a host name for every proxied request. Names are remembered and forgotten
 * again with every change of state, so a request costs no query while an instance runs. What is asked
 * of a sleeping instance wakes it and waits.
 */
export function createDirectory(deps: DirectoryDependencies) {
  const { database, bus, driver, clock, activity, traffic, sleep, portOf } = deps
  // The set-up page asks for a name that no instance has, to see whether names lead here.
  const unknown: Destination = {
    kind: 'refused',
    notice: { ...unknownHost, readableFrom: consoleHosts(deps.baseUrl) },
  }
  const suffix = `.${deps.instanceDomain.toLowerCase()}`
  const running = new Map<number | string, { id: string }>()
  const waking = createWaking({ bus, driver, clock, wake: deps.wake, look: (name) => findByName(database.read, name) })
  const forget = (id: string) => {
    for (const [key, known] of running) if (known.id === id) running.delete(key)
  }
  const unsubscribe = bus.subscribe((event) => {
    if (event.type === 'instance' || event.type === 'instance.deleted') forget(event.id)
  })
  const unhook = bus.onGap(() => running.clear())

  return {
    /** `host` as in the Host header, lower case. Requests of one `visitor` go to one process while it serves. */
    resolve(host: string, visitor?: Visitor): Destination | Promise<Destination> {
      const editor = deps.editorGateway.destinationOf(host)
      if (editor) return editor
      const key = keyOf(host)
      if (key === undefined) return unknown
      const known = running.get(key)
      const way = known && sleep.falling(known.id) === undefined ? traffic.next(known.id, visitor) : undefined
      return way ? { kind: 'ready', ...way } : look(key, visitor)
    },
    close() {
      unsubscribe()
      unhook()
      waking.close()
    },
  }

  /** A host names an instance by its port, or by its name. */
  function keyOf(host: string): number | string | undefined {
    if (portOf) return portOf(host)
    return host.endsWith(suffix) ? host.slice(0, -suffix.length) : undefined
  }

  async function find(key: number | string): Promise<BriefInstance | undefined> {
    return typeof key === 'number' ? findByPort(database.read, key) : findByName(database.read, key)
  }

  /** `until`: how long it may wait for a version that takes over, in milliseconds since the epoch. */
  async function look(
    key: number | string,
    visitor: Visitor | undefined,
    until = Date.now() + patienceMs,
  ): Promise<Destination> {
    const found = await find(key)
    if (!found) return unknown
    const fall = sleep.falling(found.id)
    await fall
    const row = fall ? await find(key) : found
    if (!row) return unknown
    const state = shownState(row, clock.now())
    const way = isOpen(row.id, state) ? traffic.next(row.id, visitor, until) : undefined
    // The version that took over has ended, or has yet to answer.
    const takenOver = way ? undefined : traffic.takenOver(row.id, until - Date.now())
    if (takenOver) {
      await takenOver
      return look(key, visitor, until)
    }
    if (way && isUnprotected(row)) return away(row.name, 'protecting')
    if (way) {
      running.set(key, { id: row.id })
      activity.touch(row.id)
      return { kind: 'ready', ...way }
    }
    if (row.asleep === 0) return away(row.name, state)
    const woken = await waking.wait(row)
    return typeof woken === 'string'
      ? away(row.name, woken)
      : { kind: 'ready', endpoint: woken, begin: activity.beginOf(row.id) }
  }

  /** One process may serve while another is replaced. */
  function isOpen(id: string, state: string): boolean {
    if (state === 'running' || state === 'safe') return true
    return ['restarting', 'importing', 'installing'].includes(state) && (driver.pair?.serving(id) ?? []).length > 0
  }
}
