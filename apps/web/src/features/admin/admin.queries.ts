import type { SettingsPatch } from '@app/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { toast } from '../../ui/toast.ts'

/** Saves platform settings and says how it went [ASET-14]. */
export function useSavePlatformSettings() {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (body: SettingsPatch) => api.call('settings.update', { body }),
    onSuccess: async () => {
      await client.refetchQueries({ queryKey: keys.settings })
      toast.success('Settings changed successfully.')
    },
    onError: (error) => toast.warning(`Something went wrong: ${reasonOf(error)}`),
  })
}

/** Makes everybody accept the terms again [TCS-08]. */
export function useRenewTerms() {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: () => api.call('settings.update', { body: { 'user:tcs-updated': true } }),
    onSuccess: async () => {
      await client.refetchQueries({ queryKey: keys.settings })
      toast.success('Terms and Conditions update success', { countdown: 5_000 })
    },
    onError: (error) => toast.warning(`Something went wrong: ${reasonOf(error)}`),
  })
}
