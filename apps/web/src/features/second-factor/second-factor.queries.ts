import type { BodyIn, Proof, Routes } from '@app/contract'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'

export const factorsQuery = queryOptions({
  queryKey: keys.secondFactors,
  queryFn: () => api.call('secondFactor.get'),
})

/** A change of the own factors; the form it was asked in shows what went wrong. */
function useFactorChange<I, O>(change: (input: I) => Promise<O>) {
  const client = useQueryClient()
  return useMutation({
    mutationKey: keys.secondFactors,
    meta: { caught: true },
    mutationFn: change,
    onSuccess: () => client.invalidateQueries({ queryKey: keys.secondFactors }),
  })
}

export const useConfirmApp = () =>
  useFactorChange((code: string) => api.call('secondFactor.confirmApp', { body: { code } }))

export const useAddPasskey = () =>
  useFactorChange((body: BodyIn<Routes['secondFactor.addPasskey']>) => api.call('secondFactor.addPasskey', { body }))

export const useRemoveFactor = () =>
  useFactorChange(({ factorId, proof }: { factorId: string; proof: Proof }) =>
    api.call('secondFactor.remove', { params: { factorId }, body: { proof } }),
  )

export const useNewRecoveryCodes = () =>
  useFactorChange((proof: Proof) => api.call('secondFactor.recoveryCodes', { body: { proof } }))
