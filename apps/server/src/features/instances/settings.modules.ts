import { ModuleName, ModuleVersion, type PaletteModule } from '@app/contract'
import type { StoredSettings } from '../catalogue/index.ts'
import type { WholeInstance } from './instances.store.ts'
import { refusedModules } from './modules.policy.ts'
import { effectiveSettings, templateOf } from './settings.view.ts'

/** Modules that were installed from within the editor, by what Node-RED notes of all it has loaded. */
function installedIn(nodes: unknown): PaletteModule[] {
  if (typeof nodes !== 'object' || nodes === null) return []
  return Object.entries(nodes).flatMap(([name, noted]) => {
    const { version, local } = (noted ?? {}) as { version?: unknown; local?: unknown }
    const usable = local === true && ModuleName.safeParse(name).success && ModuleVersion.safeParse(version).success
    return usable ? [{ name, version: version as string, local: true }] : []
  })
}

/** Modules that lie in the folder of an instance, with their versions, as its driver sees them. */
export type Installed = Readonly<Record<string, string>>

/**
 * An instance only claims what it has: what its driver does not find is not put on the list, nor what its template
 * refuses.
 */
function withoutRefused(
  row: WholeInstance,
  before: readonly PaletteModule[],
  after: readonly PaletteModule[],
  installed: Installed,
): PaletteModule[] {
  const refused = refusedModules(row, after).map(({ module }) => module)
  const isKnown = ({ name }: PaletteModule) => before.some((one) => one.name === name) || Object.hasOwn(installed, name)
  const isOff = effectiveSettings(row).palette?.allowInstall === false
  return after.flatMap((module) => {
    const was = before.find(({ name }) => name === module.name)
    const mayBe = isKnown(module) && !refused.includes(module) && !(isOff && !was)
    if (was?.version === module.version || mayBe) return [module]
    return was ? [was] : []
  })
}

/** Modules that the note of Node-RED, or its report, would put on the list: names to be looked for. */
export const namesIn = (nodes: unknown): string[] => installedIn(nodes).map(({ name }) => name)

/** The own settings of an instance with another list of modules; undefined when they stay as they are. */
function withList(
  row: WholeInstance,
  installed: Installed,
  listed: (before: readonly PaletteModule[]) => PaletteModule[],
): StoredSettings | undefined {
  const { policy } = templateOf(row)
  if ((policy.palette as { modules?: boolean } | undefined)?.modules !== true) return undefined
  const before = effectiveSettings(row).palette?.modules ?? []
  const after = withoutRefused(row, before, listed(before), installed)
  if (JSON.stringify(after) === JSON.stringify(before)) return undefined
  const own = JSON.parse(row.settings) as StoredSettings
  return { ...own, palette: { ...own.palette, modules: after } }
}

/**
 * The settings of an instance with what is installed there now, so that a restart, another stack or a copy has it too;
 * undefined when they stay as they are. What was asked for by its settings stays, whatever Node-RED has loaded.
 */
export function settingsWithModules(
  row: WholeInstance,
  nodes: unknown,
  installed: Installed,
): StoredSettings | undefined {
  return withList(row, installed, (before) => {
    const asked = before.filter(({ local }) => !local)
    return [...asked, ...installedIn(nodes).filter(({ name }) => !asked.some((one) => one.name === name))]
  })
}

/**
 * The same after one module was installed or removed, as Node-RED reports it when somebody has done that: so the list
 * is right also for launchers that tell nothing else. Undefined as well for what is no module of the registry.
 */
export function settingsWithModule(
  row: WholeInstance,
  event: 'nodes.install' | 'nodes.remove',
  { module: name, version }: { module?: unknown; version?: unknown },
  installed: Installed,
): StoredSettings | undefined {
  if (!ModuleName.safeParse(name).success) return undefined
  if (event === 'nodes.remove') return withList(row, installed, (before) => before.filter((one) => one.name !== name))
  if (typeof version !== 'string' || !ModuleVersion.safeParse(`~${version}`).success) return undefined
  return withList(row, installed, (before) => {
    const listed = before.find((one) => one.name === name)
    // What Node-RED has noted of it is exact, and what was asked for stays.
    if (listed && (!listed.local || listed.version === version)) return [...before]
    return [...before.filter((one) => one !== listed), { name: name as string, version: `~${version}`, local: true }]
  })
}
