import type { Extras } from '@app/contract'
import * as z from 'zod/mini'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { newId } from '../../platform/ids.ts'
import { defineJob, type JobDefinition } from '../../platform/jobs/definition.ts'
import { checkModulesOf } from '../modules/index.ts'
import { findWhole, type InstanceRow, Operation, starts } from '../instances/index.ts'
import { createEnd } from './deployments.end.ts'
import type { Brought, Kind } from './deployments.kinds.ts'
import { dropParts, keepParts, packParts } from './deployments.parts.ts'
import { createReplaceSteps, stopStep } from './deployments.replace.ts'
import { createStartStep } from './deployments.start.ts'
import { begun, insertDeployment, listDeployments, nameOf, updateDeployment } from './deployments.store.ts'
import { changesOf } from './deployments.view.ts'
import { type EngineDependencies, runs, type Work } from './deployments.work.ts'
import type { ForeseeDependencies } from './foresee.ts'
import { withModules } from './functions.ts'

/**
 * Defines a kind of deployment. Returns what begins one, which is on record from then on, and the job that works it off:
 * that goes on after a kill at any point, and puts back what was there when the new does not come up. `judgeLater` has
 * what an instance runs judged that was not judged yet.
 */
export function createEngine(
  deps: EngineDependencies & ForeseeDependencies,
  judgeLater: (tx: Tx, instance: string) => Promise<void>,
) {
  const { database, clock, driver, lifecycle, snapshots } = deps

  return function define<Input, Memo>(kind: Kind<Input, Memo>) {
    const end = createEnd(deps, kind)
    const { fetchAll, stop, replace } = createReplaceSteps(deps, kind)

    /** For a job whose payload cannot be read: the last deployment is the one under way. */
    async function endLast(tx: Tx, instance: string, reason: string): Promise<void> {
      const [one] = await listDeployments(tx, instance, { limit: 1 })
      if (!one || one.ended_at !== null) return
      await dropParts(tx, one)
      const over = { incoming: null, outgoing: null, flows_before: null, ended_at: clock.now() }
      await updateDeployment(tx, one.id, { state: 'failed', reason, ...over })
    }

    const failed: JobDefinition<Work<Memo>>['failed'] = async (tx, { subject, payload }, reason) => {
      const row = await findWhole(tx, subject)
      if (!row) return
      if (payload) await end(tx, { payload }, row, { state: 'failed', reason })
      else await endLast(tx, subject, reason)
      // The former contents may not have been judged yet, and run again.
      if (runs(row)) await judgeLater(tx, subject)
      await lifecycle.finish(tx, subject, { asleep: row.asleep })
    }

    const job = defineJob({
      kind: `deployment.${kind.kind}`,
      title: kind.title,
      lane: starts,
      payload: z.object({ ...Operation.shape, deployment: z.string(), memo: kind.memo }),
      // The former contents are back in place by then.
      once: true,
      steps: [
        { name: 'Download Node-RED and modules', run: fetchAll },
        { name: stopStep, run: stop },
        { name: 'Replace flows and settings', run: replace },
        { name: 'Start and health-check', run: createStartStep(deps, kind, end) },
      ],
      failed,
    })

    /** @throws Failure for what is wrong with the input; invalid_state while something else is done to the instance. */
    async function begin(actor: Actor, instance: InstanceRow, input: Input, extras: Extras = {}): Promise<void> {
      const plan = await kind.read(instance, input, actor)
      const { what, snapshotId, source, memo, guard } = plan
      const row = await lifecycle.instance(instance.id)
      const { install, allowStopped } = extras
      const asked: Brought = {
        ...plan.brings,
        ...(install ? { install } : {}),
        ...(allowStopped ? { allowStopped } : {}),
      }
      const brings = await withModules({ driver, read: database.read }, row, asked)
      if (brings.held.settings !== undefined) checkModulesOf(row, brings.held.settings, 'modules')
      const changes = changesOf(await snapshots.compare(row, brings))
      // Which modules its functions need is asked again when it is put there.
      const packed = await packParts(asked)
      const work: Work<Memo> = { actor, deployment: newId(), memo }
      const change = { state: kind.state, kind: `deployment.${kind.kind}`, from: 'any' as const }
      await deps.launch(instance, change, work, async (tx) => {
        await guard?.(tx)
        await keepParts(tx, packed)
        await insertDeployment(tx, {
          ...begun,
          id: work.deployment,
          instance_id: instance.id,
          kind: kind.kind,
          actor_name: nameOf(actor),
          snapshot_id: snapshotId ?? null,
          snapshot_name: what,
          source_id: source?.id ?? null,
          source_name: source?.name ?? null,
          changes: JSON.stringify(changes),
          incoming: packed.parts,
          created_at: clock.now(),
        })
      })
    }

    return { begin, job }
  }
}
