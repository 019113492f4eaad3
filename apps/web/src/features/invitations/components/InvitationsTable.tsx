import type { Invitation } from '@app/contract'
import type { UseQueryResult } from '@tanstack/react-query'
import { MailOpen } from 'lucide-react'
import type { ReactNode } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'

interface Props {
  query: Pick<UseQueryResult<Invitation[]>, 'data' | 'error' | 'refetch'>
  columns: Column<Invitation>[]
  /** Says that there are none. */
  emptyTitle: string
  /** Says where they come from. */
  children: ReactNode
}

/** Invitations that nobody has answered, or why they cannot be shown. */
export function InvitationsTable({ query: { data, error, refetch }, columns, emptyTitle, children }: Props) {
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  const empty = (
    <EmptyState icon={<MailOpen />} title={emptyTitle}>
      {children}
    </EmptyState>
  )
  return <Table label="Invitations" rows={data} columns={columns} rowId={({ id }) => id} empty={empty} />
}
