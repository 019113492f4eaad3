import type { Instance, Pipeline, Stage } from '@app/contract'
import { iso } from '../../platform/clock.ts'
import { type DeploymentRow, faultsView } from '../deployments/index.ts'
import type { PipelineRow, StageRow } from './pipelines.store.ts'

/** Facts that stages show besides their own: instances of the application, and the last push to each, by instance. */
export interface Surroundings {
  instances: ReadonlyMap<string, Instance>
  pushes: ReadonlyMap<string, DeploymentRow>
}

export function stageView(row: StageRow, next: StageRow | undefined, { instances, pushes }: Surroundings): Stage {
  const instance = row.instance_id === null ? undefined : instances.get(row.instance_id)
  const push = instance && pushes.get(instance.id)
  return {
    id: row.id,
    name: row.name,
    instances: instance ? [instance] : [],
    onErrors: row.on_errors,
    ...(next ? { NextStageId: next.id } : {}),
    ...(instance ? { state: instance.meta.state, isDeploying: instance.meta.isDeploying } : {}),
    ...(push ? { lastDeployment: pushView(push) } : {}),
  }
}

function pushView(row: DeploymentRow): NonNullable<Stage['lastDeployment']> {
  return {
    id: row.id,
    state: row.state,
    createdAt: iso(row.created_at),
    ...(row.ended_at === null ? {} : { endedAt: iso(row.ended_at) }),
    by: row.actor_name,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.warning === null ? {} : { warning: row.warning }),
    ...(row.verdict === null ? {} : { verdict: row.verdict }),
    ...faultsView(row),
    ...(row.source_id === null ? {} : { source: { id: row.source_id, name: row.source_name ?? '' } }),
  }
}

/** `stages` are those of this pipeline, in order. */
export function pipelineView(row: PipelineRow, stages: readonly StageRow[], around: Surroundings): Pipeline {
  return {
    id: row.id,
    name: row.name,
    createdAt: iso(row.created_at),
    stages: stages.map((stage, at) => stageView(stage, stages[at + 1], around)),
  }
}
