import type { PaletteModule } from '@app/contract'
import { useState } from 'react'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useUnsavedGuard } from '../../../lib/use-unsaved-guard.ts'
import { useCurrentInstance } from '../../instances/index.ts'
import { ModulesEditor } from '../components/ModulesEditor.tsx'
import { SaveBar } from '../components/SaveBar.tsx'
import { SettingsForm } from '../components/SettingsForm.tsx'
import { SettingsGroup } from '../components/SettingsGroup.tsx'
import { listFaults } from '../modules.ts'
import { paletteFields } from '../setting-fields.ts'
import { useSettingsForm } from '../settings-form.ts'

/** Which nodes an instance has, and which may be added [PAL-01]. */
export function PaletteSettingsPage() {
  const instance = useCurrentInstance()
  usePageTitle('Palette', instance.name)
  const form = useSettingsForm(instance, paletteFields)
  const saved = instance.settings.palette?.modules ?? []
  const [edited, setEdited] = useState<PaletteModule[]>()
  const modules = edited ?? saved
  const changed = JSON.stringify(modules) !== JSON.stringify(saved)
  const faulty = listFaults(modules).some((fault) => Object.keys(fault).length > 0)
  const fieldsFaulty = Object.keys(form.errors).length > 0
  useUnsavedGuard(changed && !form.saving)
  const allowed = form.values.palette_allowInstall === true

  const save = async () => {
    if (await form.save(changed ? { palette_modules: modules } : {}))
      setEdited((now) => (now === edited ? undefined : now))
  }
  return (
    <SettingsForm onSave={() => void save()}>
      <SettingsGroup
        title="Palette"
        fields={paletteFields}
        form={form}
        isDisabled={(name) => name === 'palette_denyList' && !allowed}
      />
      <ModulesEditor modules={modules} readOnly={!allowed || form.isLocked('palette_modules')} onChange={setEdited} />
      <SaveBar
        savable={(form.dirty || changed) && !faulty && !fieldsFaulty}
        dirty={form.dirty || changed}
        saving={form.saving}
        onReset={() => {
          form.reset()
          setEdited(undefined)
        }}
      />
    </SettingsForm>
  )
}
