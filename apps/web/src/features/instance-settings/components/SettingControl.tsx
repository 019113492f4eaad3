import { timeZones } from '@app/contract'
import { Lock } from 'lucide-react'
import { Switch } from '../../../ui/Checkbox.tsx'
import { Combobox } from '../../../ui/Combobox.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input } from '../../../ui/Input.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { Select } from '../../../ui/Select.tsx'
import type { SettingField } from '../setting-fields.ts'
import { Mark } from './Mark.tsx'

const lockText = 'The template of this instance decides this setting'
const zoneOptions = () => [...timeZones()].map((name) => ({ value: name, label: name }))

/** One setting, with a lock where it cannot be changed. `hasSecret`: a password is kept, which is never shown. */
export function SettingControl(props: {
  field: SettingField
  value: unknown
  error: string | undefined
  locked: boolean
  disabled?: boolean
  hasSecret?: boolean
  onChange: (value: unknown) => void
}) {
  const { field, value, error, locked, hasSecret, onChange } = props
  const disabled = locked || (props.disabled ?? false)
  const label = (
    <span className="inline-flex items-center gap-1.5">
      {field.label}
      {locked && <Mark text={lockText} icon={<Lock size={14} aria-hidden />} />}
    </span>
  )
  if (field.kind === 'switch')
    return <Switch checked={value === true} onChange={onChange} label={label} help={field.help} disabled={disabled} />
  return (
    <FormRow label={label} help={field.help} error={error} disabled={disabled}>
      {control(field, typeof value === 'string' ? value : '', onChange, hasSecret ?? false)}
    </FormRow>
  )
}

function control(field: SettingField, value: string, onChange: (value: unknown) => void, hasSecret: boolean) {
  if (field.kind === 'choice') return <Select value={value} onChange={onChange} options={field.options} />
  if (field.kind === 'zone') return <Combobox value={value} onChange={onChange} options={zoneOptions()} />
  const input = {
    value,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
    autoComplete: field.kind === 'password' ? 'new-password' : 'off',
    spellCheck: false,
    placeholder: hasSecret ? '••••••••' : field.placeholder,
  }
  return field.kind === 'password' ? <PasswordInput {...input} /> : <Input {...input} autoCapitalize="none" />
}
