import type { Tx } from '../../platform/db/tables.ts'
import { instanceRef, type WholeInstance } from '../instances/index.ts'
import { dropSnapshots } from '../snapshots/index.ts'
import type { Kind } from './deployments.kinds.ts'
import { dropParts } from './deployments.parts.ts'
import { closeUnjudged, type DeploymentRow, findDeployment, updateDeployment } from './deployments.store.ts'
import type { Context, EngineDependencies } from './deployments.work.ts'
import { kept } from './flows.before.ts'
import type { Verdict } from '@app/drivers/judging'
import type { Terms } from './judging.later.ts'

type Result = ({ state: 'done'; terms?: Terms } & Verdict) | { state: 'failed'; reason: string }
export type End<Memo> = (
  tx: Tx,
  context: Pick<Context<Memo>, 'payload'>,
  row: WholeInstance,
  result: Result,
) => Promise<void>

/** Makes the row and the audit log say how it ended; what it kept for the way back goes. */
export function createEnd<Input, Memo>({ clock, lifecycle }: EngineDependencies, kind: Kind<Input, Memo>): End<Memo> {
  return async (tx, { payload: { actor, memo, deployment: id } }, row, result) => {
    const one = await findDeployment(tx, id)
    if (!one) return
    await dropParts(tx, one)
    // The former contents are back.
    const isBack = one.state === 'returning' && one.before_id !== null
    const outcome = result.state === 'done' ? { state: result.state, ...kept(result), ...judgedAs(result) } : result
    const over = { incoming: null, outgoing: null, flows_before: null, ended_at: clock.now() }
    if (result.state === 'done') await closeUnjudged(tx, row.id)
    await updateDeployment(tx, id, { ...outcome, ...over })
    if (isBack) await dropSnapshots(tx, row.id, one.before_id!)
    const error = result.state === 'failed' ? { error: { code: `${kind.kind}_failed`, message: result.reason } } : {}
    await kind.record(tx, { actor, memo, auditScope: lifecycle.auditScope(row), project: instanceRef(row), error })
  }
}

/** The verdict, or the terms of a later one. */
const judgedAs = ({ warning, terms }: Verdict & { terms?: Terms }): Pick<DeploymentRow, 'verdict' | 'terms'> =>
  terms
    ? { verdict: 'unjudged', terms: JSON.stringify(terms) }
    : { verdict: warning === undefined ? 'running' : 'stopped', terms: null }
