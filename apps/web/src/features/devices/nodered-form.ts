import type { DeviceDetails, DeviceNodeRed } from '@app/contract'
import { type ChangeEvent, useState } from 'react'
import { changedSince } from '../../lib/changed-since.ts'
import { useUnsavedGuard } from '../../lib/use-unsaved-guard.ts'
import { useSaveNodeRed } from './devices.actions.ts'
import { readTexts, type Texts, textsOf } from './nodered-texts.ts'

export type NodeRed = NonNullable<DeviceDetails['nodeRed']>

/** The settings of Node-RED on a device while they are edited, as texts. */
export function useNodeRedForm(deviceId: string, nodeRed: DeviceNodeRed) {
  const saved = textsOf(nodeRed)
  const [edited, setEdited] = useState<Partial<Texts>>({})
  const [refused, setRefused] = useState<Record<string, string>>({})
  const { mutate, isPending } = useSaveNodeRed(deviceId, setRefused)
  const texts = { ...saved, ...edited }
  const dirty = (Object.keys(edited) as (keyof Texts)[]).some((name) => edited[name] !== saved[name])
  const { settings, faults } = readTexts(texts)
  const errors: Record<string, string> = { ...refused, ...faults }
  useUnsavedGuard(dirty && !isPending)

  return {
    errors,
    dirty,
    saving: isPending,
    savable: dirty && settings !== undefined,
    /** Faults that the server found, by field. */
    refused,
    onReset() {
      setEdited({})
      setRefused({})
    },
    onSave() {
      if (!settings) return
      const onSuccess = () => setEdited((now) => changedSince(edited, now))
      mutate(settings, { onSuccess })
    },
    /** Properties of the input of one setting. */
    input: (name: keyof Texts) => ({
      value: texts[name],
      onChange({ target }: ChangeEvent<HTMLInputElement>) {
        if (Object.keys(refused).length > 0) setRefused({})
        setEdited({ ...edited, [name]: target.value })
      },
      autoComplete: 'off',
      spellCheck: false,
    }),
  }
}
