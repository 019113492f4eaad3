import type { ContextValue, InstanceContext } from '@app/contract'
import { Database, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { formatSize } from '../../../lib/sizes.ts'
import { Button } from '../../../ui/Button.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { SectionTitle } from '../../../ui/PageHeader.tsx'
import { Progress } from '../../../ui/Progress.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { useCurrentInstance } from '../../instances/index.ts'
import { useContextValues, useDeleteContext } from '../context.queries.ts'

const columns: Column<ContextValue>[] = [
  { id: 'key', header: 'Key', value: ({ key }) => key, cell: ({ key }) => <span className="break-all">{key}</span> },
  { id: 'scope', header: 'Scope', value: scopeText },
  {
    id: 'size',
    header: 'Size',
    value: ({ size }) => size,
    cell: ({ size }) => formatSize(size),
    align: 'end',
    width: 'w-28',
  },
  {
    id: 'updated',
    header: 'Changed',
    value: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <RelativeTime time={updatedAt} />,
    width: 'w-44',
  },
]

/** The values in the context store `persistent`, and the share of the limit they take. */
export function InstanceContextPage() {
  const { id, name, meta } = useCurrentInstance()
  usePageTitle('Context', name)
  const runs = meta.state === 'running' || meta.state === 'safe'
  const mayDelete = useCan('project:flows:edit')
  const { data, error, refetch } = useContextValues(id, runs)
  const { mutate, isPending } = useDeleteContext(id)
  const all = useMemo((): Column<ContextValue>[] => {
    if (!mayDelete) return columns
    const remove = async (value: ContextValue) => {
      const message = `“${value.key}” (${scopeText(value)}) is deleted. Flows that use it find nothing.`
      if (await confirm({ title: 'Delete Value', message, confirmLabel: 'Delete', danger: true }))
        mutate({ scope: value.scope, key: value.key })
    }
    const cell = (value: ContextValue) => (
      <IconButton size="sm" label={`Delete ${value.key}`} onClick={() => void remove(value)}>
        <Trash2 size={16} aria-hidden />
      </IconButton>
    )
    return [...columns, { id: 'actions', header: '', width: 'w-14', cell }]
  }, [mayDelete, mutate])
  const removeAll = async () => {
    const message = `All persistent values of ${name} are deleted (${data?.count ?? 0}). Flows that use them find nothing.`
    const question = { title: 'Delete All Values', message, confirmLabel: 'Delete All', danger: true, typed: name }
    if (await confirm(question)) mutate({})
  }
  const title = (
    <SectionTitle
      title="Context"
      note="Values in the context store “persistent”, kept through restarts."
      action={
        mayDelete && runs && data && data.count > 0 ? (
          <Button loading={isPending} onClick={() => void removeAll()}>
            Delete All
          </Button>
        ) : undefined
      }
    />
  )
  if (!runs)
    return (
      <>
        {title}
        <EmptyState icon={<Database />} title="The Instance Is Not Running">
          Start it to see its context. The values are kept meanwhile.
        </EmptyState>
      </>
    )
  return (
    <>
      {title}
      {error && !data ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <div className="flex flex-col gap-4">
          {data && data.count > 0 && <Fill context={data} />}
          <Table
            label="Context"
            rows={data?.values}
            columns={all}
            rowId={({ scope, key }) => `${scope} ${key}`}
            empty={
              <EmptyState icon={<Database />} title="No Persistent Values">
                In the editor, choose the store “persistent” for a flow or global value.
              </EmptyState>
            }
          />
        </div>
      )}
    </>
  )
}

function Fill({ context: { values, count, size, limit } }: { context: InstanceContext }) {
  const shown = values.length < count ? `The ${values.length} largest of ${count} values are shown.` : ''
  return (
    <div className="flex max-w-150 flex-col gap-2">
      <p>
        {formatSize(size)} of {formatSize(limit)} used. {shown}
      </p>
      <Progress label="Used context" value={size} max={limit} />
    </div>
  )
}

function scopeText({ kind, name, flow, scope }: ContextValue): string {
  if (kind === 'global') return 'Global'
  if (kind === 'flow') return name === undefined ? `Flow ${scope}, not in the flows` : `Flow ${name}`
  const node = name === undefined ? `Node ${scope.split(':')[0]}, not in the flows` : `Node ${name}`
  return flow === undefined ? node : `${node} in ${flow}`
}
