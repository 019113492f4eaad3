import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import type { Column } from '../ui/Table.tsx'
import { useNow } from './use-now.ts'

interface Token {
  name: string
  lastUsedAt: string | null
  expiresAt: string | null
}

/** The last columns of a table of tokens: when each was used, when it expires, and its end. */
export function tokenColumns<T extends Token>(onRevoke: (token: T) => void): Column<T>[] {
  return [
    {
      id: 'used',
      header: 'Last used',
      value: ({ lastUsedAt }) => lastUsedAt,
      cell: ({ lastUsedAt }) =>
        lastUsedAt ? <RelativeTime time={lastUsedAt} /> : <span className="text-muted">never</span>,
      width: 'w-36',
    },
    {
      id: 'expires',
      header: 'Expires',
      value: ({ expiresAt }) => expiresAt,
      cell: ({ expiresAt }) => <Expiry time={expiresAt} />,
      width: 'w-36',
    },
    {
      id: 'revoke',
      header: '',
      align: 'end',
      cell: (token) => (
        <Button size="sm" aria-label={`Revoke ${token.name}`} onClick={() => onRevoke(token)}>
          Revoke
        </Button>
      ),
      width: 'w-28',
    },
  ]
}

function Expiry({ time }: { time: string | null }) {
  const now = useNow(60_000)
  if (time === null) return <span className="text-muted">never</span>
  if (Date.parse(time) <= now) return <Badge tone="bad">Expired</Badge>
  return <RelativeTime time={time} />
}
