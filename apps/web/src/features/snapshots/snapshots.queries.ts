import type { Extras, SnapshotCreate } from '@app/contract'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { captureUse } from '../../lib/analytics.ts'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { toast } from '../../ui/toast.ts'
import { tellEnd } from '../deployments/index.ts'

const perPage = 100

/** The snapshots of an instance, newest first, a page at a time. */
export function useSnapshots(instanceId: string) {
  return useInfiniteQuery({
    queryKey: keys.snapshots(instanceId),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      api.call('snapshot.list', {
        params: { instanceId },
        query: { limit: perPage, ...(cursor === undefined ? {} : { cursor }) },
      }),
    getNextPageParam: ({ meta }) => meta.next_cursor,
  })
}

export function useSnapshot(instanceId: string, snapshotId: string) {
  return useQuery({
    queryKey: keys.snapshots(instanceId, snapshotId),
    queryFn: () => api.call('snapshot.get', { params: { instanceId, snapshotId } }),
  })
}

/** The flows of a snapshot, which never change. */
export function useSnapshotFlows(instanceId: string, snapshotId: string) {
  return useQuery({
    queryKey: keys.snapshots(instanceId, snapshotId, 'flows'),
    staleTime: Infinity,
    queryFn: async () => (await api.call('snapshot.flows', { params: { instanceId, snapshotId } })).flows,
  })
}

/** The differences of a snapshot from the current flows, or from another one. */
export function useSnapshotChanges(instanceId: string, snapshotId: string, from?: string) {
  return useQuery({
    queryKey: keys.snapshots(instanceId, snapshotId, 'changes', from),
    queryFn: () =>
      api.call('snapshot.changes', { params: { instanceId, snapshotId }, query: from === undefined ? {} : { from } }),
  })
}

export function useCreateSnapshot(instanceId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (body: SnapshotCreate) => api.call('snapshot.create', { params: { instanceId }, body }),
    onSuccess: ({ id, createdAt }) => {
      captureUse('$ff-snapshot-created', { 'created-at': createdAt, snapshot: id }, { instance: instanceId })
      toast.success('Successfully created snapshot of instance.')
      return client.invalidateQueries({ queryKey: keys.snapshots(instanceId) })
    },
  })
}

export function useDeleteSnapshot(instanceId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (snapshotId: string) => api.call('snapshot.delete', { params: { instanceId, snapshotId } }),
    onSuccess: (_reply, snapshot) => {
      captureUse('$ff-snapshot-deleted', { snapshot }, { instance: instanceId })
      toast.success('Successfully deleted snapshot.')
    },
    onError: (error) => toast.warning('Failed to delete snapshot.', { detail: reasonOf(error) }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.snapshots(instanceId) }),
  })
}

/** The id of the snapshot that the devices of an instance shall run. */
export function useTarget(instanceId: string) {
  return useQuery({
    queryKey: keys.instanceDevices(instanceId, 'target'),
    queryFn: async () => (await api.call('device.target', { params: { instanceId } })).targetSnapshot,
  })
}

/** Chooses the snapshot that the devices of the instance run. */
export function useSetTarget(instanceId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: { targetSnapshot: string } & Pick<Extras, 'allowStopped'>) =>
      api.call('device.setTarget', { params: { instanceId }, body }),
    onSuccess: (_reply, { targetSnapshot: snapshot }) => {
      captureUse('$ff-snapshot-device', { snapshot }, { instance: instanceId })
      toast.success('Target snapshot updated.')
      void client.invalidateQueries({
        predicate: ({ queryKey: [noun, id, part] }) =>
          noun === 'device' || (noun === 'instance' && id === instanceId && part === 'devices'),
      })
    },
    onError: (error) => toast.warning('Failed to set the target snapshot.', { detail: reasonOf(error) }),
  })
}

/** Rolls back, and says how it ended, wherever the person has gone in the meantime. */
export function useRollback(instanceId: string) {
  const client = useQueryClient()
  const settle = () => client.invalidateQueries({ queryKey: keys.instance(instanceId) })
  return useMutation({
    mutationFn: (body: { snapshot: string } & Extras) =>
      api.call('deployment.rollback', { params: { instanceId }, body }),
    onSuccess: () => {
      void settle()
      const words = {
        begun: 'Rolling back to the snapshot.',
        done: 'Successfully rollbacked snapshot.',
        failed: 'Failed to roll back to the snapshot.',
      }
      void tellEnd(client, instanceId, words).then(settle)
    },
    onError: (error) => toast.warning('Failed to roll back to the snapshot.', { detail: reasonOf(error) }),
  })
}
