import { ModuleName, ModuleVersion, type PaletteModule } from '@app/contract'
import type { StoredSettings } from '../catalogue/index.ts'
import type { WholeInstance } from './instances.store.ts'
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

/**
 * The settings of an instance with what is installed there now, so that a restart, another stack or a copy has it too;
 * undefined when they stay as they are. What was asked for by its settings stays, whatever Node-RED has loaded.
 */
export function settingsWithModules(row: WholeInstance, nodes: unknown): StoredSettings | undefined {
  const { policy } = templateOf(row)
  if ((policy.palette as { modules?: boolean } | undefined)?.modules !== true) return undefined
  const before = effectiveSettings(row).palette?.modules ?? []
  const asked = before.filter(({ local }) => !local)
  const installed = installedIn(nodes).filter(({ name }) => !asked.some((one) => one.name === name))
  const after = [...asked, ...installed]
  if (JSON.stringify(after) === JSON.stringify(before)) return undefined
  const own = JSON.parse(row.settings) as StoredSettings
  return { ...own, palette: { ...own.palette, modules: after } }
}
