import type { SsoSignIn } from '@app/contract'
import { ssoReasons } from '@app/contract/sso-reasons'
import { useQuery } from '@tanstack/react-query'
import { LogIn } from 'lucide-react'
import { useState } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { formatExact } from '../../../lib/dates.ts'
import { Badge, type Tone } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { DetailList } from '../../../ui/DetailList.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SectionTitle } from '../../../ui/PageHeader.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { signInsQuery } from '../sso.queries.ts'

const results: Record<SsoSignIn['result'], [Tone, string]> = {
  'signed-in': ['ok', 'Signed in'],
  step: ['busy', 'Asked for second factor'],
  linking: ['warn', 'Asked for password'],
  refused: ['bad', 'Refused'],
  directory: ['ok', 'Groups changed'],
}

function Result({ result, reason }: SsoSignIn) {
  const [tone, words] = results[result]
  return (
    <span className="flex flex-col items-start gap-1">
      <Badge tone={tone}>{words}</Badge>
      {reason && <span className="text-sm text-muted">{ssoReasons[reason]}</span>}
    </span>
  )
}

const columns: Column<SsoSignIn>[] = [
  {
    id: 'person',
    header: 'Person',
    value: ({ user, email, subject }) => user?.username ?? email ?? subject ?? 'Unknown',
  },
  { id: 'result', header: 'Result', cell: (one) => <Result {...one} /> },
  { id: 'time', header: 'Time', align: 'end', cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
]

/** The last sign-ins through a provider: what it sent, and why one was refused. */
export function LastSignIns({ id }: { id: string }) {
  const { data: signIns, error, refetch } = useQuery(signInsQuery(id))
  const [shown, setShown] = useState<SsoSignIn>()
  return (
    <section>
      <SectionTitle
        title="Last Sign-ins"
        note="The last 100, with what the provider sent, and what changes by its directory did."
      />
      {error && !signIns ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label="Last Sign-ins"
          rows={signIns}
          columns={columns}
          rowId={({ id: one }) => one}
          onRowClick={setShown}
          empty={
            <EmptyState icon={<LogIn />} title="No sign-ins yet">
              Activate the configuration, then sign in through it in another browser.
            </EmptyState>
          }
        />
      )}
      {shown && <SignInDialog signIn={shown} onClose={() => setShown(undefined)} />}
    </section>
  )
}

const textOf = (value: unknown): string => [value].flat().map(String).join(', ')

function SignInDialog({ signIn, onClose }: { signIn: SsoSignIn; onClose: () => void }) {
  const { createdAt, address, user, created, subject, email, detail, sent, groups, applied } = signIn
  const isSignIn = signIn.result !== 'directory'
  return (
    <Dialog
      open
      onClose={onClose}
      title={isSignIn ? 'Sign-in' : 'Change of groups'}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      {/* The lists have a margin of their own, as in cards. */}
      <div className="-mx-4">
        <DetailList
          items={[
            { label: 'Time', value: formatExact(createdAt) },
            { label: 'Result', value: <Result {...signIn} /> },
            ...(detail === undefined ? [] : [{ label: 'Detail', value: detail }]),
            ...(isSignIn ? [{ label: 'From', value: address }] : []),
            { label: 'Account', value: user ? `${user.username}${created ? ', created' : ''}` : 'None' },
            ...(isSignIn ? [{ label: 'Subject', value: subject ?? 'None' }] : []),
            { label: 'Email', value: email ?? 'None' },
            ...(isSignIn
              ? [{ label: 'Groups', value: groups === null ? 'Not told' : groups.join(', ') || 'None' }]
              : []),
            ...(applied.length > 0 ? [{ label: 'Rules', value: <Effects lines={applied} /> }] : []),
          ]}
        />
        {isSignIn && <Attributes sent={sent} />}
      </div>
    </Dialog>
  )
}

function Effects({ lines }: { lines: readonly string[] }) {
  return (
    <ul className="flex flex-col gap-1">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}

function Attributes({ sent }: Pick<SsoSignIn, 'sent'>) {
  return (
    <>
      <h3 className="mt-5 mb-2 px-4 font-medium">Attributes from the provider</h3>
      {Object.keys(sent).length > 0 ? (
        <DetailList
          items={Object.entries(sent).map(([label, value]) => {
            const text = textOf(value)
            return { label, value: text && <span className="mono break-all">{text}</span> }
          })}
        />
      ) : (
        <p className="px-4 text-muted">Nothing in the answer could be verified.</p>
      )}
    </>
  )
}
