import { Card } from '../../../ui/Card.tsx'
import type { SettingField } from '../setting-fields.ts'
import type { SettingsFormState } from '../settings-form.ts'
import { SettingControl } from './SettingControl.tsx'

/** Settings under one heading. */
export function SettingsGroup(props: {
  title: string
  fields: readonly SettingField[]
  form: SettingsFormState
  isDisabled?: (name: string) => boolean
  hasSecret?: boolean
}) {
  const { title, fields, form, isDisabled, hasSecret = false } = props
  return (
    <Card title={title} padded>
      <div className="flex max-w-130 flex-col gap-5">
        {fields.map((field) => (
          <SettingControl
            key={field.name}
            field={field}
            value={form.values[field.name]}
            error={form.errors[field.name]}
            locked={form.isLocked(field.name)}
            disabled={isDisabled?.(field.name) ?? false}
            hasSecret={hasSecret && field.kind === 'password'}
            onChange={(value) => form.set(field.name, value)}
          />
        ))}
      </div>
    </Card>
  )
}
