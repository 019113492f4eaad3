import { intervals, pushOptions } from '@app/contract/constants'
import type { Extras, Instance, Pipeline, Stage } from '@app/contract'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, hasStatus, reasonOf } from '../../lib/api.ts'
import { captureUse } from '../../lib/analytics.ts'
import { keys } from '../../lib/api-keys.ts'
import { isDeploying, type PipelineList, stateIn, withStates } from '../../lib/pipeline-states.ts'
import { useLive } from '../../lib/realtime.ts'
import { toast } from '../../ui/toast.ts'

/** The pipelines of an application, kept true by push or, while that is down and something deploys, by asking. */
export function usePipelines(applicationId: string, enabled = true) {
  const client = useQueryClient()
  const live = useLive()
  const queryKey = keys.pipelines(applicationId)
  const list = useQuery({
    queryKey,
    enabled,
    queryFn: async (): Promise<PipelineList> => {
      const { pipelines } = await api.call('pipeline.list', { params: { applicationId } })
      return { pipelines }
    },
  })
  useQuery({
    queryKey: [...queryKey, 'states'],
    enabled: enabled && !live && isDeploying(list.data),
    refetchInterval: intervals.pipelinePoll,
    queryFn: async () => {
      const { instances } = await api.call('application.status', { params: { applicationId } })
      const now = client.setQueryData<PipelineList>(queryKey, (old) => old && withStates(old, instances))
      if (!isDeploying(now)) void client.invalidateQueries({ queryKey, exact: true })
      return instances
    },
  })
  return list
}

/** The changes that running a stage would make, asked for once while its window is open: a push says what was seen. */
export function useStageChanges(pipelineId: string, stageId: string) {
  return useQuery({
    queryKey: ['pipeline', pipelineId, stageId, 'changes'],
    staleTime: Infinity,
    gcTime: 0,
    queryFn: () => api.call('pipeline.changes', { params: { pipelineId, stageId } }),
  })
}

const settle = async (client: QueryClient, applicationId: string) =>
  client.invalidateQueries({ queryKey: keys.pipelines(applicationId), exact: true })

export function useCreatePipeline(applicationId: string, teamId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (name: string) => api.call('pipeline.create', { params: { applicationId }, body: { name } }),
    onSuccess: ({ id, createdAt }) => {
      captureUse(
        '$ff-pipeline-created',
        { 'created-at': createdAt, pipeline: id },
        { team: teamId, application: applicationId },
      )
      return settle(client, applicationId)
    },
    onError: (error) => toast.warning('Failed to create Pipeline.', { detail: reasonOf(error) }),
  })
}

export function useRenamePipeline(applicationId: string, pipelineId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (name: string) =>
      api.call('pipeline.update', { params: { applicationId, pipelineId }, body: { pipeline: { name } } }),
    onSuccess: () => {
      toast.success('Pipeline updated.')
      return settle(client, applicationId)
    },
    onError: (error) => toast.warning('Failed to update Pipeline.', { detail: reasonOf(error) }),
  })
}

export function useDeletePipeline(applicationId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: ({ id: pipelineId }: Pipeline) =>
      api.call('pipeline.delete', { params: { applicationId, pipelineId } }),
    onSuccess: (_answer, { id }) => {
      captureUse('$ff-pipeline-deleted', { pipeline: id }, { application: applicationId })
      toast.success('Pipeline deleted.')
      return settle(client, applicationId)
    },
    onError: (error) => toast.warning('Failed to delete Pipeline.', { detail: reasonOf(error) }),
  })
}

export type StageValues = { name: string; instanceId: string; onErrors: 'pass' | 'refuse' }

/** Adds a stage behind `source`, or changes the given one. */
export function useSaveStage(
  applicationId: string,
  pipelineId: string,
  { stage, source }: { stage?: Stage | undefined; source?: string | undefined },
) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (values: StageValues) => {
      if (stage) return api.call('pipeline.updateStage', { params: { pipelineId, stageId: stage.id }, body: values })
      const body = { ...values, ...(source === undefined ? {} : { source }) }
      return api.call('pipeline.addStage', { params: { pipelineId }, body })
    },
    onSuccess: ({ id }) => {
      if (!stage)
        captureUse('$ff-pipeline-stage-added', { pipeline: pipelineId, stage: id }, { application: applicationId })
      return settle(client, applicationId)
    },
  })
}

export function useDeleteStage(applicationId: string, pipelineId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (stageId: string) => api.call('pipeline.deleteStage', { params: { pipelineId, stageId } }),
    onSuccess: () => {
      toast.success('Stage deleted.')
      return settle(client, applicationId)
    },
    onError: (error) => toast.warning('Failed to delete the stage.', { detail: reasonOf(error) }),
  })
}

/** Runs a stage: the next one shows as deploying at once [PIPE-14], and no longer if that is refused. */
export function usePush(applicationId: string, source: Stage, target: Stage) {
  const client = useQueryClient()
  const queryKey = keys.pipelines(applicationId)
  const [from, to] = [source.instances[0], target.instances[0]]
  const show = (meta: Instance['meta']) =>
    client.setQueryData<PipelineList>(queryKey, (old) => old && withStates(old, [{ id: to?.id ?? '', meta }]))
  return useMutation({
    meta: { caught: true },
    mutationFn: (more: { seen: string } & Extras) =>
      api.call('instance.update', {
        params: { instanceId: to?.id ?? '' },
        body: { sourceProject: { id: from?.id ?? '', options: pushOptions, ...more } },
      }),
    onMutate: () => {
      const before = stateIn(client.getQueryData<PipelineList>(queryKey), to?.id ?? '')
      show({ state: 'importing', isDeploying: true })
      return { before }
    },
    onSuccess: () => toast.success(`Deploying "${source.name}" to "${target.name}".`),
    onError: (error, _more, shown) => {
      // The list may not be read again now, and would go on as deploying for ever.
      if (shown?.before) show(shown.before)
      const replaced = hasStatus(error, 409)
      toast.warning(replaced ? 'Nothing was deployed.' : 'Failed to deploy.', { detail: reasonOf(error) })
    },
    onSettled: () => settle(client, applicationId),
  })
}
