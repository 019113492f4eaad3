import type { EnvEntry } from '@app/contract'
import { isObject } from '../../platform/objects.ts'
import { ownSettings, type StoredSettings, templateContents, type Tree } from '../catalogue/index.ts'
import type { WholeInstance } from '../instances/index.ts'

type SettingsRow = Pick<WholeInstance, 'settings' | 'template_settings' | 'template_policy'>

/** The settings of an instance's template. */
export const templateOf = (row: Omit<SettingsRow, 'settings'>) =>
  templateContents({ settings: row.template_settings, policy: row.template_policy })

/** Settings of an instance over those of its template, where the policy lets them [ISET-13] [ISET-14]; secrets as they are kept. */
export function effectiveSettings(row: SettingsRow, template = templateOf(row)): StoredSettings {
  const { env = [], ...own } = ownSettings(row)
  const merged = merge(template.settings, own, template.policy) as StoredSettings
  return {
    ...merged,
    // The modules of a template are only those to begin with [ATPL-17].
    ...(own.palette?.modules ? { palette: { ...merged.palette, modules: own.palette.modules } } : {}),
    env: mergeVariables(template.settings.env ?? [], env),
  }
}

function merge(base: Tree, own: Tree, policy: Tree): Tree {
  const result: Tree = { ...base }
  for (const [key, value] of Object.entries(own)) {
    if (isObject(value)) result[key] = merge((base[key] ?? {}) as Tree, value, (policy[key] ?? {}) as Tree)
    else if (policy[key] === true) result[key] = value
  }
  return result
}

/** Variables of the instance beside and over those of the template, except where an entry there forbids it [ENV-11]. */
function mergeVariables(template: readonly EnvEntry[], own: readonly EnvEntry[]): EnvEntry[] {
  const merged = new Map(template.map((entry) => [entry.name, entry]))
  for (const entry of own) {
    const above = merged.get(entry.name)
    if (above?.policy === false) continue
    merged.set(entry.name, above ? { ...entry, policy: true } : entry)
  }
  return [...merged.values()]
}

/** The variables that the platform gives every instance [ENV-15]; they win over all others of their name. */
export function platformVariables({ id, name }: Pick<WholeInstance, 'id' | 'name'>): EnvEntry[] {
  const entry = (key: string, value: string): EnvEntry => ({ name: key, value, platform: true })
  return [
    entry('FF_INSTANCE_ID', id),
    entry('FF_INSTANCE_NAME', name),
    { ...entry('FF_PROJECT_ID', id), deprecated: true },
    { ...entry('FF_PROJECT_NAME', name), deprecated: true },
  ]
}
