import type { Sleep } from '@app/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { keepAnswer } from '../../lib/keep-answer.ts'
import { toast } from '../../ui/toast.ts'

/** Switches the sleep of an instance on or off, or says after how long. */
export function useSleepSetting(instanceId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (sleep: Sleep) =>
      api.call('instance.update', { params: { instanceId }, body: { settings: { sleep } } }),
    onSuccess: (instance) => keepAnswer(client, keys.instance(instanceId), instance),
    onError: (error) => toast.warning('The setting was not saved.', { detail: reasonOf(error) }),
  })
}
