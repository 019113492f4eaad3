import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, reasonOf } from '../../lib/api.ts'
import { plural } from '../../lib/plural.ts'
import { toast } from '../../ui/toast.ts'
import { markChange } from './changes.ts'
import { actionStates } from './instances.actions.ts'
import type { Action } from './states.ts'

/** Calls under way at once, so that a long selection does not keep the server from answering others. */
const atOnce = 5
const words: Record<Action, { now: string; done: string }> = {
  start: { now: 'Starting', done: 'started' },
  restart: { now: 'Restarting', done: 'restarted' },
  suspend: { now: 'Suspending', done: 'suspended' },
}

interface Bulk {
  action: Action
  instances: readonly { id: string; name: string }[]
}

/** Starts, restarts or suspends several instances, each by a call of its own, and tells of those that were refused. */
export function useBulkAction() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ action, instances }: Bulk) => {
      const refused: string[] = []
      const waiting = [...instances]
      const work = async () => {
        for (let next = waiting.shift(); next; next = waiting.shift()) {
          const { id, name } = next
          markChange(id, { state: actionStates[action], phase: 'asked' })
          try {
            await api.call(`instance.${action}`, { params: { instanceId: id } })
            markChange(id, { state: actionStates[action], phase: 'accepted' })
          } catch (error) {
            markChange(id, undefined)
            refused.push(`${name}: ${reasonOf(error)}`)
          }
        }
      }
      await Promise.all(Array.from({ length: atOnce }, work))
      return refused
    },
    onSuccess: async (refused, { action, instances }) => {
      const accepted = instances.length - refused.length
      if (accepted > 0) toast.success(`${words[action].now} ${plural(accepted, 'instance')}.`)
      if (refused.length > 0)
        toast.warning(`${plural(refused.length, 'instance')} could not be ${words[action].done}.`, {
          detail: refused.join('; '),
        })
      // Once the server's own states have been read, the marks have nothing left to add.
      await client.invalidateQueries({
        predicate: ({ queryKey: [of, , part] }) => of === 'instance' || part === 'instances',
      })
      for (const { id } of instances) markChange(id, undefined)
    },
  })
}
