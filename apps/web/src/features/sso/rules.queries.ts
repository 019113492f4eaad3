import type { SsoRuleInput } from '@app/contract'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { keepAnswer } from '../../lib/keep-answer.ts'

const keyOf = (providerId: string) => [...keys.ssoProviders, providerId, 'rules']

/** Read once for the form: what is being edited must not change under the hands. */
export const rulesQuery = (providerId: string) =>
  queryOptions({
    queryKey: keyOf(providerId),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
    queryFn: async () => (await api.call('ssoRules.list', { params: { providerId } })).rules,
  })

/** The most that the server gives at once. */
const limit = 1000

/** Every team, to choose from. */
export const teamChoicesQuery = queryOptions({
  queryKey: [...keys.adminTeams, 'choices'],
  queryFn: async () =>
    (await api.call('team.list', { query: { limit } })).teams.map(({ id, name, slug }) => ({
      value: id,
      label: name,
      note: slug,
    })),
})

/** The applications of a team, to choose from. */
export const applicationChoicesQuery = (teamId: string) =>
  queryOptions({
    queryKey: [...keys.teamApplications(teamId), 'choices'],
    queryFn: async () =>
      (await api.call('application.listOfTeam', { params: { teamId } })).applications.map(({ id, name }) => ({
        value: id,
        label: name,
      })),
  })

export function useSaveRules(providerId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (rules: SsoRuleInput[]) => api.call('ssoRules.replace', { params: { providerId }, body: { rules } }),
    onSuccess: ({ rules }) => keepAnswer(client, keyOf(providerId), rules),
  })
}

export const useTryRules = (providerId: string) =>
  useMutation({
    meta: { caught: true },
    mutationFn: (body: { signIn: string; rules: SsoRuleInput[] }) =>
      api.call('ssoRules.try', { params: { providerId }, body }),
  })
