import { type DeletedInstance as DeletedView, InstanceName, intervals } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import { iso } from '../../platform/clock.ts'
import { whenBroken } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import type { Quotas } from '../team-types/index.ts'
import { type TeamRow, teamRef } from '../teams/index.ts'
import {
  type DeletedInstance,
  findDeleted,
  listDeleted,
  listExpired,
  updateDeleted,
  untilDeleted,
  busy,
  bySystem,
  instanceRef,
  type LifecycleDependencies,
  findByName,
  instanceEvent,
} from '../instances/index.ts'

const operationMs = 10 * 60_000
const sweepEveryMs = 15 * 60_000
/** A failed removal is tried again with the next sweep; until then the others have their turn. */
const sweptAtOnce = 200

export type Deleted = ReturnType<typeof createDeleted>

/** Instances that were deleted: kept out of sight, to be had back for seven days, then removed for good. */
export function createDeleted(deps: LifecycleDependencies & { quotas: Pick<Quotas, 'addInstance'> }) {
  const { database, bus, clock, log, jobs, audit, hooks } = deps
  let timer: NodeJS.Timeout | undefined

  async function ofTeam(teamId: string, id: string): Promise<DeletedInstance> {
    const row = await findDeleted(database.read, id)
    if (row?.team_id !== teamId) throw fail('not_found')
    return row
  }

  async function enqueueRemoval(tx: Tx, row: { id: string; team_id: string }, actor: Actor, background: boolean) {
    if (await jobs.isOpen(tx, row.id)) return undefined
    // A request to restore it at the same moment comes before this or after it.
    if (!(await updateDeleted(tx, row.id, { updated_at: clock.now() }))) return undefined
    const order = { subject: row.id, teamId: row.team_id, payload: { actor }, background }
    return jobs.enqueue(tx, 'instance.remove', order)
  }

  /** Has everything removed that was deleted long enough ago. */
  async function sweep(): Promise<void> {
    const expired = await listExpired(database.read, clock.now() - intervals.deletedKept, sweptAtOnce)
    for (const row of expired) await database.transact((tx) => enqueueRemoval(tx, row, bySystem.actor, true))
  }
  const sweepSafely = () =>
    void sweep().catch((error: unknown) => log.warn({ err: error }, 'deleted instances not removed'))

  return {
    sweep,
    start(): void {
      sweepSafely()
      timer = setInterval(sweepSafely, sweepEveryMs)
    },
    stop: (): void => clearInterval(timer),

    list: async (teamId: string): Promise<DeletedView[]> =>
      (await listDeleted(database.read, teamId)).map((row) => ({
        id: row.id,
        name: row.name,
        application: { id: row.application_id, name: row.application_name },
        deletedAt: iso(row.deleted_at ?? 0),
        until: iso((row.deleted_at ?? 0) + intervals.deletedKept),
        ...(row.deleted_by === null ? {} : { deletedBy: row.deleted_by }),
      })),

    /**
     * Brings an instance back as it was, under another name if it asks for one; it starts if it ran before.
     * @throws Failure not_found, invalid_project_name when the name is taken, invalid_state while it is being removed.
     */
    async restore(actor: Actor, team: TeamRow, id: string, name: string | undefined): Promise<void> {
      const row = await ofTeam(team.id, id)
      const wanted = name ?? row.name
      const named = InstanceName.safeParse(wanted)
      if (!named.success) throw fail('invalid_project_name', named.error.issues[0]?.message, { field: 'name' })
      const taken = () => fail('invalid_project_name', 'The name is already in use', { field: 'name' })
      const change = database.transact(async (tx) => {
        if (await jobs.isOpen(tx, id)) throw busy()
        if (await findByName(tx, wanted.toLowerCase())) throw taken()
        await hooks.run('instance.coming', tx, row.application_id, row)
        await deps.quotas.addInstance(tx, team.id, { typeId: row.type_id, replicas: row.replicas })
        const now = clock.now()
        const starts = row.wanted === 'running'
        const back = await updateDeleted(tx, id, {
          deleted_at: null,
          deleted_by: null,
          name: wanted,
          name_key: wanted.toLowerCase(),
          updated_at: now,
          ...(starts ? { in_flight: 'starting', in_flight_until: now + operationMs } : {}),
        })
        if (!back) throw fail('not_found')
        if (await jobs.isOpen(tx, id)) throw busy()
        const body = { team: teamRef(team), project: instanceRef({ id, name: wanted }) }
        await audit.record(tx, actor, 'project.undeleted', { type: 'team', id: team.id, team: team.id }, body)
        await audit.record(tx, actor, 'project.undeleted', { type: 'project', id, team: team.id }, body)
        if (starts) await jobs.enqueue(tx, 'instance.start', { subject: id, teamId: team.id, payload: { actor } })
        await bus.publish(tx, instanceEvent(back, now))
        await bus.publish(tx, { type: 'team', team: team.id })
      })
      await change.catch(whenBroken('unique', taken))
    },

    /** Removes it with everything it holds, for good, and waits for it. @throws Failure not_found, invalid_state. */
    async remove(actor: Actor, team: TeamRow, id: string): Promise<void> {
      const row = await ofTeam(team.id, id)
      await untilDeleted(bus, id, () =>
        database.transact(async (tx) => {
          if (!(await enqueueRemoval(tx, row, actor, false))) throw busy()
        }),
      )
    },
  }
}
