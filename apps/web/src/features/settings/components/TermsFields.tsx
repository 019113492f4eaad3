import type { PlatformSettings } from '@app/contract'
import { Button } from '../../../ui/Button.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input } from '../../../ui/Input.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { labels } from '../settings-options.ts'
import { useRenewTerms } from '../settings.queries.ts'

/** Where the terms stand, and the button after which everybody accepts them anew [TCS-06] [TCS-07]. */
export function TermsFields(props: {
  settings: PlatformSettings
  saved: PlatformSettings
  fault: string | undefined
  onChange: (change: Partial<PlatformSettings>) => void
}) {
  const { settings, saved, fault, onChange } = props
  const { mutate: renew, isPending } = useRenewTerms()
  if (!settings['user:tcs-required']) return null
  const date = saved['user:tcs-date']
  return (
    <div className="flex flex-col gap-3 pl-6.5">
      <FormRow label={labels.termsUrl} error={fault}>
        <Input
          value={settings['user:tcs-url']}
          onChange={(event) => onChange({ 'user:tcs-url': event.target.value })}
          placeholder="https://example.com/terms"
          autoComplete="off"
          spellCheck={false}
        />
      </FormRow>
      {saved['user:tcs-required'] && (
        <div className="flex flex-wrap items-center gap-3">
          <Button size="sm" loading={isPending} onClick={() => renew()}>
            {labels.renewTerms}
          </Button>
          <span className="text-sm text-muted">
            {date && (
              <>
                {labels.termsDate} <RelativeTime time={date} />.{' '}
              </>
            )}
            After an update, everyone must accept them again.
          </span>
        </div>
      )}
    </div>
  )
}
