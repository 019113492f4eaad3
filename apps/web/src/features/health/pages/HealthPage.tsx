import type { Health, HealthCheck } from '@app/contract'
import { type HealthCodeName, healthCodes } from '@app/contract/health.codes'
import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { Failure } from '../../../lib/api-failure.tsx'
import { plural } from '../../../lib/plural.ts'
import { Badge, type Tone } from '../../../ui/Badge.tsx'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { defaultAdminCommand, useAdminCommand } from '../../account/index.ts'
import { OperationsFrame } from '../components/OperationsFrame.tsx'
import { healthQuery, useCheckHealth } from '../operations.queries.ts'

const looks: Record<HealthCheck['state'], { tone: Tone; word: string }> = {
  error: { tone: 'bad', word: 'Error' },
  warning: { tone: 'warn', word: 'Warning' },
  ok: { tone: 'ok', word: 'OK' },
  off: { tone: 'idle', word: 'Off' },
}
const order = Object.keys(looks)
const isCode = (code: string | undefined): code is HealthCodeName => code !== undefined && code in healthCodes

/** The state of every part of the platform, with a remedy for those that fail. */
export function HealthPage() {
  const { data, error, refetch } = useQuery(healthQuery)
  const { mutate: check, isPending } = useCheckHealth()
  const again = (
    <Button icon={<RefreshCw size={14} aria-hidden />} loading={isPending} onClick={() => check()}>
      Check again
    </Button>
  )
  const seen = data ? (
    <>
      Checked <RelativeTime time={data.checkedAt} />.
    </>
  ) : (
    'Checking every part of the platform.'
  )
  return (
    <OperationsFrame title="Health" description={seen} actions={again}>
      {error && !data ? <Failure error={error} onRetry={() => void refetch()} /> : <Parts health={data} />}
    </OperationsFrame>
  )
}

function Parts({ health }: { health: Health | undefined }) {
  if (!health) return <SkeletonCard rows={10} />
  const checks = health.checks.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
  const bad = checks.filter(({ state }) => state === 'error').length
  const doubtful = checks.filter(({ state }) => state === 'warning').length
  return (
    <div className="flex flex-col gap-4">
      {bad > 0 ? (
        <Banner kind="error">{plural(bad, 'part is', 'parts are')} failing.</Banner>
      ) : (
        <Banner kind={doubtful > 0 ? 'warning' : 'success'}>
          {doubtful > 0 ? `Working, with ${plural(doubtful, 'warning')}.` : 'All parts are healthy.'}
        </Banner>
      )}
      <Card>
        <ul aria-label="Parts of the platform" className="divide-y">
          {checks.map((one) => (
            <Part key={one.part} {...one} />
          ))}
        </ul>
      </Card>
    </div>
  )
}

function Part({ part, state, code, seen }: HealthCheck) {
  const { tone, word } = looks[state]
  const command = useAdminCommand()
  return (
    <li
      id={code}
      className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 px-4 py-3 sm:grid-cols-[180px_minmax(0,1fr)_auto]"
    >
      <h2 className="font-medium">{part}</h2>
      <div className="min-w-0 max-sm:order-3 max-sm:col-span-2">
        <p className="break-words">{seen}</p>
        {isCode(code) && (
          <p className="mt-1 max-w-170 text-muted">
            <a href={`#${code}`} className="mono mr-1.5 rounded-sm text-accent-text hover:underline">
              {code}
            </a>
            {healthCodes[code].means} {healthCodes[code].todo.replaceAll(defaultAdminCommand, command)}
          </p>
        )}
      </div>
      <div>
        <Badge tone={tone}>{word}</Badge>
      </div>
    </li>
  )
}
