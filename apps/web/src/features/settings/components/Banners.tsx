import type { PlatformSettings } from '@app/contract'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Textarea } from '../../../ui/Input.tsx'

const places = [
  { key: 'branding:account:signUpTopBanner', label: 'Banner above the sign-up form' },
  { key: 'branding:account:signUpLeftBanner', label: 'Banner beside the sign-up form' },
] as const

/** Words of the platform's own on the sign-up screen. */
export function Banners(props: { settings: PlatformSettings; onChange: (change: Partial<PlatformSettings>) => void }) {
  return (
    <div className="flex flex-col gap-5">
      {places.map(({ key, label }) => (
        <FormRow key={key} label={label} help="HTML; scripts and styles are taken out.">
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
