import type { AuditFault, AuditIntegrity } from '@app/contract'
import { ShieldCheck } from 'lucide-react'
import { formatRelative } from '../../../lib/dates.ts'
import { plural } from '../../../lib/plural.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { useIntegrity } from '../audit.queries.ts'

const words: Record<AuditIntegrity['state'], { tone: 'ok' | 'busy' | 'bad' | 'idle'; text: string }> = {
  unchecked: { tone: 'idle', text: 'Not verified yet' },
  running: { tone: 'busy', text: 'Verifying' },
  intact: { tone: 'ok', text: 'Intact' },
  broken: { tone: 'bad', text: 'Altered' },
  failed: { tone: 'bad', text: 'Not verified' },
}

const kinds: Record<AuditFault['kind'], string> = {
  altered: 'was altered',
  removed: 'is missing',
  inserted: 'was not written by the platform',
  moved: 'was moved to another position',
  head: 'The recorded end of the log does not fit',
  cut: 'The recorded beginning of the log does not fit',
}

const number = new Intl.NumberFormat()

function sentence({ kind, position, count, entry }: AuditFault): string {
  if (kind === 'head' || kind === 'cut') return `${kinds[kind]}.`
  if (kind === 'removed' && count > 1)
    return `${number.format(count)} entries from position ${position} on are missing.`
  return `The entry ${position > 0 ? `at position ${position}` : `with id ${entry}`} ${kinds[kind]}.`
}

/** Whether the log is as it was written, with a button that finds out. */
export function IntegrityButton() {
  const { integrity, verify } = useIntegrity()
  const state = integrity?.state ?? 'unchecked'
  const running = state === 'running'
  const checked = integrity && state !== 'unchecked' ? plural(integrity.checked, 'entry', 'entries') : ''
  const at = integrity?.at ? formatRelative(integrity.at) : ''
  return (
    <div className="flex flex-wrap items-center gap-3 max-sm:flex-row-reverse max-sm:justify-end" aria-live="polite">
      {checked && <span className="num text-md text-muted">{[checked, at].filter(Boolean).join(', ')}</span>}
      <Badge tone={words[state].tone} turning={running}>
        {words[state].text}
      </Badge>
      <Button onClick={verify} disabled={running} icon={<ShieldCheck size={16} aria-hidden />}>
        Verify
      </Button>
    </div>
  )
}

const shown = 10

/** Errors in the chain of the log; nothing while it is intact. */
export function IntegrityFaults() {
  const { integrity } = useIntegrity()
  if (integrity?.state !== 'broken') return null
  const more = integrity.faults.length - shown
  return (
    <div className="mb-5">
      <Banner kind="error">
        <p className="font-semibold">Someone changed this log outside the platform.</p>
        <ul>
          {integrity.faults.slice(0, shown).map((fault) => (
            <li key={`${fault.kind}-${fault.position}-${fault.entry}`}>{sentence(fault)}</li>
          ))}
          {more > 0 && <li>And {more} more.</li>}
        </ul>
      </Banner>
    </div>
  )
}
