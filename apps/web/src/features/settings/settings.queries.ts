import type { SettingsPatch } from '@app/contract'
import { toastDurations } from '@app/contract/constants'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { toast } from '../../ui/toast.ts'

/** The warning when the settings of the platform were not saved [CONST-02]. */
export const warnOfSettings = (reason: string): void =>
  toast.warning(`Something went wrong: ${reason}`, { countdown: toastDurations.serverError })

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
    onError: (error) => warnOfSettings(reasonOf(error)),
  })
}

/** The notice after the terms were renewed [TCS-08]. */
export const tellTermsRenewed = (): void =>
  toast.success('Terms and Conditions update success', { countdown: toastDurations.termsRenewed })

/** Makes everybody accept the terms again. */
export function useRenewTerms() {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: () => api.call('settings.update', { body: { 'user:tcs-updated': true } }),
    onSuccess: async () => {
      await client.refetchQueries({ queryKey: keys.settings })
      tellTermsRenewed()
    },
    onError: (error) => warnOfSettings(reasonOf(error)),
  })
}
