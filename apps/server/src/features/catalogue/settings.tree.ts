import { isObject } from '../../platform/objects.ts'
import type { StoredSettings } from './settings.view.ts'

export type Tree = Record<string, unknown>

/** Values by their dotted path; lists are values. */
export function leaves(tree: Tree, prefix = ''): [string, unknown][] {
  return Object.entries(tree).flatMap(([key, value]) =>
    isObject(value) ? leaves(value, `${prefix}${key}.`) : value === undefined ? [] : [[prefix + key, value]],
  )
}

const asText = (entries: [string, unknown][]): [string, unknown][] =>
  entries.map(([path, value]) => [path, Array.isArray(value) ? JSON.stringify(value) : value])

/**
 * Settings by their names for the audit log, and variables by theirs; lists as text, so that they compare. `prefix` tells
 * settings from what else stands in the same entry.
 */
export function toldSettings({ env = [], ...settings }: StoredSettings, prefix = ''): Tree {
  // A sealed value differs each time, which tells that it was changed; it is not shown.
  const variables = env.map(({ name, value, encrypted }) => [`env.${name}${encrypted ? '.secret' : ''}`, value])
  return Object.fromEntries([...asText(leaves(settings, prefix)), ...variables])
}

/** A policy in the same way. */
export const toldPolicy = (policy: Tree): Tree => Object.fromEntries(asText(leaves(policy, 'policy.')))
