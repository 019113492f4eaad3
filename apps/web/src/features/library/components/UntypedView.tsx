import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { Failure } from '../../../lib/api-failure.tsx'
import { Loading } from '../../../ui/Loading.tsx'
import { useTeam } from '../../teams/index.ts'
import { libraryAddress } from '../library-rows.ts'
import { folderQuery } from '../library.queries.ts'
import { FolderView } from './FolderView.tsx'

/** A path without `?type=`: a folder, or an entry, which the folder above it names with its type. */
export function UntypedView({ path, search }: { path: string; search: string }) {
  const team = useTeam()
  const above = path.split('/').slice(0, -1).join('/')
  const { data: rows, error, refetch } = useQuery(folderQuery(team.id, above))
  if (error && !rows) return <Failure error={error} onRetry={() => void refetch()} />
  if (!rows) return <Loading />
  const found = rows.filter((row) => row.path === path)
  const [entry] = found
  if (entry && found.every(({ type }) => type !== 'folder'))
    return <Navigate to={libraryAddress(team.slug, entry)} replace />
  return <FolderView path={path} search={search} />
}
