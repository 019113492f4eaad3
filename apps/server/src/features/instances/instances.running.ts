import {
  DriverError,
  type Hold,
  type InstanceSpec,
  type ModulesSpec,
  type Report,
  type Slot,
  slots,
} from '@app/drivers'
import * as z from 'zod/mini'
import { hashToken, newToken } from '../../platform/crypto.ts'
import { jsonColumn } from '../../platform/db/json.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { LifecycleDependencies } from './instances.lifecycle.ts'
import { accessContext, secretContext } from './instances.contexts.ts'
import { untilStartedBy, statusOfMember } from '@app/drivers/judging'
import type { WholeInstance } from './instances.lists.store.ts'
import { updateInstance } from './instances.store.ts'
import { instanceEvent } from './instances.view.ts'

/** Maximum time for a process that is to end to finish what it has in hand. WebSockets are ended then. */
const drainMs = 5_000
/** Maximum time for requests whose flows are about to be stopped. */
const requestsMs = 300

/** The access of a process to the platform. */
type Access = Pick<InstanceSpec, 'token' | 'client'>
const readAccess = jsonColumn<Access>(
  'instances.access',
  z.object({ token: z.string(), client: z.object({ id: z.string(), secret: z.string() }) }),
)

/** Which processes are restarted in turn, and how. */
interface Roll {
  slots?: readonly Slot[]
  passes?: (slot: Slot) => Promise<void>
  /** Called once it acts, before it is sent requests; `refused`: where it cannot listen. What it throws ends the round. */
  acts?: (slot: Slot, refused: readonly string[]) => Promise<void>
  /** The actions each process holds back until it has passed. */
  hold?: Hold | undefined
}

/** Processes that start now read at least these settings. */
const revisionsOf = ({ settings_revision, access_revision }: WholeInstance) => ({
  settings_running: settings_revision,
  access_running: access_revision,
})

/** The addresses a process receives when it starts, and keeps until it ends. */
export const addressesOf = (
  { addresses, platformUrl }: Pick<LifecycleDependencies, 'addresses' | 'platformUrl'>,
  row: Pick<WholeInstance, 'name' | 'port'>,
): string => [addresses.baseUrl, addresses.instanceUrl(row), platformUrl].join(' ')

export type Running = ReturnType<typeof createRunning>

/** The processes of instances: one, or two of high availability. */
export function createRunning(deps: LifecycleDependencies, modulesOf: (row: WholeInstance) => ModulesSpec) {
  const { database, bus, clock, driver, tokens, vault, traffic, host } = deps

  /** Another token and client for an instance that does not run; the former ones are worth nothing then. */
  async function renew(row: WholeInstance): Promise<Access> {
    const client = { id: newToken('ffp'), secret: newToken('ffs') }
    return database.transact(async (tx) => {
      await host.mayStart(tx)
      const access = { token: await tokens.forInstance(tx, row), client }
      await updateInstance(tx, row.id, {
        client_id: client.id,
        client_secret_hash: hashToken(client.secret),
        access: vault.seal(JSON.stringify(access), accessContext(row.id)),
        ...revisionsOf(row),
        started_as: addressesOf(deps, row),
      })
      return access
    })
  }

  function specOf(row: WholeInstance, access: Access, again?: { safe: boolean }): InstanceSpec {
    return {
      ...modulesOf(row),
      ...(row.modules_fault === null ? {} : { keepModules: true }),
      ...(row.type_driver === null ? {} : { driver: row.type_driver }),
      name: row.name,
      teamId: row.team_id,
      platformUrl: deps.platformUrl,
      instanceUrl: deps.addresses.instanceUrl(row),
      ...access,
      credentialSecret: vault.open(row.credential_secret, secretContext(row.id)),
      ...(again ? { again: true, safe: again.safe } : {}),
    }
  }

  /**
   * For a further process of an instance that runs: it shows the platform what the first one does.
   * @throws DriverError not_beside for one that was started by a platform that did not keep that.
   */
  async function candidateSpec(row: WholeInstance, again?: { safe: boolean }): Promise<InstanceSpec> {
    await database.transact((tx) => host.mayStart(tx))
    if (row.access === null) throw new DriverError('not_beside', 'The instance was started by an earlier platform')
    return specOf(row, readAccess(vault.open(row.access, accessContext(row.id)), row.id), again)
  }

  /** Notes which settings all processes have by now: those of `row`, which was read before they were started. */
  async function note(row: WholeInstance): Promise<void> {
    await database.transact(async (tx) => {
      const now = await updateInstance(tx, row.id, revisionsOf(row))
      if (now) await bus.publish(tx, instanceEvent(now, clock.now()))
    })
    deps.protection.enforce(row.id)
  }

  const notHost = () => new DriverError('not_host', 'Another server runs the instances now')

  /** Asked before a version begins to act. @throws DriverError not_host when another server runs the instances by now. */
  async function mayAct(): Promise<void> {
    if (await host.isLost()) throw notHost()
  }

  const isElsewhere = async (): Promise<boolean> => host.isLost().catch(() => false)

  /**
   * Stops the flows of an instance of one process before the process is stopped, so that messages under way are handled
   * and none is taken that would not be. Returns since when nothing acts.
   */
  async function still({ id, replicas }: WholeInstance): Promise<number> {
    const [place] = (replicas === null && driver.pair?.serving(id)) || []
    // One that does not answer is ended as it is.
    if (!place || !(await driver.pair!.opens(id, place.slot))) return Date.now()
    return driver.pair!.pause(id, place.slot).catch(() => Date.now())
  }

  return {
    candidateSpec,
    note,

    /** Why no process can be started beside the one that serves, in a sentence; undefined where one can. */
    async obstacle(row: WholeInstance): Promise<string | undefined> {
      if (row.access === null) return 'The instance was started by an earlier platform'
      return driver.pair?.obstacle({ ...modulesOf(row), keepModules: row.modules_fault !== null })
    },

    /** Sends nothing more to a process whose flows are about to be stopped, and waits a moment for what it has in hand. */
    drain: async (id: string, slot: Slot): Promise<void> => traffic.release(id, slot, requestsMs),
    still,
    /**
     * Stops an instance that has served until now, its flows first: see `still`. `noted` is told since when nothing acts,
     * before the process is stopped. Where either fails, the flows act again.
     */
    async stopServing(row: WholeInstance, noted: (since: number) => Promise<void>): Promise<void> {
      const since = await still(row)
      try {
        await noted(since)
        await driver.stop(row.id)
      } catch (error) {
        if (!(await isElsewhere())) await driver.pair?.giveBack(row.id).catch(() => undefined)
        throw error
      }
    },
    mayAct,
    /** Does another server run the instances, as far as that can be found out? Nothing of them may be started here then. */
    isElsewhere,
    /** Keeps the instances on this server until the transaction has ended. @throws DriverError not_host */
    async keepHost(tx: Tx): Promise<void> {
      if (!(await host.holds(tx))) throw notHost()
    },
    /** Sends the instance nothing, until `open`: what runs of it is not to act. */
    close: (id: string): void => traffic.close(id),
    open: (id: string): void => traffic.open(id),
    /** Requests wait while one version takes over from another and neither answers. */
    takingOver: async (id: string, takeover: () => Promise<void>): Promise<void> => traffic.during(id, takeover),
    /** The new version answers, while it is still judged: those that wait are sent to it. */
    moved: (id: string): void => traffic.moved(id),
    /** It is sent requests again. */
    keep: (id: string, slot: Slot): void => traffic.claim(id, slot),

    /** Starts all processes that an instance is to have; what runs of it is ended first. Only one process can be held. */
    async start(row: WholeInstance, again?: { safe: boolean }, hold?: Hold): Promise<void> {
      // A process left by an interrupted try holds secrets that are about to be replaced.
      await driver.stop(row.id)
      const spec = specOf(row, await renew(row), again)
      for (const slot of slots) traffic.claim(row.id, slot)
      if (row.replicas === null || !driver.pair) return driver.start(spec, hold)
      for (const slot of slots) await driver.pair.start(spec, slot)
    },

    /** Can its processes be restarted one after the other? */
    canRoll: (row: WholeInstance): boolean =>
      row.replicas !== null && row.access !== null && driver.pair?.serving(row.id).length === slots.length,

    /**
     * Restarts one process after the other, all or those in `slots`. With `passes` each is sent requests only once that
     * has resolved; what it throws ends the round, and the process in question stays left out.
     * @throws DriverError when one does not come up; the other goes on then.
     */
    async roll(
      row: WholeInstance,
      report: Report,
      { slots: all = slots, passes, acts, hold }: Roll = {},
    ): Promise<void> {
      const { id } = row
      const pair = driver.pair!
      for (const [at, slot] of all.entries()) {
        report({ text: `Process ${at + 1} of ${all.length}`, done: at, total: all.length })
        let isLeftOut = passes !== undefined
        try {
          await traffic.release(id, slot, drainMs)
          await pair.stop(id, slot)
          await pair.start(await candidateSpec(row), slot, hold)
          if (passes) await passes(slot)
          else await untilStartedBy(async () => statusOfMember(pair, id, slot))
          if (hold) await mayAct()
          const released = hold && (await pair.release(id, slot, Date.now()))
          await acts?.(slot, released?.refused ?? [])
          isLeftOut = false
        } finally {
          if (!isLeftOut) traffic.claim(id, slot)
        }
      }
      if (all.length === slots.length) await note(row)
    },

    /**
     * Starts one of two processes again after its crash, while the other goes on. It is ended again if the instance was
     * to do without it in the meantime.
     * @throws DriverError
     */
    async startAgain(row: WholeInstance, slot: Slot, again: { safe: boolean }, isWanted: () => Promise<boolean>) {
      await driver.pair!.start(await candidateSpec(row, again), slot)
      if (!(await isWanted())) await driver.pair!.stop(row.id, slot)
    },

    /** Ends a process that another stands in for, once it has nothing in hand any more. */
    async retire(id: string, slot: Slot): Promise<void> {
      await traffic.release(id, slot, drainMs)
      await driver.pair!.stop(id, slot)
      traffic.claim(id, slot)
    },
  }
}
