import type { EnvironmentKind, Extras, Instance, InstanceCheck, InstanceImport, OnErrors } from '@app/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError, api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { keepAnswer } from '../../lib/keep-answer.ts'
import { toast } from '../../ui/toast.ts'
import { notices } from './notices.ts'
import { tellEnd } from '../deployments/index.ts'

type Saved = { ok: true } | { ok: false; fields: Record<string, string> }

/** The server's field names (`settings.palette.denyList.0`) as forms have them (`palette_denyList`). */
export const flatNames = (fields: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(fields).map(([path, text]) => [
      path
        .split('.')
        .slice(1, 3)
        .filter((key) => !/^\d+$/.test(key))
        .join('_'),
      text,
    ]),
  )

/** Saves settings of an instance by their flat names and says so [ISET-10]. A refusal comes back by field. */
export function useSaveSettings(instanceId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    async mutationFn(settings: Record<string, unknown>): Promise<Saved> {
      try {
        await api.call('instance.update', { params: { instanceId }, body: { settings } })
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        notices.notSaved(reasonOf(error))
        return { ok: false, fields: flatNames(error.fields) }
      }
      await client.invalidateQueries({ queryKey: keys.instance(instanceId) })
      notices.saved()
      return { ok: true }
    },
    onError: (error) => notices.notSaved(reasonOf(error)),
  })
}

/** Saves what new contents are asked before they are kept; a refusal comes back by field. */
export function useSaveCheck(
  instanceId: string,
  on: { onSaved: () => void; onRefused: (fields: Record<string, string>) => void },
) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (healthCheck: InstanceCheck | null) =>
      api.call('instance.update', { params: { instanceId }, body: { healthCheck } }),
    onSuccess: async () => {
      toast.success('Health check saved.')
      await client.invalidateQueries({ queryKey: keys.instance(instanceId) })
      on.onSaved()
    },
    onError: (error) => {
      if (error instanceof ApiError) on.onRefused(error.fields)
      toast.warning('Health check was not saved.', { detail: reasonOf(error) })
    },
  })
}

/** Saves the environment that the editor shows; null: as the stages of pipelines say. */
export function useSaveEnvironment(instanceId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (environment: EnvironmentKind | null) =>
      api.call('instance.update', { params: { instanceId }, body: { environment } }),
    onSuccess: async () => {
      toast.success('Environment saved.')
      await client.invalidateQueries({ queryKey: keys.instance(instanceId) })
    },
  })
}

/** Paths that a health check could ask, found in the flows; asked for only where there is no check yet. */
export function useCheckPaths(instanceId: string, wanted: boolean) {
  const { data } = useQuery({
    queryKey: [...keys.instance(instanceId), 'check-paths'],
    queryFn: () => api.call('instance.checkPaths', { params: { instanceId } }),
    enabled: wanted,
  })
  return data?.paths ?? []
}

/** Saves whether deployments with new errors pass. */
export function useSaveOnErrors(instanceId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (onErrors: OnErrors) => api.call('instance.update', { params: { instanceId }, body: { onErrors } }),
    onSuccess: async () => {
      toast.success('Setting saved.')
      await client.invalidateQueries({ queryKey: keys.instance(instanceId) })
    },
    onError: (error) => toast.warning('The setting was not saved.', { detail: reasonOf(error) }),
  })
}

/** Saves how new contents take over. */
export function useSaveTakeover(instanceId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (takeover: Instance['takeover']) =>
      api.call('instance.update', { params: { instanceId }, body: { takeover } }),
    onSuccess: async () => {
      toast.success('Takeover saved.')
      await client.invalidateQueries({ queryKey: keys.instance(instanceId) })
    },
    onError: (error) => toast.warning('Takeover was not saved.', { detail: reasonOf(error) }),
  })
}

/** Puts files in the place of flows and credentials. The dialog says what is wrong with them. */
export function useImport(instanceId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (body: InstanceImport & Extras) => api.call('instance.import', { params: { instanceId }, body }),
    onSuccess: () => {
      const settle = () => client.invalidateQueries({ queryKey: keys.instance(instanceId) })
      const words = {
        begun: 'Importing flows.',
        done: 'Instance flows imported.',
        failed: 'Failed to import flows.',
      }
      void tellEnd(client, instanceId, words).then(settle)
      // The window closes now, and not after all has been read again.
      void settle()
    },
    // Told here, since the dialog may be closed by then.
    onError: (error) => toast.warning('Failed to import flows.', { detail: reasonOf(error) }),
  })
}

/** Puts an instance into another application of its team. */
export function useChangeApplication(instanceId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (applicationId: string) =>
      api.call('instance.move', { params: { instanceId }, body: { applicationId } }),
    meta: { caught: true },
    onSuccess: async (instance) => {
      await keepAnswer(client, keys.instance(instanceId), instance)
      toast.success(`Instance successfully moved to ${instance.application.name}.`)
      await client.invalidateQueries({ queryKey: keys.team(instance.team.id) })
      await client.invalidateQueries({ queryKey: ['application'] })
    },
    onError: (error) => toast.warning('Instance was not moved.', { detail: reasonOf(error) }),
  })
}

/** Moves an instance to another stack, or type and stack; it restarts on it. */
export function useMoveInstance(instanceId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: { stack: string; projectType?: string } & Extras) =>
      api.call('instance.update', { params: { instanceId }, body }),
    meta: { caught: true },
    onSuccess: (_reply, { projectType }) => {
      const settle = () => client.invalidateQueries({ queryKey: keys.instance(instanceId) })
      const words = projectType
        ? { done: 'Instance successfully updated.', failed: 'Instance update failed.' }
        : {
            done: 'Instance stack successfully updated.',
            failed: 'Instance stack was not updated due to an error.',
          }
      void tellEnd(client, instanceId, { begun: 'Updating the instance.', ...words }).then(settle)
      // The window closes now, and not after all has been read again.
      void settle()
    },
    onError: (error, { projectType }) =>
      toast.warning(projectType ? 'Instance update failed.' : 'Instance stack was not updated due to an error.', {
        detail: reasonOf(error),
      }),
  })
}
