import type { EnvEntry, SettingsInput, Template } from '@app/contract'
import { authOf } from './flow-auth.ts'
import { isObject } from '../../platform/objects.ts'
import { toldPolicy, toldSettings, type Tree } from './settings.tree.ts'
import type { StoredSettings } from './settings.view.ts'

/** Merges the given values over the base, level by level; lists are values. */
function over(base: Tree, given: Tree): Tree {
  const result = { ...base }
  for (const [key, value] of Object.entries(given)) {
    const before = result[key]
    if (value !== undefined) result[key] = isObject(value) ? over(isObject(before) ? before : {}, value) : value
  }
  return result
}

/** Settings and policy by their names, for the audit log. */
export const toldTemplate = (settings: StoredSettings, policy: Template['policy']): Tree => ({
  ...toldSettings(settings, 'settings.'),
  ...toldPolicy(policy),
})

export interface TemplateChange {
  before: StoredSettings
  /** With the hash of a new password in its place. */
  input: SettingsInput
  /** Hides the value of a secret variable. */
  seal(name: string, value: string): string
}

/**
 * The settings of a template after a change; what is not sent stays.
 * @throws Failure invalid_request for a sign-in by name and password that lacks one of them.
 */
export function templateSettings({ before, input, seal }: TemplateChange): StoredSettings {
  const { env, httpNodeAuth, ...plain } = input
  const after = over(before, plain) as StoredSettings
  if (httpNodeAuth) after.httpNodeAuth = authOf(httpNodeAuth, before.httpNodeAuth)
  if (env) after.env = variablesOf(env, before.env ?? [], seal)
  return after
}

export const templatePolicy = (before: Template['policy'], input: object): Template['policy'] =>
  over(before, input as Tree)

/** A secret without a value keeps the one it has; instances may give other values unless it is said otherwise. */
function variablesOf(
  input: NonNullable<SettingsInput['env']>,
  before: readonly EnvEntry[],
  seal: (name: string, value: string) => string,
): EnvEntry[] {
  return input.flatMap(({ name, value, encrypted, policy = true }): EnvEntry[] => {
    if (!encrypted) return [{ name, value, policy }]
    const kept = before.find((entry) => entry.name === name && entry.encrypted)
    if (value === '') return kept ? [{ ...kept, policy }] : []
    return [{ name, value: seal(name, value), encrypted: true, policy }]
  })
}
