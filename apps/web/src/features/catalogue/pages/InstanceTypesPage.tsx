import type { InstanceType } from '@app/contract'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Boxes, Pencil, Plus, Trash2 } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Markdown } from '../../../ui/Markdown.tsx'
import type { MenuItem } from '../../../ui/Menu.tsx'
import { PageHeader, SectionTitle } from '../../../ui/PageHeader.tsx'
import { RowMenu } from '../../../ui/RowMenu.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { allStacksQuery, typePages, useDeleteType } from '../catalogue.admin.queries.ts'
import { TypeDialog } from '../components/TypeDialog.tsx'
import { TypeTile } from '../components/TypeTile.tsx'
import { sureToDelete } from '../delete.ts'

/** Kinds of instances, the active ones as tiles [ATYPE-01]. */
export function InstanceTypesPage() {
  usePageTitle('Instance Types', 'Admin')
  const active = useInfiniteQuery(typePages('active'))
  const inactive = useInfiniteQuery(typePages('inactive'))
  const { data: stacks } = useQuery(allStacksQuery)
  const [editing, setEditing] = useState<InstanceType | 'new'>()
  const { mutate: remove } = useDeleteType()
  const rows = useMemo(() => inactive.data?.pages.flatMap(({ types }) => types), [inactive.data])
  const items = useCallback(
    (type: InstanceType): MenuItem[] => [
      { label: 'Edit Instance Type', icon: <Pencil size={16} aria-hidden />, onSelect: () => setEditing(type) },
      {
        label: 'Delete Instance Type',
        icon: <Trash2 size={16} aria-hidden />,
        danger: true,
        onSelect: () => void sureToDelete('type', type.instanceCount).then((yes) => yes && remove(type.id)),
      },
    ],
    [remove],
  )
  const columns = useMemo<Column<InstanceType>[]>(() => {
    const nameOf = (id: string | null) => stacks?.find((stack) => stack.id === id)?.name ?? ''
    return [
      { id: 'name', header: 'Type', value: ({ name }) => name },
      {
        id: 'description',
        header: 'Description',
        value: ({ description }) => description,
        cell: ({ description }) => <Markdown text={description} plain />,
      },
      { id: 'stack', header: 'Default Stack', value: ({ defaultStack }) => nameOf(defaultStack) },
      {
        id: 'instances',
        header: 'Application Instances',
        value: ({ instanceCount }) => instanceCount ?? 0,
        align: 'end',
      },
      { id: 'stacks', header: 'Stacks', value: ({ stackCount }) => stackCount ?? 0, align: 'end' },
      {
        id: 'menu',
        header: '',
        align: 'end',
        width: 'w-14',
        cell: (type) => <RowMenu name={type.name} items={items(type)} />,
      },
    ]
  }, [stacks, items])
  const { data, error, refetch } = active
  if (error && !data) return <PageFailure error={error} onRetry={() => void refetch()} />
  const tiles = data?.pages.flatMap(({ types }) => types)
  const create = (
    <Button variant="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setEditing('new')}>
      Create instance type
    </Button>
  )
  return (
    <>
      <PageHeader title="Instance Types" description="Instance types that people can choose." actions={create} />
      {!tiles && <SkeletonCard rows={3} />}
      {tiles?.length === 0 && (
        <EmptyState icon={<Boxes />} title="No Active Instance Types Found">
          Instances cannot be created without one.
        </EmptyState>
      )}
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,280px),1fr))] gap-4">
        {tiles?.map((type) => (
          <TypeTile key={type.id} type={type} items={items(type)} />
        ))}
      </div>
      {active.hasNextPage && (
        <div className="mt-4 flex justify-center">
          <Button loading={active.isFetchingNextPage} onClick={() => void active.fetchNextPage()}>
            Load more...
          </Button>
        </div>
      )}
      <section className="mt-8">
        <SectionTitle title="Inactive Types" />
        <Table
          label="Inactive Types"
          rows={rows}
          columns={columns}
          rowId={({ id }) => id}
          onRowClick={setEditing}
          onLoadMore={inactive.hasNextPage ? () => void inactive.fetchNextPage() : undefined}
          loadingMore={inactive.isFetchingNextPage}
          empty={
            <EmptyState icon={<Boxes />} title="No Inactive Types Found">
              Inactive types are listed here. Nobody can choose them.
            </EmptyState>
          }
        />
      </section>
      {editing && <TypeDialog type={editing === 'new' ? undefined : editing} onClose={() => setEditing(undefined)} />}
    </>
  )
}
