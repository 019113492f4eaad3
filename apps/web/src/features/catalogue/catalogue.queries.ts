import type { Stack } from '@app/contract'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'

/** The active instance types, by order. */
export const instanceTypesQuery = queryOptions({
  queryKey: keys.catalogue('types'),
  staleTime: 60_000,
  queryFn: async () => (await api.call('instanceType.list', { query: { filter: 'active', limit: 1000 } })).types,
})

/** Polling interval of a stack that is being fetched or tried, in ms. */
const trialPoll = 2_000
const isMoving = ({ meta }: Stack) => meta.state !== 'ready' && meta.state !== 'failed'

/** The active stacks of an instance type. */
export const stacksQuery = (projectType: string) =>
  queryOptions({
    queryKey: keys.catalogue('stacks', projectType),
    staleTime: 60_000,
    enabled: projectType !== '',
    // Stacks belong to no team, so nothing of them is pushed to one.
    refetchInterval: ({ state }) => (state.data?.some(isMoving) ? trialPoll : false),
    queryFn: async () =>
      (await api.call('stack.list', { query: { filter: 'active', projectType, limit: 1000 } })).stacks,
  })

/** The active templates. */
export const templatesQuery = queryOptions({
  queryKey: keys.catalogue('templates'),
  staleTime: 60_000,
  queryFn: async () =>
    (await api.call('template.list', { query: { limit: 1000 } })).templates.filter(({ active }) => active),
})
