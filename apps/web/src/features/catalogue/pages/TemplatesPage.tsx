import type { TemplateSummary } from '@app/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Copy, FileCog, Pencil, Plus, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useSettled } from '../../../lib/use-settled.ts'
import { queryOf } from '../../../lib/use-query-state.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button, ButtonLink } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SearchInput } from '../../../ui/Input.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { RowMenu } from '../../../ui/RowMenu.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { templatePages, useDeleteTemplate } from '../catalogue.admin.queries.ts'
import { sureToDelete } from '../delete.ts'

const columns: Column<TemplateSummary>[] = [
  { id: 'name', header: 'Template', value: ({ name }) => name },
  {
    id: 'active',
    header: 'Active',
    value: ({ active }) => active,
    cell: ({ active }) => <Badge tone={active ? 'ok' : 'idle'}>{active ? 'active' : 'inactive'}</Badge>,
  },
  { id: 'description', header: 'Description', value: ({ description }) => description },
  { id: 'owner', header: 'Created by', value: ({ owner }) => owner?.username ?? '' },
  { id: 'instances', header: 'Instance Count', value: ({ instanceCount }) => instanceCount, align: 'end' },
]

/** The list of templates [ATPL-01]. */
export function TemplatesPage() {
  usePageTitle('Templates', 'Admin')
  const [text, setText] = useState('')
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    templatePages(useSettled(text)),
  )
  const rows = useMemo(() => data?.pages.flatMap(({ templates }) => templates), [data])
  const navigate = useNavigate()
  const { mutate: remove } = useDeleteTemplate()
  const all = useMemo<Column<TemplateSummary>[]>(() => {
    const open = (id: string) =>
      void navigate({ to: '/admin/templates/$templateId/settings', params: { templateId: id } })
    const cell = ({ id, name, instanceCount }: TemplateSummary) => (
      <RowMenu
        name={name}
        items={[
          { label: 'Edit Template', icon: <Pencil size={16} aria-hidden />, onSelect: () => open(id) },
          {
            label: 'Copy Template',
            icon: <Copy size={16} aria-hidden />,
            onSelect: () =>
              void navigate({
                to: '/admin/templates/$templateId/settings',
                params: { templateId: 'create' },
                search: queryOf({ source: id }),
              }),
          },
          {
            label: 'Delete Template',
            icon: <Trash2 size={16} aria-hidden />,
            danger: true,
            onSelect: () => void sureToDelete('template', instanceCount).then((yes) => yes && remove(id)),
          },
        ]}
      />
    )
    return [...columns, { id: 'menu', header: '', align: 'end', width: 'w-14', cell }]
  }, [navigate, remove])
  if (error && !data) return <PageFailure error={error} onRetry={() => void refetch()} />
  return (
    <>
      <PageHeader
        title="Templates"
        description="Default settings of instances, and which of them owners may change."
        actions={
          <>
            <SearchInput
              label="Search Templates..."
              value={text}
              onChange={setText}
              className="min-w-0 flex-[1_1_220px] sm:w-60 sm:flex-none"
            />
            <ButtonLink variant="primary" icon={<Plus size={16} aria-hidden />} to="/admin/templates/create/settings">
              Create template
            </ButtonLink>
          </>
        }
      />
      <Table
        label="Templates"
        rows={rows}
        columns={all}
        rowId={({ id }) => id}
        rowTo={({ id }) => `/admin/templates/${id}/settings`}
        onLoadMore={hasNextPage ? () => void fetchNextPage() : undefined}
        loadingMore={isFetchingNextPage}
        empty={
          <EmptyState
            icon={<FileCog />}
            title="No Templates Found"
            action={text !== '' && <Button onClick={() => setText('')}>Clear search</Button>}
          >
            {text === '' ? 'Instances cannot be created without one.' : 'Search by name, description, creator or ID.'}
          </EmptyState>
        }
      />
    </>
  )
}
