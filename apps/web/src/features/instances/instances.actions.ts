import type { Instance } from '@app/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { captureUse } from '../../lib/analytics.ts'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { toast } from '../../ui/toast.ts'
import { markChange } from './changes.ts'
import { groupsOf } from './usage-groups.ts'

export type Action = 'start' | 'restart' | 'suspend'

/** What each action shows at once, and what it says when it is over (C§8). */
const actions: Record<Action, { state: string; failed: string; done?: string }> = {
  start: { state: 'starting', failed: 'Instance start failed.' },
  restart: { state: 'restarting', failed: 'Instance restart failed.' },
  suspend: {
    state: 'suspending',
    failed: 'Instance failed to suspend.',
    done: 'Instance suspend request succeeded.',
  },
}

/** An action on an instance. */
export type Order = { id: string; action: Action }

/** Starts, restarts or suspends an instance. The new state shows at once; a refusal puts the old one back. */
export function useInstanceAction() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, action }: Order) => api.call(`instance.${action}`, { params: { instanceId: id } }),
    onMutate: ({ id, action }) => markChange(id, { state: actions[action].state, phase: 'asked' }),
    onSuccess: async (_reply, { id, action }) => {
      const { state, done } = actions[action]
      markChange(id, { state, phase: 'accepted' })
      if (done) toast.success(done)
      // A row of a list knows no more than the id.
      const known = client.getQueryData<Instance>(keys.instance(id))
      captureUse(`$ff-instance-action:${action}`, {}, known ? groupsOf(known) : { instance: id })
      // Once the server's own state has been read, the mark has nothing left to add.
      await client.invalidateQueries({ queryKey: keys.instance(id) })
      markChange(id, undefined)
    },
    onError: (error, { id, action }) => {
      markChange(id, undefined)
      toast.warning(actions[action].failed, { detail: reasonOf(error) })
    },
  })
}

/** Deletes an instance, then goes to its application's instances. `deleting` holds until the page is left. */
export function useDeletion(id: string, applicationId: string | undefined) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { mutate, isPending, isSuccess } = useMutation({
    mutationFn: () => api.call('instance.delete', { params: { instanceId: id } }),
    onSuccess: async () => {
      toast.success('Instance successfully deleted.')
      const known = client.getQueryData<Instance>(keys.instance(id))
      const facts = { 'deleted-at': new Date().toISOString() }
      captureUse('$ff-instance-deleted', facts, known ? groupsOf(known) : { instance: id })
      await navigate(
        applicationId
          ? { to: '/application/$applicationId/instances', params: { applicationId }, replace: true }
          : { to: '/', replace: true },
      )
    },
    onError: (error) => toast.warning('Instance failed to delete.', { detail: reasonOf(error) }),
  })
  return { remove: () => mutate(), deleting: isPending || isSuccess }
}
