import { usePageTitle } from '../../../lib/page-title.ts'
import { useCurrentInstance } from '../../instances/index.ts'
import { SaveBar } from '../components/SaveBar.tsx'
import { SettingsForm } from '../components/SettingsForm.tsx'
import { SettingsGroup } from '../components/SettingsGroup.tsx'
import { securityFields } from '../setting-fields.ts'
import { useSettingsForm } from '../settings-form.ts'

/** Access to the pages and calls that flows serve. */
export function SecuritySettingsPage() {
  const instance = useCurrentInstance()
  usePageTitle('Security Settings', instance.name)
  const form = useSettingsForm(instance, securityFields)
  const { httpNodeAuth } = instance.settings
  const basic = form.values.httpNodeAuth_type === 'basic'
  // The server judges the three together, and keeps the password for `true`.
  const whole = () => ({
    httpNodeAuth_type: form.values.httpNodeAuth_type,
    httpNodeAuth_user: basic ? form.values.httpNodeAuth_user : '',
    httpNodeAuth_pass: basic ? form.values.httpNodeAuth_pass || (httpNodeAuth?.pass ?? false) : '',
  })
  return (
    <SettingsForm onSave={() => void form.save(whole())}>
      <SettingsGroup
        title="HTTP Node Security"
        fields={basic ? securityFields : securityFields.slice(0, 1)}
        form={form}
        hasSecret={httpNodeAuth?.pass === true}
      />
      <SaveBar savable={form.savable} dirty={form.dirty} saving={form.saving} onReset={form.reset} />
    </SettingsForm>
  )
}
