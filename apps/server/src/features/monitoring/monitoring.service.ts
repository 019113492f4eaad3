import type { InstanceStatus } from '@app/drivers'
import { systemActor } from '../../platform/authz/actor.ts'
import {
  instanceRef,
  type Lifecycle,
  type LifecycleDependencies,
  type Instances,
  addressesOf,
  listAllBrief,
  lockInstance,
  updateInstance,
  instanceEvent,
  isUnprotected,
} from '../instances/index.ts'
import { createRestarts } from './monitoring.restarts.ts'

export type Monitor = ReturnType<typeof createMonitor>

/** Keeps what the driver sees and what is recorded the same. */
export function createMonitor(deps: LifecycleDependencies, instances: Instances, { instance, running }: Lifecycle) {
  const { database, bus, clock, log, audit, driver, host } = deps
  const restarts = createRestarts({
    read: database.read,
    clock,
    log,
    driver,
    revive: instances.revive,
    reviveOne: async (id, slot, again, isWanted) => running.startAgain(await instance(id), slot, again, isWanted),
  })
  let unwatch: (() => void) | undefined
  /** Instances that came up without the protection they should have by now. */
  const behind = new Set<string>()
  const latest = new Map<string, InstanceStatus>()
  /** Changes of one instance are recorded in the order in which they came. */
  let queue: Promise<void> = Promise.resolve()

  async function record(id: string, status: InstanceStatus): Promise<void> {
    // States passed in the meantime are not shown; a crash is never skipped.
    const isPassed = () => latest.get(id) !== status && status.state !== 'crashed'
    if (isPassed()) return
    await database.transact(async (tx) => {
      const before = await lockInstance(tx, id, database.kind === 'postgres')
      // An operation may have ended while this waited for its turn, and what it saw is newer.
      if (isPassed()) return
      // Its absence now does not explain why an operation failed or why it ended.
      const reason = status.reason ?? (status.state === 'stopped' ? before?.reason : undefined) ?? null
      const restart = status.restart ? JSON.stringify(status.restart) : null
      const members = status.members ? JSON.stringify(status.members) : null
      const flows_stopped = status.flowsStopped ? JSON.stringify(status.flowsStopped) : null
      if (before && isUnprotected(before) && (status.state === 'running' || status.state === 'safe')) behind.add(id)
      const isSame =
        before?.observed === status.state &&
        before.reason === reason &&
        before.restart === restart &&
        before.members === members &&
        before.flows_stopped === flows_stopped
      if (!before || (isSame && !status.versions)) return
      const unasked = status.state === 'crashed' && before.observed !== 'crashed' && before.in_flight === null
      const row = await updateInstance(tx, id, {
        observed: status.state,
        reason,
        restart,
        members,
        flows_stopped,
        ...(status.versions ? { versions: JSON.stringify(status.versions) } : {}),
        ...(status.lastStartTime ? { last_start_at: status.lastStartTime } : {}),
      })
      if (!row) return
      if (unasked) {
        const error = { code: 'crashed', message: status.reason ?? 'Node-RED ended unexpectedly' }
        await audit.record(
          tx,
          systemActor,
          'crashed',
          { type: 'project', id, team: row.team_id },
          { project: instanceRef(row), error },
        )
      }
      await bus.publish(tx, instanceEvent(row, clock.now()))
    })
  }

  function observe(id: string, status: InstanceStatus): void {
    latest.set(id, status)
    queue = queue
      .then(() => record(id, status))
      .catch((error: unknown) => log.error({ err: error, instance: id }, 'status not recorded'))
      .finally(() => {
        if (latest.get(id) !== status) return
        latest.delete(id)
        // It has read its settings before the protection was changed.
        if (behind.delete(id)) deps.protection.enforce(id)
        // Not before the crash is recorded, or the start would seem to be its reason.
        if (status.restart) restarts.plan(id, status.restart)
        else planMembers(id, status)
      })
  }

  /** With two processes, the one that has crashed is started again; the other goes on. */
  function planMembers(id: string, { members = [] }: InstanceStatus): void {
    for (const { slot, state, restart } of members)
      if (state === 'crashed' && restart) restarts.planOne(id, slot, restart)
  }

  /** One instance that cannot be put right, or that somebody else just works on, must not keep the server from starting. */
  async function attempt(id: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      log.warn({ err: error, instance: id }, 'the state of an instance was not corrected at the start')
    }
  }

  /** Ends every process that this server has, without a change of what is wanted. */
  async function endAll(ids: readonly string[]): Promise<void> {
    const ended = await Promise.allSettled(ids.map((id) => driver.stop(id)))
    const failed = ended.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }

  return {
    /** `silently`: what they are is another server's to record. */
    async stopAll({ silently = false } = {}): Promise<void> {
      if (silently) {
        unwatch?.()
        await restarts.stop()
      }
      const known = listAllBrief(database.read).then((rows) => rows.map(({ id }) => id))
      // Without the database what is on record here has to do.
      await endAll(await known.catch(() => driver.adopt()))
    },
    /** Starts what is wanted and does not run. */
    async startAll(): Promise<void> {
      for (const row of await listAllBrief(database.read))
        if (row.wanted === 'running' && row.in_flight === null && (await driver.status(row.id)).state === 'stopped')
          await attempt(row.id, () => instances.revive(row))
    },
    /** Ends what an earlier run left, of instances that another server runs now. Returns how many there were. */
    async endLeftovers(): Promise<number> {
      const ids = await driver.adopt()
      await endAll(ids)
      return ids.length
    },
    /** Finds the processes of an earlier run again, then brings those back that should run and do not. */
    async start(): Promise<void> {
      unwatch = driver.watch(observe)
      const alive = new Set(await driver.adopt())
      const isStopped = await host.isStoppedByCommand()
      if (isStopped) {
        await endAll([...alive])
        alive.clear()
      }
      const rows = await listAllBrief(database.read)
      for (const row of rows) {
        if (alive.has(row.id)) observe(row.id, await driver.status(row.id))
        else if (row.in_flight === null && row.wanted !== 'suspended') observe(row.id, await driver.status(row.id))
      }
      const known = new Map(rows.map((row) => [row.id, row]))
      for (const id of alive) {
        const row = known.get(id)
        if (!row || (row.wanted !== 'running' && row.in_flight === null)) await attempt(id, () => driver.stop(id))
      }
      for (const { id, replicas } of rows) {
        const there = replicas !== null && alive.has(id) ? ((await driver.pair?.members(id)) ?? []) : []
        // A kill between the starts of the two left one of them out.
        if (there.length === 1) restarts.planOne(id, there[0]!.slot === 0 ? 1 : 0, { at: clock.now(), safe: false })
      }
      if (isStopped || host.blocked() !== undefined) return
      for (const row of rows) {
        const missing = row.wanted === 'running' && row.in_flight === null && !alive.has(row.id)
        // A crashed instance starts in its turn. Its editor would lead people to addresses that are gone.
        const isMoved = row.started_as !== null && row.started_as !== addressesOf(deps, row)
        if (alive.has(row.id) && isMoved && row.wanted === 'running' && row.in_flight === null)
          await attempt(row.id, () => instances.readdress(row))
        if (missing && !(await driver.status(row.id)).restart) await attempt(row.id, () => instances.revive(row))
      }
    },
    async stop(): Promise<void> {
      unwatch?.()
      await restarts.stop()
      await queue
    },
  }
}
