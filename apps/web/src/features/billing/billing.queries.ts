import type { Subscription, TeamBilling } from '@app/contract'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError, api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { toast } from '../../ui/toast.ts'
import { teamsQuery } from '../teams/index.ts'
import { isTrialRunning } from './billing.state.ts'

/** The subscription of a team; null for a team in trial that has none yet [BILL-17]. */
export const subscriptionQuery = (teamId: string, billing: TeamBilling) =>
  queryOptions({
    queryKey: keys.subscription(teamId),
    queryFn: async (): Promise<Subscription | null> => {
      try {
        return await api.call('billing.get', { params: { teamId } })
      } catch (error) {
        if (isTrialRunning(billing) && error instanceof ApiError && error.code === 'not_found') return null
        throw error
      }
    },
  })

/** Leads to the payment provider, which asks for the payment details of a team. */
export function useCheckout(teamId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: () => api.call('billing.checkout', { params: { teamId } }),
    onSuccess: ({ billingURL }) => location.assign(billingURL),
    onError: (error) => {
      toast.warning('The payment provider could not be opened.', { detail: reasonOf(error) })
      // Somebody else may have paid meanwhile.
      void client.invalidateQueries({ queryKey: ['team-by-slug'] })
    },
  })
}

/** Billing of a team of the signed-in user; undefined while billing is off, or in the team of others. */
export const useTeamBilling = (teamId: string): TeamBilling | undefined =>
  useQuery(teamsQuery).data?.find(({ id }) => id === teamId)?.billing

/** A team with its type, for the prices of that. */
export const pricedTeamQuery = (teamId: string) =>
  queryOptions({
    queryKey: keys.teamPrices(teamId),
    queryFn: () => api.call('team.get', { params: { teamId } }),
  })
