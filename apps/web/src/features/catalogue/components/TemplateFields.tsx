import { Card } from '../../../ui/Card.tsx'
import { SettingControl, type SettingField } from '../../instance-settings/index.ts'
import type { TemplateForm } from '../template-form.ts'
import { LockButton } from './LockButton.tsx'

/** Settings of a template under one heading, each with its lock. */
export function TemplateFields(props: {
  title: string
  fields: readonly SettingField[]
  form: TemplateForm
  isDisabled?: (name: string) => boolean
}) {
  const { title, fields, form, isDisabled } = props
  return (
    <Card title={title} padded>
      <div className="flex max-w-150 flex-col gap-5">
        {fields.map((field) => (
          <div key={field.name} className="grid grid-cols-[minmax(0,1fr)_32px] items-start gap-3">
            <div>
              <SettingControl
                field={field}
                value={form.values[field.name]}
                error={form.errors[field.name]}
                locked={false}
                disabled={isDisabled?.(field.name) ?? false}
                hasSecret={form.hasSecret && field.kind === 'password'}
                onChange={(value) => form.set(field.name, value)}
              />
              {form.isChanged(field.name) && <Changed />}
            </div>
            {/* Beside the control, which has its label above unless it is a switch. */}
            <div className={field.kind === 'switch' ? '-mt-1.5' : 'pt-6.5'}>
              <LockButton
                what={field.label}
                open={form.policy[field.name] === true}
                onChange={(open) => form.setPolicy(field.name, open)}
              />
            </div>
          </div>
        ))}
      </div>
    </Card>
  )
}

/** Beside what is not saved yet [ATPL-19]. */
export function Changed() {
  return <p className="mt-1 text-sm text-accent-text">Changed</p>
}
