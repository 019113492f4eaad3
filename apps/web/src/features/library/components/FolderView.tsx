import { useQuery } from '@tanstack/react-query'
import { Folder, FunctionSquare, LibraryBig, Trash2, Workflow } from 'lucide-react'
import { useMemo } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { useCan } from '../../../lib/can.ts'
import { confirm } from '../../../ui/confirm.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { RowMenu } from '../../../ui/RowMenu.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { useTeam } from '../../teams/index.ts'
import { libraryAddress, type LibraryRow } from '../library-rows.ts'
import { folderQuery, useDeleteEntry } from '../library.queries.ts'

const kinds = {
  folder: { label: 'Folder', icon: Folder },
  flows: { label: 'Flows', icon: Workflow },
  functions: { label: 'Function', icon: FunctionSquare },
}

function Kind({ type }: Pick<LibraryRow, 'type'>) {
  const { label, icon: Icon } = kinds[type]
  return (
    <span role="img" aria-label={label} title={label} className="inline-flex text-muted">
      <Icon size={16} aria-hidden />
    </span>
  )
}

const columns: Column<LibraryRow>[] = [
  {
    id: 'name',
    header: 'Name',
    value: ({ name }) => name,
    cell: ({ name, type }) => (
      <span className="inline-flex min-w-0 items-center gap-2.5">
        <Kind type={type} />
        <span className="truncate">{name}</span>
      </span>
    ),
  },
  {
    id: 'updated',
    header: 'Date Modified',
    value: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => updatedAt && <RelativeTime time={updatedAt} />,
  },
]

/** A folder of the library [LIB-02] [LIB-03] [LIB-05]. */
export function FolderView({ path, search }: { path: string; search: string }) {
  const team = useTeam()
  const mayDelete = useCan('library:entry:delete')
  const { data: rows, error, refetch } = useQuery(folderQuery(team.id, path))
  const { mutate: remove } = useDeleteEntry(team.id)
  const all = useMemo<Column<LibraryRow>[]>(() => {
    const askAndRemove = async (row: LibraryRow) => {
      const what = row.type === 'folder' ? 'and everything in it' : 'from the library of the team'
      const question = { title: `Delete ${row.name}?`, confirmLabel: 'Delete', danger: true }
      if (
        await confirm({
          ...question,
          message: `This deletes “${row.path}” ${what}. Instances that imported it keep their copies.`,
        })
      )
        remove(row)
    }
    const menu: Column<LibraryRow> = {
      id: 'menu',
      header: '',
      align: 'end',
      width: 'w-14',
      cell: (row) => (
        <RowMenu
          name={row.name}
          items={[
            {
              label: 'Delete',
              icon: <Trash2 size={16} aria-hidden />,
              danger: true,
              onSelect: () => void askAndRemove(row),
            },
          ]}
        />
      ),
    }
    return mayDelete ? [...columns, menu] : columns
  }, [mayDelete, remove])
  if (error && !rows) return <Failure error={error} onRetry={() => void refetch()} />
  return (
    <Table
      label="Library"
      rows={rows}
      columns={all}
      rowId={({ type, path: of }) => `${type} ${of}`}
      rowTo={(row) => libraryAddress(team.slug, row)}
      search={search}
      empty={
        <EmptyState icon={<LibraryBig />} title={path === '' ? 'Nothing is shared yet' : 'This folder is empty'}>
          In the editor of any instance, choose Export, then Team Library. What is saved there can be imported into
          every instance of the team.
        </EmptyState>
      }
    />
  )
}
