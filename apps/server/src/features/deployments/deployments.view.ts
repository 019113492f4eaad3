import {
  type Deployment,
  DeploymentChanges,
  type Difference,
  FlowFault,
  type JobStep,
  LogEntry,
  Takeover,
} from '@app/contract'
import * as z from 'zod/mini'
import { iso } from '../../platform/clock.ts'
import { jsonColumn } from '../../platform/db/json.ts'
import type { DeploymentRow } from './deployments.store.ts'

/** Readers of the JSON columns of a deployment. */
export const deploymentJson = {
  changes: jsonColumn('deployments.changes', DeploymentChanges),
  takeover: jsonColumn('deployments.takeover', Takeover),
  log: jsonColumn('deployments.log', z.array(LogEntry)),
  faults: jsonColumn('deployments.faults', z.array(FlowFault)),
}

export function deploymentView(
  row: DeploymentRow,
  target: { id: string; name: string },
  steps: readonly JobStep[],
): Deployment {
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    createdAt: iso(row.created_at),
    ...(row.ended_at === null ? {} : { endedAt: iso(row.ended_at) }),
    target: { id: target.id, name: target.name },
    by: row.actor_name,
    what: row.snapshot_name,
    ...(row.kind === 'rollback'
      ? { snapshot: { ...(row.snapshot_id === null ? {} : { id: row.snapshot_id }), name: row.snapshot_name } }
      : {}),
    ...(row.source_id === null ? {} : { source: { id: row.source_id, name: row.source_name ?? '' } }),
    ...(row.before_id === null ? {} : { before: row.before_id }),
    changes: deploymentJson.changes(row.changes, row.id),
    ...(row.takeover === null ? {} : { takeover: deploymentJson.takeover(row.takeover, row.id) }),
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.warning === null ? {} : { warning: row.warning }),
    ...(row.verdict === null ? {} : { verdict: row.verdict }),
    ...faultsView(row),
    ...(row.log === null ? {} : { log: deploymentJson.log(row.log, row.id) }),
    steps: [...steps],
  }
}

export const faultsView = ({ id, faults }: DeploymentRow): Pick<Deployment, 'faults'> =>
  faults === null ? {} : { faults: deploymentJson.faults(faults, id) }

/** A difference in numbers and names, as it goes on record. */
export function changesOf({ nodes, modules, env, settings, stack }: Difference): DeploymentChanges {
  const count = (kind: Difference['nodes'][number]['change']) => nodes.filter(({ change }) => change === kind).length
  return {
    nodes: { added: count('added'), changed: count('changed'), moved: count('moved'), removed: count('removed') },
    modules: modules.map(({ name }) => name),
    env: env.map(({ name }) => name),
    settings: settings.map(({ key }) => key),
    ...(stack ? { stack } : {}),
  }
}
