import type { FlowNode } from '../flows/index.ts'
import type { Change, Difference } from '@app/contract'
import { type StoredSettings } from '../catalogue/index.ts'
import { settingLeaves } from '../catalogue/index.ts'
import { flowDifference } from './flow.difference.ts'

/** The contents of an instance, open, as far as they are compared. */
export interface OpenContents {
  flows: FlowNode[]
  /** By the ids of nodes. */
  credentials: Record<string, unknown>
  /** The effective settings, with the template's values; secrets as they are kept. */
  settings: StoredSettings
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** The entries that differ, by name, with both values; `same` ones are left out. */
function pairs<T>(before: Map<string, T>, after: Map<string, T>) {
  const names = [...new Set([...after.keys(), ...before.keys()])]
  return names
    .map((name) => ({ name, old: before.get(name), next: after.get(name) }))
    .filter(({ old, next }) => !same(old, next))
}

const changeOf = (old: unknown, next: unknown): Change =>
  old === undefined ? 'added' : next === undefined ? 'removed' : 'changed'

const variables = ({ env = [] }: StoredSettings) => new Map(env.map(({ name, value }) => [name, value]))
const modulesOf = ({ palette }: StoredSettings) =>
  new Map((palette?.modules ?? []).map(({ name, version }) => [name, version]))

function settingsOf({ env: _env, palette, ...rest }: StoredSettings): Map<string, unknown> {
  const { modules: _modules, ...others } = palette ?? {}
  return new Map(settingLeaves({ ...rest, palette: others }))
}

/** The changes from the first contents to the second. Variables, settings and credentials are listed by name only. */
export function difference(before: OpenContents, after: OpenContents): Difference {
  const secrets = pairs(new Map(Object.entries(before.credentials)), new Map(Object.entries(after.credentials)))
  const fields = (of: unknown) => new Map(Object.entries((of ?? {}) as Record<string, unknown>))
  const differing = secrets.map(({ name, old, next }): [string, Set<string>] => [
    name,
    new Set(pairs(fields(old), fields(next)).map((field) => field.name)),
  ])
  return {
    ...flowDifference(before.flows, after.flows, new Map(differing)),
    modules: pairs(modulesOf(before.settings), modulesOf(after.settings)).map(({ name, old, next }) => ({
      name,
      ...(old === undefined ? {} : { old }),
      ...(next === undefined ? {} : { new: next }),
    })),
    env: pairs(variables(before.settings), variables(after.settings)).map(({ name, old, next }) => ({
      name,
      change: changeOf(old, next),
    })),
    settings: pairs(settingsOf(before.settings), settingsOf(after.settings)).map(({ name, old, next }) => ({
      key: name,
      change: changeOf(old, next),
    })),
  }
}
