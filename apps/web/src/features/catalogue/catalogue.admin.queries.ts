import type { InstanceType, Stack } from '@app/contract'
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { warn } from './failures.ts'

/** Rows of one page [CONST-09] [CONST-10]; forms read up to a hundred at once. */
const pageSize = 30
const formSize = 100
/** Polling interval of a stack that is being fetched or tried, in ms. */
const trialPoll = 2_000

type Active = 'active' | 'inactive'
const page = (cursor: string | undefined) => ({ limit: pageSize, ...(cursor === undefined ? {} : { cursor }) })
const nextOf = <P extends { meta: { next_cursor?: string | undefined } }>({ meta }: P) => meta.next_cursor
const first = undefined as string | undefined
const having = (query: string) => (query.trim() === '' ? {} : { query: query.trim() })

export const isMoving = ({ meta }: Stack) => meta.state !== 'ready' && meta.state !== 'failed'

/** Templates whose name, description, id or maker has the text. */
export const templatePages = (text: string) =>
  infiniteQueryOptions({
    queryKey: keys.catalogue('templates', 'pages', text),
    initialPageParam: first,
    queryFn: ({ pageParam }) => api.call('template.list', { query: { ...page(pageParam), ...having(text) } }),
    getNextPageParam: nextOf,
  })

/** Read once for the editor: what is being edited must not change under the hands. */
export const templateQuery = (id: string) =>
  queryOptions({
    queryKey: keys.catalogue('templates', 'one', id),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
    queryFn: () => api.call('template.get', { params: { templateId: id } }),
  })

export const typePages = (filter: Active) =>
  infiniteQueryOptions({
    queryKey: keys.catalogue('types', 'pages', filter),
    initialPageParam: first,
    queryFn: ({ pageParam }) => api.call('instanceType.list', { query: { ...page(pageParam), filter } }),
    getNextPageParam: nextOf,
  })
export const allTypesQuery = queryOptions({
  queryKey: keys.catalogue('types', 'all'),
  queryFn: async () => (await api.call('instanceType.list', { query: { filter: 'all', limit: formSize } })).types,
})

export const stackPages = (filter: Active, text: string) =>
  infiniteQueryOptions({
    queryKey: keys.catalogue('stacks', 'pages', filter, text),
    initialPageParam: first,
    queryFn: ({ pageParam }: { pageParam: string | undefined }) =>
      api.call('stack.list', { query: { ...page(pageParam), ...having(text), filter } }),
    getNextPageParam: nextOf,
    refetchInterval: ({ state }) => (state.data?.pages.some(({ stacks }) => stacks.some(isMoving)) ? trialPoll : false),
  })
/** Every stack by id, for the names of others. */
export const allStacksQuery = queryOptions({
  queryKey: keys.catalogue('stacks', 'all'),
  queryFn: async () => (await api.call('stack.list', { query: { filter: 'all', limit: formSize } })).stacks,
})
/** Progress of the preparation of a stack; what is pushed about a job lands here by its subject. */
export const stackJobsQuery = (stackId: string, moving: boolean) =>
  queryOptions({
    queryKey: keys.instanceJobs(stackId),
    refetchInterval: moving ? trialPoll : false,
    queryFn: () => api.call('stack.jobs', { params: { stackId } }),
  })

/** Reads every list anew that may show what was changed. */
function useStale() {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: ['catalogue'] })
}

/** A change whose refusal the form shows. */
function useChange<V, R>(mutationFn: (values: V) => Promise<R>) {
  const onSuccess = useStale()
  return useMutation({ meta: { caught: true }, mutationFn, onSuccess })
}
/** A change whose refusal is told in the corner [ASTACK-17]. */
function useAct<V, R>(mutationFn: (values: V) => Promise<R>) {
  const onSuccess = useStale()
  return useMutation({ meta: { caught: true }, mutationFn, onSuccess, onError: warn })
}

type TypeValues = Pick<InstanceType, 'name' | 'active' | 'description' | 'order'> &
  Partial<Pick<InstanceType, 'defaultStack' | 'properties'>>
export const useSaveType = (id: string | undefined) =>
  useChange((body: TypeValues) =>
    id
      ? api.call('instanceType.update', { params: { instanceTypeId: id }, body })
      : api.call('instanceType.create', { body }),
  )
export const useDeleteType = () =>
  useAct((id: string) => api.call('instanceType.delete', { params: { instanceTypeId: id } }))

export interface StackValues {
  name?: string
  label: string
  active: boolean
  projectType?: string
  properties?: Record<string, string>
}
/** Saves a stack: a changed one by its id, a new one, or a new version of the one it replaces. */
export const useSaveStack = (id: string | undefined, replace: string | undefined) =>
  useChange((values: StackValues) => {
    // The server knows which properties there are, and what may stand in them.
    const body = values as never
    return id
      ? api.call('stack.update', { params: { stackId: id }, body })
      : api.call('stack.create', { body: { ...values, ...(replace ? { replace } : {}) } as never })
  })
export const useDeleteStack = () => useAct((id: string) => api.call('stack.delete', { params: { stackId: id } }))
export const usePrepareStack = () => useAct((id: string) => api.call('stack.prepare', { params: { stackId: id } }))

/** Saves a template: what is sent of a known one, or a new one. */
export const useSaveTemplate = (id: string | undefined) =>
  useChange((body: object) =>
    id
      ? api.call('template.update', { params: { templateId: id }, body })
      : // The form of a new template has its name, which the type of a changed one does not ask for.
        api.call('template.create', { body: body as never }),
  )
export const useDeleteTemplate = () =>
  useAct((id: string) => api.call('template.delete', { params: { templateId: id } }))
