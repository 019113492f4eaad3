import type { Actor } from '../../platform/authz/actor.ts'
import { iso } from '../../platform/clock.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { instanceRef, type LifecycleDependencies } from './instances.lifecycle.ts'
import type { Launch } from './instances.service.ts'
import { type InstanceRow, lockInstance } from './instances.store.ts'
import { shownState } from './instances.view.ts'
import { prepareFlows, type Versions } from './versions.service.ts'

/** Who did something, as versions name people. */
export const personOf = (actor: Actor) => (actor.kind === 'user' ? { id: actor.userId, name: actor.name } : undefined)

/**
 * Makes an earlier version the flows of an instance again, with the credentials it had. What was there before is a
 * version itself, so a restore can be undone by another. Where there is a process, it restarts on them.
 * @throws Failure not_found, invalid_state while something else is done to the instance.
 */
export function createRestore(deps: LifecycleDependencies & { versions: Versions; launch: Launch }) {
  const { database, clock, audit, jobs, versions } = deps
  return async (actor: Actor, instance: InstanceRow, versionId: string): Promise<void> => {
    const { version, flows: text } = await versions.get(instance.id, versionId)
    const flows = await prepareFlows(text)
    const credentials = versions.credentialsOf(version)
    const also = async (tx: Tx) => {
      await versions.write(
        tx,
        instance.id,
        { flows, credentials },
        { kind: 'restore', by: personOf(actor), from: version },
      )
      const place = { type: 'project' as const, id: instance.id, team: instance.team_id }
      const info = { version: version.id, from: iso(version.created_at) }
      await audit.record(tx, actor, 'project.flow-restored', place, { project: instanceRef(instance), info })
    }
    const state = shownState(instance, clock.now())
    if (state !== 'suspended' && state !== 'stopped')
      return deps.launch(instance, { state: 'restarting', kind: 'instance.restart', from: 'awake' }, { actor }, also)
    await database.transact(async (tx) => {
      // What is just being started may have read the flows already.
      if (await jobs.isOpen(tx, instance.id)) throw fail('invalid_state')
      const row = await lockInstance(tx, instance.id, database.kind === 'postgres')
      if (!row) throw fail('not_found')
      if (shownState(row, clock.now()) !== state) throw fail('invalid_state')
      await also(tx)
    })
  }
}
