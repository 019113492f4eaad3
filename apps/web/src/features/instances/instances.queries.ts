import { intervals, limits } from '@app/contract/constants'
import type { Instance, InstanceCreate, Usage } from '@app/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { api, hasStatus } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { useLive } from '../../lib/realtime.ts'
import { captureUse } from '../../lib/analytics.ts'
import { useChange } from './changes.ts'
import { groupsOf } from './usage-groups.ts'
import { isUnsettled, pollWait } from './states.ts'

/** Polling interval of a list while nothing is pushed; false: never [APP-31]. */
export const useListInterval = (): number | false => (useLive() ? false : intervals.listPoll)

/** One instance, kept true by push or, while that is down and a change is under way, by asking ever more rarely. */
export function useInstance(id: string | undefined) {
  const live = useLive()
  const instanceId = id ?? ''
  const change = useChange(instanceId)
  const pollsFrom = useRef<number>(undefined)
  return useQuery({
    queryKey: keys.instance(instanceId),
    enabled: id !== undefined,
    queryFn: (): Promise<Instance> => api.call('instance.get', { params: { instanceId } }),
    refetchInterval: ({ state }) => {
      if (live || !isUnsettled(state.data?.meta.state, change !== undefined)) {
        pollsFrom.current = undefined
        return false
      }
      pollsFrom.current ??= state.dataUpdateCount
      return pollWait(state.dataUpdateCount - pollsFrom.current)
    },
  })
}

export function useTeamInstances(teamId: string) {
  const refetchInterval = useListInterval()
  return useQuery({
    queryKey: keys.teamInstances(teamId),
    queryFn: async () => {
      const { projects, count } = await api.call('instance.listOfTeam', {
        params: { teamId },
        query: { brief: 'true' },
      })
      return { instances: projects, count }
    },
    refetchInterval,
  })
}

/** The last operations on an instance, newest first. */
export function useJobs(instanceId: string) {
  const live = useLive()
  return useQuery({
    queryKey: keys.instanceJobs(instanceId),
    queryFn: () => api.call('instance.jobs', { params: { instanceId } }),
    refetchInterval: ({ state }) =>
      !live && state.data?.jobs.some(({ endedAt }) => !endedAt) ? intervals.instancePollFirst : false,
  })
}

/** Polling interval of the usage of an instance while its page is looked at. */
const usageInterval = 5_000

/** Usage of a running instance, with the share of a core since the last reading; undefined while it does not run. */
export function useUsage(instanceId: string, running: boolean) {
  const before = useRef<Usage>(undefined)
  const { data } = useQuery({
    queryKey: keys.instanceUsage(instanceId),
    enabled: running,
    refetchInterval: usageInterval,
    queryFn: async () => {
      const { usage } = await api.call('instance.usage', { params: { instanceId } })
      const last = before.current
      before.current = usage ?? undefined
      const passed = usage && last && usage.cpuMs >= last.cpuMs ? usage.at - last.at : 0
      return usage && { ...usage, cpu: passed > 0 ? (usage.cpuMs - last!.cpuMs) / passed : undefined }
    },
  })
  return running ? (data ?? undefined) : undefined
}

export function useCreateInstance() {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (body: InstanceCreate) => api.call('instance.create', { body }),
    onSuccess: (instance) => {
      client.setQueryData(keys.instance(instance.id), instance)
      const { createdAt, stack, template } = instance
      const facts = { 'created-at': createdAt, 'instance-stack': stack.id, 'instance-template': template.id }
      captureUse('$ff-instance-created', facts, groupsOf(instance))
      void client.invalidateQueries({ queryKey: keys.team(instance.team.id) })
      void client.invalidateQueries({ queryKey: keys.application(instance.application.id) })
    },
  })
}

/** A node of the deployed flows; null once they do not have it. */
export function useFlowNode(instanceId: string, nodeId: string) {
  const refetchInterval = useErrorsInterval()
  return useQuery({
    queryKey: keys.instanceNode(instanceId, nodeId),
    refetchInterval,
    async queryFn() {
      try {
        return await api.call('instance.node', { params: { instanceId, nodeId } })
      } catch (error) {
        if (hasStatus(error, 404)) return null
        throw error
      }
    },
  })
}

/** Polling interval of errors and nodes of flows while nothing is pushed. */
const useErrorsInterval = () => (useLive() ? false : intervals.logPoll)

/** Errors that the flows of a running instance have now, the latest first. */
export function useFlowErrors(instanceId: string, running: boolean) {
  const refetchInterval = useErrorsInterval()
  const { data } = useQuery({
    queryKey: keys.instanceErrors(instanceId),
    enabled: running,
    refetchInterval,
    queryFn: () => api.call('instance.errors', { params: { instanceId } }),
  })
  return running ? data?.errors : undefined
}

/** The newest entries of an instance's audit log, for its overview. */
export function useRecentAudit(instanceId: string) {
  return useQuery({
    queryKey: keys.audit('project', instanceId, 'recent'),
    queryFn: () => api.call('instance.auditLog', { params: { instanceId }, query: { limit: limits.recentAudit } }),
  })
}
