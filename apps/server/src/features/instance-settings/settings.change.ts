import type { EnvEntry, SettingsInput, Template } from '@app/contract'
import { fail } from '../../platform/http/failure.ts'
import { isObject } from '../../platform/objects.ts'
import { changes } from '../audit/index.ts'
import { authOf, settingLeaves as leaves, type StoredSettings, toldSettings, type Tree } from '../catalogue/index.ts'

export interface SettingsChange {
  template: { settings: StoredSettings; policy: Template['policy'] }
  /** The instance's own settings before. */
  own: StoredSettings
  /** The effective settings before. */
  effective: StoredSettings
  /** With the hash of a new password in its place. */
  input: SettingsInput
  /** Hides the value of a secret variable. */
  seal(name: string, value: string): string
}

const at = (tree: Tree, path: string): unknown =>
  path.split('.').reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), tree)

function put(tree: Tree, path: string, value: unknown): void {
  const keys = path.split('.')
  const last = keys.pop()!
  let node = tree
  for (const key of keys) node = (node[key] ??= {}) as Tree
  if (value === undefined) delete node[last]
  else node[last] = value
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/**
 * The settings of an instance of its own after a change. What equals the template's is not
 * kept, so that it follows the template.
 * @throws Failure invalid_request for a setting that the template does not leave to instances (ISET-13).
 */
export function changedSettings({ template, own, effective, input, seal }: SettingsChange): StoredSettings {
  const { env, httpNodeAuth, ...plain } = withUse(input, effective)
  const next = structuredClone(own) as Tree
  const auth = httpNodeAuth && authOf(httpNodeAuth, effective.httpNodeAuth)
  for (const [path, value] of leaves({ ...plain, ...(auth ? { httpNodeAuth: auth } : {}) })) {
    if (same(value, at(effective, path))) continue
    if (at(template.policy, path) !== true)
      throw fail('invalid_request', 'The template of this instance decides this setting', { field: `settings.${path}` })
    put(next, path, same(value, at(template.settings, path)) ? undefined : value)
  }
  if (env) next.env = ownVariables(template.settings.env ?? [], own.env ?? [], env, seal)
  return next
}

/** The platform notes which modules functions use; a list that is sent need not. */
function withUse(input: SettingsInput, { palette: before }: StoredSettings): SettingsInput {
  if (!input.palette?.modules) return input
  const used = new Set(before?.modules?.filter(({ functions }) => functions).map(({ name }) => name))
  const modules = input.palette.modules.map((one) =>
    one.local && used.has(one.name) ? { ...one, functions: true as const } : one,
  )
  return { ...input, palette: { ...input.palette, modules } }
}

/** The changes of settings, for the audit log. */
export function settingsUpdates(from: StoredSettings, to: StoredSettings) {
  const [before, after] = [toldSettings(from), toldSettings(to)]
  const gone = Object.keys(before).filter((key) => !(key in after))
  return [...changes(before, after), ...gone.map((key) => ({ key, old: before[key], dif: 'deleted' as const }))]
}

/** The variables of an instance beside and over those of its template. */
function ownVariables(
  template: readonly EnvEntry[],
  own: readonly EnvEntry[],
  input: NonNullable<SettingsInput['env']>,
  seal: (name: string, value: string) => string,
): EnvEntry[] {
  return input.flatMap(({ name, value, encrypted }): EnvEntry[] => {
    const above = template.find((entry) => entry.name === name)
    const before = own.find((entry) => entry.name === name)
    if (encrypted && value === '') return before?.encrypted ? [before] : []
    if (above && above.policy === false) {
      if (encrypted || value !== above.value)
        throw fail('invalid_request', `The template of this instance decides ${name}`, { field: 'settings.env' })
      return []
    }
    if (!encrypted && above && !above.encrypted && above.value === value) return []
    return [encrypted ? { name, value: seal(name, value), encrypted: true } : { name, value }]
  })
}
