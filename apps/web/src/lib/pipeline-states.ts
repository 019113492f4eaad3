import type { InstanceState, Pipeline } from '@app/contract'

/** The pipelines of an application, as the query cache holds them. */
export type PipelineList = { pipelines: Pipeline[] }
type State = { id: string } & Partial<InstanceState>

const stagesOf = (list: PipelineList | undefined) => list?.pipelines.flatMap(({ stages }) => stages) ?? []

/** Is anything pushed to an instance of these, or to this one? */
export const isDeploying = (list: PipelineList | undefined, instanceId?: string): boolean =>
  stagesOf(list).some(
    ({ isDeploying: deploys, instances }) =>
      deploys === true && (instanceId === undefined || instances[0]?.id === instanceId),
  )

/** The state of an instance in these. */
export const stateIn = (list: PipelineList | undefined, instanceId: string): InstanceState['meta'] | undefined =>
  stagesOf(list).flatMap(({ instances }) => instances.filter(({ id }) => id === instanceId))[0]?.meta

export const hasInstance = (list: PipelineList | undefined, instanceId: string): boolean =>
  stagesOf(list).some(({ instances }) => instances[0]?.id === instanceId)

/** The same pipelines with other states of their instances. */
export function withStates(list: PipelineList, states: readonly State[]): PipelineList {
  const byId = new Map(states.map((state) => [state.id, state]))
  return {
    pipelines: list.pipelines.map((pipeline) => ({
      ...pipeline,
      stages: pipeline.stages.map((stage) => {
        const [instance, ...others] = stage.instances
        const state = instance && byId.get(instance.id)
        if (!instance || !state?.meta) return stage
        const { meta } = state
        const next = { ...instance, ...state, meta, sleepObstacle: state.sleepObstacle ?? instance.sleepObstacle }
        return { ...stage, state: meta.state, isDeploying: meta.isDeploying, instances: [next, ...others] }
      }),
    })),
  }
}
