import type { PlatformSettings } from '@app/contract'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Textarea } from '../../../ui/Input.tsx'
import { banners } from '../settings-options.ts'

/** Text of the platform's own on the sign-up screen, offered while people may sign up. */
export function Banners(props: { settings: PlatformSettings; onChange: (change: Partial<PlatformSettings>) => void }) {
  if (!props.settings['user:signup']) return null
  return (
    <div className="flex flex-col gap-3 pl-6.5">
      {banners.map(({ key, label }) => (
        <FormRow key={key} label={label} help="Scripts and styles are removed.">
          <Textarea
            className="mono"
            rows={3}
            value={props.settings[key] ?? ''}
            onChange={(event) => props.onChange({ [key]: event.target.value })}
            spellCheck={false}
          />
        </FormRow>
      ))}
    </div>
  )
}
