import type { Licence } from '@app/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, sentenceOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { toast } from '../../ui/toast.ts'

type LicenceAction = 'inspect' | 'apply'

const isLicence = (answer: object): answer is Licence => 'id' in answer

/** The licence in force; null without one. `enabled` false: it is known that there is none. */
export function useLicence(enabled = true) {
  return useQuery({
    enabled,
    queryKey: keys.licence,
    queryFn: async (): Promise<Licence | null> => {
      const licence = await api.call('licence.get')
      return isLicence(licence) ? licence : null
    },
  })
}

const failures = { inspect: 'Error inspecting license', apply: 'Error applying license' }

/** Looks at a licence or puts it in force; the reason against it is shown as the server gives it [ALIC-05]. */
export function useUpdateLicence(action: LicenceAction) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (license: string) => api.call('licence.update', { body: { license, action } }),
    onSuccess: async () => {
      if (action === 'inspect') return
      await Promise.all([
        client.refetchQueries({ queryKey: keys.licence }),
        client.refetchQueries({ queryKey: keys.settings }),
      ])
      toast.success('License applied.')
    },
    onError: (error) => toast.warning(sentenceOf(error) ?? failures[action]),
  })
}
