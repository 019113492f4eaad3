import { usePageTitle } from '../../../lib/page-title.ts'
import { useCurrentInstance } from '../../instances/index.ts'
import { SaveBar } from '../components/SaveBar.tsx'
import { SettingsForm } from '../components/SettingsForm.tsx'
import { SettingsGroup } from '../components/SettingsGroup.tsx'
import { editorFields, moduleFields } from '../setting-fields.ts'
import { useSettingsForm } from '../settings-form.ts'

const fields = [...editorFields, ...moduleFields]

/** Appearance of the editor, and what it lets people do. */
export function EditorSettingsPage() {
  const instance = useCurrentInstance()
  usePageTitle('Editor Settings', instance.name)
  const form = useSettingsForm(instance, fields)
  return (
    <SettingsForm onSave={() => void form.save()}>
      <SettingsGroup title="Editor" fields={editorFields} form={form} />
      <SettingsGroup
        title="External Modules"
        fields={moduleFields}
        form={form}
        isDisabled={(name) => name === 'modules_denyList' && form.values.modules_allowInstall !== true}
      />
      <SaveBar savable={form.savable} dirty={form.dirty} saving={form.saving} onReset={form.reset} />
    </SettingsForm>
  )
}
