import type { AccessToken } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { KeySquare, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { plural } from '../../../lib/plural.ts'
import { tokenColumns } from '../../../lib/token-columns.tsx'
import { Button } from '../../../ui/Button.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { toast } from '../../../ui/toast.ts'
import { AccountSection, securityTabs } from '../../account/index.ts'
import { CreateTokenDialog } from '../components/CreateTokenDialog.tsx'
import { tokensQuery, useRevokeToken } from '../tokens.queries.ts'

/** The own access tokens: what programs of the person use instead of the password. */
export function AccessTokensPage() {
  const { data: tokens, error, refetch } = useQuery(tokensQuery)
  const { mutateAsync: revoke } = useRevokeToken()
  const [creating, setCreating] = useState(false)
  const columns = useMemo(() => columnsFor((token) => void revokeOne(token, revoke)), [revoke])
  const create = (
    <Button variant="primary" icon={<Plus size={14} aria-hidden />} onClick={() => setCreating(true)}>
      Create Token
    </Button>
  )
  return (
    <AccountSection
      title="Security"
      page="Access tokens"
      tabs={securityTabs}
      actions={tokens !== undefined && tokens.length > 0 && create}
    >
      {error && !tokens ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label="Access tokens"
          rows={tokens}
          columns={columns}
          rowId={({ id }) => id}
          empty={
            <EmptyState icon={<KeySquare />} title="No access tokens yet" action={create}>
              A token lets a program call the API in your name, within the scopes you choose.
            </EmptyState>
          }
        />
      )}
      {creating && <CreateTokenDialog onClose={() => setCreating(false)} />}
    </AccountSection>
  )
}

async function revokeOne(token: AccessToken, revoke: (id: string) => Promise<unknown>): Promise<void> {
  const sure = await confirm({
    title: 'Revoke Access Token',
    message: (
      <>
        Programs that use <b>{token.name}</b> are refused at once. This cannot be undone.
      </>
    ),
    confirmLabel: 'Revoke',
    danger: true,
  })
  if (!sure) return
  await revoke(token.id)
  toast.success('Access token revoked.')
}

function columnsFor(onRevoke: (token: AccessToken) => void): Column<AccessToken>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      value: ({ name }) => name,
      cell: ({ name }) => <b className="font-medium">{name}</b>,
    },
    {
      id: 'scopes',
      header: 'Scopes',
      value: ({ scopes }) => scopes.length,
      cell: ({ scopes }) => (
        <span title={scopes.join(', ')}>
          {scopes.length === 1 ? <span className="mono">{scopes[0]}</span> : plural(scopes.length, 'scope')}
        </span>
      ),
      width: 'w-44',
    },
    ...tokenColumns(onRevoke),
  ]
}
