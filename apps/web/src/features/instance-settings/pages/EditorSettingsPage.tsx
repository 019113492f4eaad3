import { usePageTitle } from '../../../lib/page-title.ts'
import { useCurrentInstance } from '../../instances/index.ts'
import { SaveBar } from '../components/SaveBar.tsx'
import { SettingsGroup } from '../components/SettingsGroup.tsx'
import { editorFields, moduleFields } from '../setting-fields.ts'
import { useSettingsForm } from '../settings-form.ts'

const fields = [...editorFields, ...moduleFields]

/** How the editor looks and what it lets people do. */
export function EditorSettingsPage() {
  const instance = useCurrentInstance()
  usePageTitle('Editor Settings', instance.name)
  const form = useSettingsForm(instance, fields)
  return (
    <div className="flex flex-col gap-4">
      <SettingsGroup title="Editor" fields={editorFields} form={form} />
      <SettingsGroup
        title="External Modules"
        fields={moduleFields}
        form={form}
        isDisabled={(name) => name === 'modules_denyList' && form.values.modules_allowInstall !== true}
      />
      <SaveBar {...form} onReset={form.reset} onSave={() => void form.save()} />
    </div>
  )
}
