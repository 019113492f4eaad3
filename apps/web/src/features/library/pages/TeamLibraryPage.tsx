import { useParams, useSearch } from '@tanstack/react-router'
import { LibraryBig } from 'lucide-react'
import { useCan } from '../../../lib/can.ts'
import { NeedsRole } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQueryText } from '../../../lib/use-query-state.ts'
import { Breadcrumb } from '../../../ui/Breadcrumb.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SearchInput } from '../../../ui/Input.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { useFeatures, useTeam } from '../../teams/index.ts'
import { EntryView } from '../components/EntryView.tsx'
import { FolderView } from '../components/FolderView.tsx'
import { UntypedView } from '../components/UntypedView.tsx'
import { libraryAddress } from '../library-rows.ts'

/** Flows and functions that the instances of a team share: a folder, or with `?type=` an entry. */
export function TeamLibraryPage() {
  const team = useTeam()
  const features = useFeatures(team.id)
  const mayList = useCan('library:entry:list')
  const { _splat = '' } = useParams({ strict: false }) as { _splat?: string }
  // Read from the same match as the path: the location is one step ahead while a link is followed.
  const { type } = useSearch({ strict: false }) as { type?: string }
  const [search, setSearch] = useQueryText('q')
  const parts = _splat.split('/').filter((part) => part !== '')
  const path = parts.join('/')
  const title = parts.at(-1) ?? 'Library'
  usePageTitle(title, team.name)
  if (features?.['shared-library'] === false)
    return (
      <EmptyState level={1} icon={<LibraryBig />} title="The shared library is not available">
        This platform or the type of this team leaves it out. Ask an administrator if your team needs it.
      </EmptyState>
    )
  if (!mayList) return <NeedsRole least="Member" />
  const isEntry = type === 'flows' || type === 'functions'
  const above = parts.slice(0, -1).map((label, at) => ({
    label,
    to: libraryAddress(team.slug, { path: parts.slice(0, at + 1).join('/'), type: 'folder' }),
  }))
  return (
    <>
      <PageHeader
        title={title}
        description={path === '' ? 'Flows and functions for every instance of the team.' : undefined}
        breadcrumb={
          path !== '' && <Breadcrumb items={[{ label: 'Library', to: `/team/${team.slug}/library` }, ...above]} />
        }
        actions={
          !isEntry && (
            <SearchInput label="Search Library..." value={search} onChange={setSearch} className="min-w-0 sm:w-70" />
          )
        }
      />
      {isEntry ? (
        <EntryView path={path} type={type} />
      ) : path === '' ? (
        <FolderView path="" search={search} />
      ) : (
        <UntypedView path={path} search={search} />
      )}
    </>
  )
}
