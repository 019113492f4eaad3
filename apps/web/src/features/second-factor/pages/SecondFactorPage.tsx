import type { Factor, SecondFactors } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { KeyRound, LifeBuoy, Plus, Smartphone } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { AccountSection, securityTabs } from '../../account/index.ts'
import { AppDialog } from '../components/AppDialog.tsx'
import { FactorLine } from '../components/FactorLine.tsx'
import { PasskeyDialog } from '../components/PasskeyDialog.tsx'
import { RecoveryDialog, RemoveDialog } from '../components/ProofDialogs.tsx'
import { passkeysMissing } from '../passkey.ts'
import { factorsQuery } from '../second-factor.queries.ts'

type Open = 'app' | 'passkey' | 'recovery' | Factor

/** The own second factors: authenticator app, passkeys, recovery codes. */
export function SecondFactorPage() {
  const { data, error, refetch } = useQuery(factorsQuery)
  return (
    <AccountSection title="Security" page="Second factor" tabs={securityTabs}>
      <div className="flex max-w-180 flex-col gap-6">
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <SkeletonCard rows={2} />}
        {data && <Factors data={data} />}
      </div>
    </AccountSection>
  )
}

function Factors({ data }: { data: SecondFactors }) {
  const { factors, recoveryCodes, required } = data
  const [open, setOpen] = useState<Open>()
  const kinds = [...new Set(factors.map(({ kind }) => kind))]
  const close = () => setOpen(undefined)
  const app = factors.find(({ kind }) => kind === 'app')
  const passkeys = factors.filter(({ kind }) => kind === 'passkey')
  const missing = passkeysMissing()
  return (
    <>
      {factors.length === 0 && (
        <Banner kind="info">
          Your password alone signs you in. With a second factor, a stolen password is not enough.
        </Banner>
      )}
      {required && factors.length > 0 && (
        <Banner kind="info">This platform requires a second factor from everyone.</Banner>
      )}
      <Card
        title="Authenticator app"
        icon={<Smartphone size={16} aria-hidden className="text-muted" />}
        note={app && <Badge tone="ok">On</Badge>}
        end={
          <Button icon={!app && <Plus size={14} aria-hidden />} onClick={() => setOpen('app')}>
            {app ? 'Replace' : 'Add App'}
          </Button>
        }
      >
        {app ? (
          <FactorLine factor={app} onRemove={() => setOpen(app)} />
        ) : (
          <Note>Six digits from an app on your phone. They change every 30 seconds.</Note>
        )}
      </Card>
      <Card
        title="Passkeys"
        icon={<KeyRound size={16} aria-hidden className="text-muted" />}
        note={passkeys.length > 0 && passkeys.length}
        end={
          <Button
            icon={<Plus size={14} aria-hidden />}
            disabled={missing !== undefined}
            onClick={() => setOpen('passkey')}
          >
            Add Passkey
          </Button>
        }
      >
        {passkeys.length > 0 ? (
          <ul aria-label="Passkeys" className="divide-y divide-line">
            {passkeys.map((factor) => (
              <li key={factor.id}>
                <FactorLine factor={factor} onRemove={() => setOpen(factor)} />
              </li>
            ))}
          </ul>
        ) : (
          <Note>{missing ?? "Your fingerprint, your face or a security key. Passkeys can't be phished."}</Note>
        )}
      </Card>
      {factors.length > 0 && (
        <Card
          title="Recovery codes"
          icon={<LifeBuoy size={16} aria-hidden className="text-muted" />}
          note={<Badge tone={recoveryCodes > 3 ? 'ok' : 'warn'}>{`${recoveryCodes} left`}</Badge>}
          end={<Button onClick={() => setOpen('recovery')}>Make New Codes</Button>}
        >
          <Note>Each code signs you in once, when you have neither your phone nor a passkey.</Note>
        </Card>
      )}
      {open === 'app' && <AppDialog kinds={kinds} onClose={close} />}
      {open === 'passkey' && <PasskeyDialog kinds={kinds} onClose={close} />}
      {open === 'recovery' && <RecoveryDialog kinds={kinds} onClose={close} />}
      {typeof open === 'object' && (
        <RemoveDialog factor={open} kinds={kinds} last={factors.length === 1} required={required} onClose={close} />
      )}
    </>
  )
}

const Note = ({ children }: { children: ReactNode }) => <p className="px-4 py-3 text-muted">{children}</p>
