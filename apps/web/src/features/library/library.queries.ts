import type { LibraryFolder, LibraryType } from '@app/contract'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { toast } from '../../ui/toast.ts'
import { warnOfDevice } from '../devices/index.ts'
import { type LibraryRow, rowsOf } from './library-rows.ts'

const libraryKey = (teamId: string) => [...keys.team(teamId), 'library']

/** The entries of a folder of the library, in the order of the page. `path` is empty at the top. */
export const folderQuery = (teamId: string, path: string) =>
  queryOptions({
    queryKey: [...libraryKey(teamId), 'folder', path],
    queryFn: async () =>
      rowsOf((await api.call('library.get', { params: { teamId, '*': path } })) as LibraryFolder, path),
  })

/** The text of an entry: flows as indented JSON, functions as they are. Null when there is no such entry. */
export const entryQuery = (teamId: string, path: string, type: LibraryType) =>
  queryOptions({
    queryKey: [...libraryKey(teamId), 'entry', path, type],
    queryFn: async () => {
      const found = await api.call('library.get', { params: { teamId, '*': path }, query: { type } })
      if (type === 'functions') return typeof found === 'string' ? found : null
      return Array.isArray(found) && found.length === 0 ? null : JSON.stringify(found, null, 2)
    },
  })

/** Deletes an entry, or a folder with all below it [LIB-09] [LIB-10]. */
export function useDeleteEntry(teamId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: ({ path, type }: LibraryRow) =>
      api.call('library.delete', { params: { teamId, '*': path }, query: { type } }),
    onSuccess: () => toast.success('Successfully deleted!'),
    onError: (error) => warnOfDevice('delete', reasonOf(error)),
    onSettled: () => client.invalidateQueries({ queryKey: libraryKey(teamId) }),
  })
}
