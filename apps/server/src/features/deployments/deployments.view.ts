import type { Deployment, DeploymentChanges, Difference, FlowFault, JobStep, LogEntry, Takeover } from '@app/contract'
import { iso } from '../../platform/clock.ts'
import type { DeploymentRow } from './deployments.store.ts'

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
    changes: JSON.parse(row.changes) as DeploymentChanges,
    ...(row.takeover === null ? {} : { takeover: JSON.parse(row.takeover) as Takeover }),
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.warning === null ? {} : { warning: row.warning }),
    ...(row.verdict === null ? {} : { verdict: row.verdict }),
    ...faultsView(row),
    ...(row.log === null ? {} : { log: JSON.parse(row.log) as LogEntry[] }),
    steps: [...steps],
  }
}

export const faultsView = ({ faults }: DeploymentRow): Pick<Deployment, 'faults'> =>
  faults === null ? {} : { faults: JSON.parse(faults) as FlowFault[] }

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
