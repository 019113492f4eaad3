import type { Application, InstanceState, InstanceSummary } from '@app/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { captureUse } from '../../lib/analytics.ts'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { keepAnswer } from '../../lib/keep-answer.ts'
import { toast } from '../../ui/toast.ts'
import { useListInterval } from '../instances/index.ts'
import { explainKept } from './create-failures.ts'

/** An instance in a list, with its state; without one when the server had none to tell. */
export type ListedInstance = InstanceSummary & Partial<InstanceState>
export type ApplicationWithStates = { id: string; name: string; instances: ListedInstance[] }

type State = InstanceState & { id: string }

function withStates(instances: InstanceSummary[], states: State[]): ListedInstance[] {
  const byId = new Map(states.map((state) => [state.id, state]))
  return instances.map((instance) => ({ ...instance, ...byId.get(instance.id) }))
}

/** The applications of a team, each with its instances and their states. */
export function useTeamApplications(teamId: string | undefined) {
  const refetchInterval = useListInterval()
  return useQuery({
    queryKey: keys.teamApplications(teamId ?? ''),
    enabled: teamId !== undefined,
    queryFn: async () => {
      const params = { teamId: teamId ?? '' }
      const [list, status] = await Promise.all([
        api.call('application.listOfTeam', { params }),
        api.call('application.statusOfTeam', { params }),
      ])
      const states = status.applications.flatMap(({ instances }) => instances)
      return {
        count: list.count,
        applications: list.applications.map(
          ({ id, name, instances }): ApplicationWithStates => ({ id, name, instances: withStates(instances, states) }),
        ),
      }
    },
    refetchInterval,
  })
}

export function useApplication(applicationId: string | undefined) {
  return useQuery({
    queryKey: keys.application(applicationId ?? ''),
    enabled: applicationId !== undefined,
    queryFn: (): Promise<Application> =>
      api.call('application.get', { params: { applicationId: applicationId ?? '' } }),
  })
}

/** The instances of an application with their states. */
export function useApplicationInstances(applicationId: string) {
  const refetchInterval = useListInterval()
  return useQuery({
    queryKey: keys.applicationInstances(applicationId),
    queryFn: async () => {
      const params = { applicationId }
      const [list, status] = await Promise.all([
        api.call('application.instances', { params }),
        api.call('application.status', { params }),
      ])
      return { count: list.count, instances: withStates(list.instances, status.instances) }
    },
    refetchInterval,
  })
}

export function useCreateApplication() {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (body: { name: string; teamId: string }) => api.call('application.create', { body }),
    onSuccess: ({ id, createdAt, teamId }) => {
      captureUse('$ff-application-created', { 'created-at': createdAt }, { team: teamId, application: id })
      return client.invalidateQueries({ queryKey: keys.teamApplications(teamId) })
    },
  })
}

/** Renames an application; the page says how it went. */
export function useRenameApplication(applicationId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (name: string) => api.call('application.update', { params: { applicationId }, body: { name } }),
    onSuccess: async (application) => {
      await keepAnswer(client, keys.application(applicationId), application)
      toast.success('Application successfully updated.')
      await client.invalidateQueries({ queryKey: keys.team(application.teamId) })
    },
    meta: { caught: true },
    onError: (error) => toast.warning('Unable to update Application.', { detail: reasonOf(error) }),
  })
}

/** Deletes an application, then leads home [APP-15]. */
export function useDeleteApplication(applicationId: string) {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => api.call('application.delete', { params: { applicationId } }),
    onSuccess: async () => {
      captureUse('$ff-application-deleted', {}, { application: applicationId })
      toast.success('Application successfully deleted.')
      await client.invalidateQueries({ queryKey: ['team'] })
      await navigate({ to: '/', replace: true })
    },
    meta: { caught: true },
    onError: (error) => explainKept(reasonOf(error)),
  })
}
