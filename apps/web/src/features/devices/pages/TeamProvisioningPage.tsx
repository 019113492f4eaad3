import type { ProvisioningToken } from '@app/contract'
import { KeyRound, Pencil, Plus, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useNow } from '../../../lib/use-now.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SectionTitle } from '../../../ui/PageHeader.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { RouterLink } from '../../../ui/RouterLink.tsx'
import { RowMenu } from '../../../ui/RowMenu.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { useTeam } from '../../teams/index.ts'
import { RequireDevices } from '../components/RequireDevices.tsx'
import { CreateProvisioningDialog, EditProvisioningDialog } from '../components/ProvisioningDialog.tsx'
import { useDeleteToken, useProvisioningTokens } from '../provisioning.queries.ts'

/** The provisioning tokens of a team [TSET-06] [PROV-02]. */
export function TeamProvisioningPage() {
  const { id, name, slug } = useTeam()
  usePageTitle('Provisioning Tokens', name)
  const list = useProvisioningTokens(id)
  const [open, setOpen] = useState<'create' | ProvisioningToken>()
  const { mutate: remove } = useDeleteToken(id)
  const mayCreate = useCan('team:device:provisioning-token:create')
  const mayEdit = useCan('team:device:provisioning-token:edit')
  const mayDelete = useCan('team:device:provisioning-token:delete')
  const rows = useMemo(() => list.data?.pages.flatMap(({ tokens }) => tokens), [list.data])
  const columns = useMemo(
    () =>
      columnsFor(slug, {
        ...(mayEdit ? { edit: setOpen } : {}),
        ...(mayDelete
          ? { remove: (token) => void confirm(deletion(token)).then((sure) => sure && remove(token)) }
          : {}),
      }),
    [slug, mayEdit, mayDelete, remove],
  )
  const button = mayCreate && (
    <Button variant="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setOpen('create')}>
      Add Token
    </Button>
  )
  return (
    <RequireDevices teamId={id}>
      <SectionTitle
        title="Provisioning Tokens"
        note="Let machines register themselves as devices."
        action={rows?.length ? button : undefined}
      />
      {list.error && !rows ? (
        <Failure error={list.error} onRetry={() => void list.refetch()} needs="Owner" />
      ) : (
        <Table
          label="Provisioning tokens"
          rows={rows}
          columns={columns}
          rowId={(token) => token.id}
          onLoadMore={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
          loadingMore={list.isFetchingNextPage}
          empty={
            <EmptyState icon={<KeyRound />} title="No provisioning tokens" action={button}>
              With a token, many machines register themselves: each needs only the same small file.
            </EmptyState>
          }
        />
      )}
      {open === 'create' && <CreateProvisioningDialog teamId={id} onClose={() => setOpen(undefined)} />}
      {open && open !== 'create' && (
        <EditProvisioningDialog teamId={id} token={open} onClose={() => setOpen(undefined)} />
      )}
    </RequireDevices>
  )
}

const deletion = ({ name }: ProvisioningToken) => ({
  title: 'Delete Provisioning Token',
  message: (
    <>
      No more devices can register with <b>{name}</b>. Devices that are already registered stay.
    </>
  ),
  confirmLabel: 'Delete',
  danger: true,
})

type Act = (token: ProvisioningToken) => void

function columnsFor(slug: string, { edit, remove }: { edit?: Act; remove?: Act }): Column<ProvisioningToken>[] {
  return [
    { id: 'name', header: 'Token', value: ({ name }) => name },
    {
      id: 'instance',
      header: 'Instance',
      value: ({ instanceName }) => instanceName,
      cell: ({ instance, instanceName }) => <InstanceCell id={instance} name={instanceName} />,
    },
    {
      id: 'expires',
      header: 'Expires',
      value: ({ expiresAt }) => expiresAt,
      cell: ({ expiresAt }) => <Expiry time={expiresAt} />,
    },
    {
      id: 'uses',
      header: 'Registered',
      value: ({ uses }) => uses,
      cell: ({ id, uses }) =>
        uses === 0 ? (
          '0'
        ) : (
          <RouterLink to={`/team/${slug}/devices`} search={{ token: id }} className="rounded-sm hover:underline">
            {uses}
          </RouterLink>
        ),
    },
    {
      id: 'used',
      header: 'Last Used',
      value: ({ lastUsedAt }) => lastUsedAt,
      cell: ({ lastUsedAt }) =>
        lastUsedAt ? <RelativeTime time={lastUsedAt} /> : <span className="text-muted">never</span>,
    },
    {
      id: 'menu',
      header: '',
      align: 'end',
      width: 'w-14',
      cell: (token) => (
        <RowMenu
          name={token.name}
          items={[
            ...(edit
              ? [{ label: 'Edit Details', icon: <Pencil size={16} aria-hidden />, onSelect: () => edit(token) }]
              : []),
            ...(remove
              ? [
                  {
                    label: 'Delete Token',
                    icon: <Trash2 size={16} aria-hidden />,
                    danger: true,
                    onSelect: () => remove(token),
                  },
                ]
              : []),
          ]}
        />
      ),
    },
  ]
}

function InstanceCell({ id, name }: { id: string | undefined; name: string | undefined }) {
  if (id === undefined) return <span className="text-muted">none</span>
  if (name === undefined) return <Badge tone="bad">deleted</Badge>
  return (
    <RouterLink to={`/instance/${id}/overview`} className="rounded-sm hover:underline">
      {name}
    </RouterLink>
  )
}

function Expiry({ time }: { time: string | null }) {
  const now = useNow(60_000)
  if (time === null) return <span className="text-muted">never</span>
  if (Date.parse(time) <= now) return <Badge tone="bad">expired</Badge>
  return <RelativeTime time={time} />
}
