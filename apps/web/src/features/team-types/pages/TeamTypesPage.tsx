import type { TeamType } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { Layers2, Pencil, Plus, Trash2 } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Button } from '../../../ui/Button.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Markdown } from '../../../ui/Markdown.tsx'
import type { MenuItem } from '../../../ui/Menu.tsx'
import { PageHeader, SectionTitle } from '../../../ui/PageHeader.tsx'
import { RowMenu } from '../../../ui/RowMenu.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { TeamTypeDialog } from '../components/TeamTypeDialog.tsx'
import { TeamTypeTile } from '../components/TeamTypeTile.tsx'
import { allTeamTypesQuery, ruledTypesQuery, useDeleteTeamType } from '../team-types.queries.ts'

function sureToDelete({ name, teamCount = 0 }: TeamType): Promise<boolean> {
  const isUsed = teamCount > 0
  return confirm({
    title: 'Delete Team Type',
    message: isUsed
      ? 'You cannot delete a team type that teams have. Make it inactive instead.'
      : `Are you sure you want to delete the team type ${name}?`,
    confirmLabel: 'Delete',
    danger: true,
    disabled: isUsed,
  })
}

/** Team types with their limits and prices, the active ones as tiles. */
export function TeamTypesPage() {
  usePageTitle('Team Types', 'Admin')
  const { data: all, error, refetch } = useQuery(allTeamTypesQuery)
  const { data: instanceTypes } = useQuery(ruledTypesQuery)
  const [editing, setEditing] = useState<TeamType | 'new'>()
  const { mutate: remove } = useDeleteTeamType()
  const items = useCallback(
    (type: TeamType): MenuItem[] => [
      { label: 'Edit Team Type', icon: <Pencil size={16} aria-hidden />, onSelect: () => setEditing(type) },
      {
        label: 'Delete Team Type',
        icon: <Trash2 size={16} aria-hidden />,
        danger: true,
        onSelect: () => void sureToDelete(type).then((yes) => yes && remove(type.id)),
      },
    ],
    [remove],
  )
  const columns = useMemo<Column<TeamType>[]>(
    () => [
      { id: 'name', header: 'Type', value: ({ name }) => name },
      {
        id: 'description',
        header: 'Description',
        value: ({ description }) => description,
        cell: ({ description }) => <Markdown text={description} plain />,
      },
      { id: 'teams', header: 'Teams', value: ({ teamCount }) => teamCount ?? 0, align: 'end' },
      {
        id: 'menu',
        header: '',
        align: 'end',
        width: 'w-14',
        cell: (type) => <RowMenu name={type.name} items={items(type)} />,
      },
    ],
    [items],
  )
  const inactive = useMemo(() => all?.filter(({ active }) => !active), [all])
  if (error && !all) return <PageFailure error={error} onRetry={() => void refetch()} />
  const tiles = all?.filter(({ active }) => active)
  return (
    <>
      <PageHeader
        title="Team Types"
        description="Limits, features and prices of teams."
        actions={
          <Button variant="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setEditing('new')}>
            Create Team Type
          </Button>
        }
      />
      {!tiles && <SkeletonCard rows={3} />}
      {tiles?.length === 0 && (
        <EmptyState icon={<Layers2 />} title="No Active Team Types Found">
          Teams cannot be created without one.
        </EmptyState>
      )}
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,280px),1fr))] gap-4">
        {tiles?.map((type) => (
          <TeamTypeTile key={type.id} type={type} items={items(type)} />
        ))}
      </div>
      <section className="mt-8">
        <SectionTitle title="Inactive Types" />
        <Table
          label="Inactive Types"
          rows={inactive}
          columns={columns}
          rowId={({ id }) => id}
          onRowClick={setEditing}
          empty={
            <EmptyState icon={<Layers2 />} title="No Inactive Types Found">
              Inactive types are listed here. Teams that have one keep it.
            </EmptyState>
          }
        />
      </section>
      {editing && instanceTypes && (
        <TeamTypeDialog
          type={editing === 'new' ? undefined : editing}
          instanceTypes={instanceTypes}
          onClose={() => setEditing(undefined)}
        />
      )}
    </>
  )
}
