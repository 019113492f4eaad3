import type { ScimToken } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { KeySquare, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { tokenColumns } from '../../../lib/token-columns.tsx'
import { Button } from '../../../ui/Button.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { Copyable } from '../../../ui/CopyButton.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { SectionTitle } from '../../../ui/PageHeader.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { toast } from '../../../ui/toast.ts'
import { providersQuery, SsoTabs } from '../../sso/index.ts'
import { CreateScimTokenDialog } from '../components/CreateScimTokenDialog.tsx'
import { ScimGroups } from '../components/ScimGroups.tsx'
import { scimTokensQuery, useRevokeScimToken } from '../scim.queries.ts'

/** The tokens with which directories create, change and suspend accounts, and the groups that they sent. */
export function ScimPage() {
  usePageTitle('SCIM', 'Settings')
  return (
    <SsoTabs>
      <div className="flex flex-col gap-8">
        <Tokens />
        <ScimGroups />
      </div>
    </SsoTabs>
  )
}

function Tokens() {
  const { data, error, refetch } = useQuery(scimTokensQuery)
  const { data: providers, isError: withoutProviders } = useQuery(providersQuery)
  const { mutateAsync: revoke } = useRevokeScimToken()
  const [creating, setCreating] = useState(false)
  const columns = useMemo(() => columnsFor((token) => void revokeOne(token, revoke)), [revoke])
  const create = (
    <Button variant="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      Create Token
    </Button>
  )
  return (
    <section>
      <SectionTitle
        title="SCIM Tokens"
        note="Directories create, change and suspend accounts with them."
        action={data !== undefined && data.count > 0 && create}
      />
      {error && !data ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <div className="flex flex-col gap-4">
          {data && <BaseAddress url={data.baseUrl} />}
          <Table
            label="SCIM Tokens"
            rows={data?.tokens}
            columns={columns}
            rowId={({ id }) => id}
            empty={
              <EmptyState icon={<KeySquare />} title="No SCIM tokens" action={create}>
                Create one and enter it at your directory, with the address above.
              </EmptyState>
            }
          />
        </div>
      )}
      {creating && (providers ?? withoutProviders) && (
        <CreateScimTokenDialog
          directory={data?.tokens[0]?.directory}
          providers={providers ?? []}
          onClose={() => setCreating(false)}
        />
      )}
    </section>
  )
}

/** The address that a directory calls. */
function BaseAddress({ url }: { url: string }) {
  return (
    <FormRow
      label="Base Address"
      help="Enter it at the directory, which may call it Tenant URL or Base URL."
      uneditable={{ value: <Copyable text={url} what="base address" /> }}
    />
  )
}

async function revokeOne(token: ScimToken, revoke: (id: string) => Promise<unknown>): Promise<void> {
  const sure = await confirm({
    title: 'Revoke SCIM Token',
    message: (
      <>
        Whoever uses <b>{token.name}</b> is refused at once. The accounts of {token.directory} stay as they are, and
        changes in the directory no longer reach them unless it has another token.
      </>
    ),
    confirmLabel: 'Revoke',
    danger: true,
  })
  if (!sure) return
  await revoke(token.id)
  toast.success(`${token.name} is revoked`)
}

function columnsFor(onRevoke: (token: ScimToken) => void): Column<ScimToken>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      value: ({ name }) => name,
      cell: ({ name, directory, provider, adoptExisting }) => (
        <span className="flex flex-col">
          {name}
          <span className="text-sm text-muted">
            {directory}
            {provider?.domainFilter && `, for ${provider.domainFilter}`}
            {adoptExisting && ', may take over accounts'}
          </span>
        </span>
      ),
    },
    ...tokenColumns(onRevoke),
  ]
}
