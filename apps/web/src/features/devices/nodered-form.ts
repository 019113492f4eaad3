import { type DeviceDetails, type DeviceNodeRed, DeviceNodeRedPatch } from '@app/contract'
import { type ChangeEvent, useState } from 'react'
import { useUnsavedGuard } from '../../lib/use-unsaved-guard.ts'
import { useSaveNodeRed } from './devices.actions.ts'

export type NodeRed = NonNullable<DeviceDetails['nodeRed']>

const listText = (list: string[] | null) => (list ?? []).join(', ')
const textsOf = ({ memory, version, allowList, denyList, catalogues, httpAuth, editorAuth }: DeviceNodeRed) => ({
  memory: memory === null ? '' : String(memory),
  version: version ?? '',
  allowList: listText(allowList),
  denyList: listText(denyList),
  catalogues: listText(catalogues),
  'editorAuth.user': editorAuth?.user ?? '',
  'editorAuth.password': '',
  'httpAuth.user': httpAuth?.user ?? '',
  'httpAuth.password': '',
})
type Texts = ReturnType<typeof textsOf>

function listOf(text: string): string[] | null {
  const list = text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  return list.length === 0 ? null : list
}

/** No name: no sign-in. No password: the one that is there stays. */
const signInOf = (user: string, password: string) =>
  user.trim() === '' ? null : { user, ...(password === '' ? {} : { password }) }

/** A place in a list is no field of the form. */
const nameOf = (path: PropertyKey[]) => path.filter((key) => typeof key === 'string').join('.')

/** The settings that a form holds, or its faults by field. */
function read(texts: Texts) {
  const { memory, version, allowList, denyList, catalogues } = texts
  const parsed = DeviceNodeRedPatch.safeParse({
    memory: memory.trim() === '' ? null : Number(memory),
    version: version.trim() || null,
    allowList: listOf(allowList),
    denyList: listOf(denyList),
    catalogues: listOf(catalogues),
    editorAuth: signInOf(texts['editorAuth.user'], texts['editorAuth.password']),
    httpAuth: signInOf(texts['httpAuth.user'], texts['httpAuth.password']),
  })
  if (parsed.success) return { settings: parsed.data, faults: {} }
  return { faults: Object.fromEntries(parsed.error.issues.map(({ path, message }) => [nameOf(path), message])) }
}

/** The settings of Node-RED on a device while they are edited, as texts. */
export function useNodeRedForm(deviceId: string, nodeRed: NodeRed) {
  const saved = textsOf(nodeRed)
  const [edited, setEdited] = useState<Partial<Texts>>({})
  const [refused, setRefused] = useState<Record<string, string>>({})
  const { mutate, isPending } = useSaveNodeRed(deviceId, { onSaved: () => setEdited({}), onRefused: setRefused })
  const texts = { ...saved, ...edited }
  const dirty = (Object.keys(edited) as (keyof Texts)[]).some((name) => edited[name] !== saved[name])
  const { settings, faults } = read(texts)
  const errors: Record<string, string> = { ...refused, ...faults }
  useUnsavedGuard(dirty && !isPending)

  return {
    errors,
    dirty,
    saving: isPending,
    savable: dirty && settings !== undefined,
    onReset() {
      setEdited({})
      setRefused({})
    },
    onSave: () => settings && mutate(settings),
    /** Properties of the input of one setting. */
    input: (name: keyof Texts) => ({
      value: texts[name],
      onChange({ target }: ChangeEvent<HTMLInputElement>) {
        setRefused({})
        setEdited({ ...edited, [name]: target.value })
      },
      autoComplete: 'off',
      spellCheck: false,
    }),
  }
}
