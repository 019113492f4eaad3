import type { Stack } from '@app/contract'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { CopyPlus, Package, Pencil, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { useSettled } from '../../../lib/use-settled.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SearchInput } from '../../../ui/Input.tsx'
import { SectionTitle } from '../../../ui/PageHeader.tsx'
import { RowMenu } from '../../../ui/RowMenu.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { allStacksQuery, stackPages, useDeleteStack } from '../catalogue.admin.queries.ts'
import { sureToDelete } from '../delete.ts'
import { propertyTexts, shownProperty, type StackFields } from '../stack-properties.ts'
import type { StackTask } from './StackDialog.tsx'
import { StackState } from './StackState.tsx'

function emptyText(filter: 'active' | 'inactive', text: string): string {
  if (text !== '') return 'Search by a part of the name or the label.'
  return filter === 'active'
    ? 'Instances cannot be created without one.'
    : 'Inactive and replaced stacks are listed here.'
}

/** Active or inactive stacks, with a search of their own [ASTACK-01] [ASTACK-06]. */
export function StackTable(props: {
  filter: 'active' | 'inactive'
  fields: StackFields
  onTask: (task: StackTask) => void
}) {
  const { filter, fields, onTask } = props
  const title = filter === 'active' ? 'Active Stacks' : 'Inactive Stacks'
  const [text, setText] = useState('')
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    stackPages(filter, useSettled(text)),
  )
  const { data: all } = useQuery(allStacksQuery)
  const { mutate: remove } = useDeleteStack()
  const rows = useMemo(() => data?.pages.flatMap(({ stacks }) => stacks), [data])
  const columns = useMemo<Column<Stack>[]>(() => {
    const nameOf = (id: string | undefined) => all?.find((stack) => stack.id === id)?.name ?? id ?? ''
    const properties = (stack: Stack) =>
      Object.entries(propertyTexts(fields, stack.properties))
        .filter(([, value]) => value !== '')
        .map(([key, value]) => shownProperty(fields[key]?.label ?? key, value))
    return [
      {
        id: 'name',
        header: 'Stack',
        value: ({ name, label }) => label || name,
        cell: ({ name, label, projectTypeName }) => (
          <span className="min-w-0">
            <span className="block truncate">{label || name}</span>
            <span className="block truncate text-sm font-normal text-muted">
              {[label ? name : '', projectTypeName ?? 'no instance type'].filter(Boolean).join(' · ')}
            </span>
          </span>
        ),
      },
      {
        id: 'properties',
        header: 'Properties',
        value: (stack) => properties(stack).join(),
        sortable: false,
        cell: (stack) => (
          <span className="flex flex-wrap gap-x-3 text-sm max-sm:justify-end">
            {properties(stack).map(([name, value]) => (
              <span key={name} className="whitespace-nowrap">
                <span className="text-muted">{name}</span> <span className="num">{value}</span>
              </span>
            ))}
          </span>
        ),
      },
      ...(filter === 'active'
        ? [{ id: 'state', header: 'State', cell: (stack: Stack) => <StackState stack={stack} /> }]
        : [{ id: 'replaced', header: 'Replaced By', value: ({ replacedBy }: Stack) => nameOf(replacedBy) }]),
      { id: 'instances', header: 'Instance Count', value: ({ instanceCount }) => instanceCount ?? 0, align: 'end' },
      {
        id: 'menu',
        header: '',
        align: 'end',
        width: 'w-14',
        cell: (stack) => (
          <RowMenu
            name={stack.name}
            items={[
              {
                label: 'Create New Version',
                icon: <CopyPlus size={16} aria-hidden />,
                obstacle: stack.replacedBy === undefined ? undefined : 'It has a newer version.',
                onSelect: () => onTask({ kind: 'version', stack }),
              },
              {
                label: 'Edit Properties',
                icon: <Pencil size={16} aria-hidden />,
                onSelect: () => onTask({ kind: 'edit', stack }),
              },
              {
                label: 'Delete Stack',
                icon: <Trash2 size={16} aria-hidden />,
                danger: true,
                onSelect: () => void sureToDelete('stack', stack.instanceCount).then((yes) => yes && remove(stack.id)),
              },
            ]}
          />
        ),
      },
    ]
  }, [all, fields, filter, onTask, remove])
  return (
    <section aria-label={`${title}, with search`}>
      <SectionTitle
        title={title}
        action={
          <SearchInput label="Search by Stack Name..." value={text} onChange={setText} className="w-full sm:w-60" />
        }
      />
      {error && !data ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label={title}
          rows={rows}
          columns={columns}
          rowId={({ id }) => id}
          onLoadMore={hasNextPage ? () => void fetchNextPage() : undefined}
          loadingMore={isFetchingNextPage}
          empty={
            <EmptyState
              icon={<Package />}
              title={`No ${title} Found`}
              action={text !== '' && <Button onClick={() => setText('')}>Clear search</Button>}
            >
              {emptyText(filter, text)}
            </EmptyState>
          }
        />
      )}
    </section>
  )
}
