import type { Instance } from '@app/contract'
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { captureUse } from '../../lib/analytics.ts'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { confirm } from '../../ui/confirm.ts'
import { toast } from '../../ui/toast.ts'
import { useUser } from '../account/index.ts'
import { markChange } from './changes.ts'
import { openEditorsText } from './open-editors.ts'
import type { Action } from './states.ts'
import { groupsOf } from './usage-groups.ts'

/** For each action, the state it shows at once [INST-28]. */
export const actionStates: Record<Action, string> = {
  start: 'starting',
  restart: 'restarting',
  suspend: 'suspending',
}

/** For each action, the message when it is over [INST-54]. */
const messages: Record<Action, { failed: string; done?: string }> = {
  start: { failed: 'Instance start failed.' },
  restart: { failed: 'Instance restart failed.' },
  suspend: { failed: 'Instance failed to suspend.', done: 'Instance suspend request succeeded.' },
}

/** An action on an instance. */
export type Order = { id: string; action: Action }

/** Starts, restarts or suspends an instance. The new state shows at once; a refusal puts the old one back. */
export function useInstanceAction() {
  const client = useQueryClient()
  const { id: userId } = useUser()
  const mutation = useMutation({
    mutationFn: ({ id, action }: Order) => api.call(`instance.${action}`, { params: { instanceId: id } }),
    onMutate: ({ id, action }) => markChange(id, { state: actionStates[action], phase: 'asked' }),
    onSuccess: async (_reply, { id, action }) => {
      const { done } = messages[action]
      markChange(id, { state: actionStates[action], phase: 'accepted' })
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
      toast.warning(messages[action].failed, { detail: reasonOf(error) })
    },
  })
  const mutate = (order: Order) =>
    void mayGoOn(client, order, userId).then((yes) => {
      if (yes) mutation.mutate(order)
    })
  return { mutate }
}

/** Asks before an instance stops under somebody who has its editor open. */
async function mayGoOn(client: QueryClient, { id, action }: Order, userId: string): Promise<boolean> {
  if (action === 'start') return true
  const known = await client
    .ensureQueryData({
      queryKey: keys.instance(id),
      queryFn: () => api.call('instance.get', { params: { instanceId: id } }),
    })
    .catch(() => undefined)
  const text = openEditorsText(known?.meta.editors, userId)
  if (!known || !text) return true
  const label = action === 'restart' ? 'Restart' : 'Suspend'
  return confirm({ title: `${label} ${known.name}?`, message: text, confirmLabel: label })
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
