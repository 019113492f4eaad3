import type { Team } from '@app/contract'
import { UsersRound } from 'lucide-react'
import { useMemo } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQueryText } from '../../../lib/use-query-state.ts'
import { useSettled } from '../../../lib/use-settled.ts'
import { Avatar } from '../../../ui/Avatar.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SearchInput } from '../../../ui/Input.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { badgeOf } from '../../billing/index.ts'
import { useSettings } from '../../account/index.ts'
import { quotaText } from '../../team-types/index.ts'
import { countNote, useAllTeams } from '../../users/index.ts'

const columns: Column<Team>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name, avatar }) => (
      <span className="inline-flex items-center gap-2.5 align-middle">
        <Avatar name={name} src={avatar} shape="square" />
        {name}
      </span>
    ),
  },
  { id: 'type', header: 'Type', cell: ({ type }) => type.name },
  {
    id: 'members',
    header: 'Members',
    cell: ({ memberCount, type }) => quotaText(memberCount, type.properties.userLimit),
    align: 'end',
  },
  {
    id: 'instances',
    header: 'Application Instances',
    cell: ({ instanceCount, type }) => quotaText(instanceCount, type.properties.runtimeLimit),
    align: 'end',
  },
]

const withBilling: Column<Team>[] = [
  ...columns,
  {
    id: 'billing',
    header: 'Billing',
    cell: ({ billing }) => billing && <Badge tone={badgeOf(billing).tone}>{badgeOf(billing).text}</Badge>,
  },
]

/** Every team of the platform; a row opens it, as a guest where one is no member [ATEAMS-03]. */
export function AdminTeamsPage() {
  usePageTitle('Teams', 'Admin')
  const hasBilling = useSettings()?.features['billing'] === true
  const [text, setText] = useQueryText('q')
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useAllTeams(useSettled(text))
  const teams = useMemo(() => data?.pages.flatMap((page) => page.teams), [data])
  return (
    <>
      <PageHeader title="Teams" description="Every team of this platform." />
      {error && !teams ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <SearchInput
            className="mb-3 sm:max-w-100"
            label="Search Teams..."
            value={text}
            onChange={setText}
            note={countNote(data?.pages[0]?.count)}
          />
          <Table
            label="Teams"
            rows={teams}
            columns={hasBilling ? withBilling : columns}
            rowId={({ id }) => id}
            rowTo={({ slug }) => `/team/${slug}`}
            onLoadMore={hasNextPage ? () => void fetchNextPage() : undefined}
            loadingMore={isFetchingNextPage}
            empty={
              <EmptyState
                icon={<UsersRound />}
                title="No Teams Found"
                action={text !== '' && <Button onClick={() => setText('')}>Clear search</Button>}
              >
                {text === '' ? 'New teams are listed here.' : 'Search by the start of a word in the name, or by ID.'}
              </EmptyState>
            }
          />
        </>
      )}
    </>
  )
}
