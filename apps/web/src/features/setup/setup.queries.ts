import type { SetupBody } from '@app/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { settingsQuery, userQuery } from '../account/index.ts'

/** Claims the platform; the answer's cookie signs the administrator in. */
export function useSetup() {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: async (body: SetupBody) => {
      const made = await api.call('setup.complete', { body })
      await Promise.all([
        client.fetchQuery({ ...settingsQuery, staleTime: 0 }),
        client.fetchQuery({ ...userQuery, staleTime: 0 }),
      ])
      return made
    },
  })
}
