import { allows, type Instance } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import { fail } from '../../platform/http/failure.ts'
import { callerRole } from '../application-members/index.ts'
import { teamRef } from '../teams/index.ts'
import { instanceRef, type LifecycleDependencies } from './instances.lifecycle.ts'
import { findWhole } from './instances.lists.store.ts'
import { holdApplicationOf, type InstanceRow, lockInstance, updateInstance } from './instances.store.ts'
import { instanceEvent } from './instances.view.ts'

/** Moves instances between the applications of a team [PERM-42]. */
export function createMove(
  deps: Pick<LifecycleDependencies, 'database' | 'bus' | 'clock' | 'audit' | 'hooks'> & {
    get(id: string): Promise<Instance>
  },
) {
  const { database, bus, clock, audit, hooks } = deps

  /**
   * An application is a shelf: neither the address, the process nor an operation under way knows of it, so nothing
   * of these is touched. To where it is already has no effect.
   * @throws Failure not_found for an application that is not of the instance's team, or was deleted just now;
   * unauthorized where the caller's role in it is too low.
   */
  return async (actor: Actor, { id, team_id }: InstanceRow, applicationId: string): Promise<Instance> => {
    await database.transact(async (tx) => {
      const postgres = database.kind === 'postgres'
      const locked = await lockInstance(tx, id, postgres)
      const userId = actor.kind === 'user' ? actor.userId : ''
      const found = await holdApplicationOf(tx, { teamId: team_id, id: applicationId, userId, postgres })
      const role = found && callerRole(actor, found)
      if (!locked || !found || role === undefined) throw fail('not_found')
      if (!allows(role, 'project:transfer'))
        throw fail('unauthorized', 'Your role in that application does not allow this', { status: 403 })
      const to = { id: found.id, name: found.name }
      if (locked.application_id === to.id) return
      const before = (await findWhole(tx, id))!
      const row = (await updateInstance(tx, id, { application_id: to.id, updated_at: clock.now() }))!
      const body = {
        team: teamRef({ id: team_id, name: before.team_name, slug: before.team_slug }),
        project: instanceRef(row),
        application: to,
        sourceApplication: { id: before.application_id, name: before.application_name },
      }
      await audit.record(tx, actor, 'project.moved', { type: 'team', id: team_id, team: team_id }, body)
      await audit.record(tx, actor, 'project.moved', { type: 'project', id, team: team_id }, body)
      await bus.publish(tx, { ...instanceEvent(row, clock.now()), changed: true })
      await hooks.run('instance.moved', tx, id, before.application_id)
      // The lists of both applications are others now.
      await bus.publish(tx, { type: 'team', team: team_id })
    })
    return deps.get(id)
  }
}
