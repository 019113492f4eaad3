import type { Session } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { Laptop, Smartphone } from 'lucide-react'
import { useMemo } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { plural } from '../../../lib/plural.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { toast } from '../../../ui/toast.ts'
import { AccountSection } from '../components/AccountSection.tsx'
import { securityTabs } from '../locations.tsx'
import { sessionsQuery, useEndSession } from '../profile.queries.ts'

/** Where the person is signed in, and the way to end that. */
export function SessionsPage() {
  const { data: sessions, error, refetch } = useQuery(sessionsQuery)
  const { mutateAsync: end, isPending } = useEndSession()
  const columns = useMemo(() => columnsFor((session) => void endOne(session, end)), [end])
  const others = sessions?.filter(({ current }) => !current).length ?? 0
  return (
    <AccountSection
      title="Security"
      page="Sessions"
      tabs={securityTabs}
      actions={
        others > 0 && (
          <Button variant="danger" loading={isPending} onClick={() => void endOthers(others, end)}>
            End All Other Sessions
          </Button>
        )
      }
    >
      <p className="mb-4 text-muted">
        Browsers where you are signed in. End any that you do not recognise, then change your password.
      </p>
      {error && !sessions ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Table label="Sessions" rows={sessions} columns={columns} rowId={({ id }) => id} empty={null} />
      )}
    </AccountSection>
  )
}

type End = (sessionId: string | undefined) => Promise<unknown>

async function endOne(session: Session, end: End): Promise<void> {
  await end(session.id)
  toast.success('Session ended.')
}

async function endOthers(count: number, end: End): Promise<void> {
  const sure = await confirm({
    title: 'End All Other Sessions',
    message: `${plural(count, 'other session')} will be signed out at once. This one stays.`,
    confirmLabel: 'End sessions',
    danger: true,
  })
  if (!sure) return
  await end(undefined)
  toast.success('All other sessions ended.')
}

function columnsFor(onEnd: (session: Session) => void): Column<Session>[] {
  return [
    {
      id: 'device',
      header: 'Device',
      value: ({ device }) => device,
      cell: (session) => <DeviceName session={session} />,
    },
    {
      id: 'address',
      header: 'Address',
      value: ({ address }) => address,
      cell: ({ address }) => <span className="mono">{address || 'unknown'}</span>,
    },
    {
      id: 'seen',
      header: 'Last seen',
      value: ({ lastSeenAt }) => lastSeenAt,
      cell: ({ lastSeenAt, current }) => (current ? 'now' : <RelativeTime time={lastSeenAt} />),
    },
    {
      id: 'since',
      header: 'Signed in',
      value: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <RelativeTime time={createdAt} />,
    },
    {
      id: 'end',
      header: '',
      align: 'end',
      cell: (session) =>
        !session.current && (
          <Button size="sm" aria-label={`End session of ${session.device}`} onClick={() => onEnd(session)}>
            End
          </Button>
        ),
    },
  ]
}

function DeviceName({ session: { device, userAgent, current } }: { session: Session }) {
  const Icon = /Mobile|Android|iPhone|iPad/.test(userAgent) ? Smartphone : Laptop
  return (
    <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1" title={userAgent}>
      <Icon size={16} aria-hidden className="text-muted" />
      {device}
      {current && <Badge tone="ok">This session</Badge>}
    </span>
  )
}
