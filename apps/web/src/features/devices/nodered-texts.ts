import { type DeviceNodeRed, DeviceNodeRedPatch } from '@app/contract'

const listText = (list: string[] | null) => (list ?? []).join(', ')

/** The settings of Node-RED on a device as the texts of a form. */
export const textsOf = ({ memory, version, allowList, denyList, catalogues, httpAuth, editorAuth }: DeviceNodeRed) => ({
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
export type Texts = ReturnType<typeof textsOf>

/** Digits alone: `Number` would also read `1e3` and `0x40`. */
function memoryOf(text: string): number | null {
  const typed = text.trim()
  if (typed === '') return null
  return /^\d+$/.test(typed) ? Number(typed) : Number.NaN
}

/** A name that stands there twice counts once. */
function listOf(text: string): string[] | null {
  const list = new Set(text.split(',').map((one) => one.trim()))
  list.delete('')
  return list.size === 0 ? null : [...list]
}

/** Neither name nor password: no sign-in. No password: the one that is there stays. */
const signInOf = (user: string, password: string) =>
  user.trim() === '' && password === '' ? null : { user, ...(password === '' ? {} : { password }) }

/** A place in a list is no field of the form. */
const nameOf = (path: PropertyKey[]) => path.filter((key) => typeof key === 'string').join('.')

/** The settings that the texts of a form say, or their faults by field. */
export function readTexts(texts: Texts) {
  const parsed = DeviceNodeRedPatch.safeParse({
    memory: memoryOf(texts.memory),
    version: texts.version.trim() || null,
    allowList: listOf(texts.allowList),
    denyList: listOf(texts.denyList),
    catalogues: listOf(texts.catalogues),
    editorAuth: signInOf(texts['editorAuth.user'], texts['editorAuth.password']),
    httpAuth: signInOf(texts['httpAuth.user'], texts['httpAuth.password']),
  })
  if (parsed.success) return { settings: parsed.data, faults: {} }
  return { faults: Object.fromEntries(parsed.error.issues.map(({ path, message }) => [nameOf(path), message])) }
}
