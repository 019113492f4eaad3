import type { Instance } from '@app/contract'
import { useState } from 'react'
import { useCan } from '../../lib/can.ts'
import { changedSince } from '../../lib/changed-since.ts'
import { useUnsavedGuard } from '../../lib/use-unsaved-guard.ts'
import { at, faultsOf, type SettingField, type SettingValues, valuesOf } from './setting-fields.ts'
import { useSaveSettings } from './settings.queries.ts'

const noAnswer: Record<string, string> = {}

/** The values of some settings of an instance while they are edited. */
export function useSettingsForm(instance: Instance, fields: readonly SettingField[]) {
  const mayEdit = useCan('project:edit')
  const saved = valuesOf(fields, instance.settings)
  const [edited, setEdited] = useState<SettingValues>({})
  const [refused, setRefused] = useState(noAnswer)
  const { mutateAsync, isPending } = useSaveSettings(instance.id)
  const changed = Object.fromEntries(Object.entries(edited).filter(([name, value]) => value !== saved[name]))
  const dirty = Object.keys(changed).length > 0
  const values = { ...saved, ...edited }
  const errors = { ...refused, ...faultsOf(values) }
  useUnsavedGuard(dirty && !isPending)

  return {
    values,
    errors,
    dirty,
    saving: isPending,
    /** False while nothing is changed or something is wrong. */
    savable: dirty && Object.keys(errors).length === 0,
    isLocked: (name: string) => !mayEdit || at(instance.template.policy, name) !== true,
    set(name: string, value: unknown) {
      setRefused(noAnswer)
      setEdited({ ...edited, [name]: value })
    },
    reset() {
      setEdited({})
      setRefused(noAnswer)
    },
    /** `more` goes along with what was edited. Resolves to whether it is saved. */
    async save(more: SettingValues = {}): Promise<boolean> {
      const answer = await mutateAsync({ ...changed, ...more })
      if (answer.ok) setEdited((now) => changedSince(edited, now))
      else setRefused(answer.fields)
      return answer.ok
    },
  }
}
export type SettingsFormState = ReturnType<typeof useSettingsForm>
