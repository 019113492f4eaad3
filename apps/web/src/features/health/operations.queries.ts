import type { Job } from '@app/contract'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'

const whileOpenMs = 1_000
const jobsMs = 5_000

export const healthQuery = queryOptions({ queryKey: keys.health, queryFn: () => api.call('health.get') })

/** Looks at the platform now, and shows what is found. */
export function useCheckHealth() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api.call('health.check'),
    onSuccess: (health) => client.setQueryData(keys.health, health),
  })
}

export const jobsQuery = queryOptions({
  queryKey: keys.adminJobs,
  queryFn: async () => (await api.call('job.list')).jobs,
  refetchInterval: jobsMs,
})

/** Takes a failed job up again, or ends one that waits or is stuck. */
export function useJobAction(what: 'retry' | 'cancel') {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (jobId: string) => api.call(`job.${what}`, { params: { jobId } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.adminJobs }),
  })
}

const isOpen = (job: Job | undefined) => job?.state === 'queued' || job?.state === 'running'

/** The backups on the server; asked for often while one is being made. */
export const backupsQuery = queryOptions({
  queryKey: keys.backups,
  queryFn: () => api.call('backup.list'),
  refetchInterval: ({ state }) => isOpen(state.data?.job) && whileOpenMs,
})

export function useMakeBackup() {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (passphrase: string) => api.call('backup.create', { body: { passphrase } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.backups }),
  })
}

/** Makes the backup that failed once more, with the passphrase of the settings. */
export function useRetryBackup() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (jobId: string) => api.call('job.retry', { params: { jobId } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.backups }),
  })
}

export function useDeleteBackup() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (name: string) => api.call('backup.delete', { params: { name } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.backups }),
  })
}
