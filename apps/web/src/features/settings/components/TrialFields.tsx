import type { PlatformSettings } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input } from '../../../ui/Input.tsx'
import { Select } from '../../../ui/Select.tsx'
import { instanceTypesQuery } from '../../catalogue/index.ts'
import { labels, offersTrial } from '../settings-options.ts'

interface Props {
  settings: PlatformSettings
  faults: Record<string, string>
  onChange: (change: Partial<PlatformSettings>) => void
}

/** The trial that personal teams start with; only with billing. */
export const TrialFields = (props: Props) => (offersTrial(props.settings) ? <Fields {...props} /> : null)

function Fields({ settings, faults, onChange }: Props) {
  const { data: types } = useQuery(instanceTypesQuery)
  const [days, type] = [settings['user:team:trial-mode:duration'] ?? 0, settings['user:team:trial-mode:projectType']]
  return (
    <div className="flex flex-col gap-3 pl-6.5">
      <Checkbox
        label={labels.trial}
        help="One instance is free until the trial ends. It is suspended then, unless the team pays."
        checked={settings['user:team:trial-mode'] === true}
        onChange={(on) => onChange({ 'user:team:trial-mode': on })}
      />
      {settings['user:team:trial-mode'] && (
        <>
          <FormRow label={labels.trialDays} error={faults['user:team:trial-mode:duration']}>
            <Input
              inputMode="numeric"
              autoComplete="off"
              className="max-w-30"
              value={days === 0 ? '' : String(days)}
              onChange={({ target: { value } }) =>
                /^\d{0,4}$/.test(value) && onChange({ 'user:team:trial-mode:duration': Number(value) })
              }
            />
          </FormRow>
          <FormRow label={labels.trialType} error={faults['user:team:trial-mode:projectType']}>
            <Select
              value={type ?? undefined}
              onChange={(id) => onChange({ 'user:team:trial-mode:projectType': id })}
              options={(types ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            />
          </FormRow>
        </>
      )}
    </div>
  )
}
