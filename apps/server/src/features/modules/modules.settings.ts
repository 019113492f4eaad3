import { ModuleName, ModuleVersion, type PaletteModule } from '@app/contract'
import { satisfies, valid } from 'semver'
import { isObject } from '../../platform/objects.ts'
import { ownSettings, type StoredSettings } from '../catalogue/index.ts'
import { type FunctionModule, modulesOfFunctions } from '../flows/index.ts'
import type { WholeInstance } from '../instances/index.ts'
import { refusedModules } from './modules.policy.ts'
import { effectiveSettings, templateOf } from '../instance-settings/index.ts'

/** Node-RED's notes about its modules: by name, those with nodes, and those that it installed for functions. */
export interface Noted {
  nodes?: unknown
  modules?: unknown
}

/** Modules that lie in the folder of an instance, with their versions, as its driver sees them. */
export type Installed = Readonly<Record<string, string>>

/** Modules with nodes that were installed from within the editor. */
function installedIn({ nodes }: Noted): PaletteModule[] {
  return Object.entries(isObject(nodes) ? nodes : {}).flatMap(([name, noted]) => {
    const { version, local } = (noted ?? {}) as { version?: unknown; local?: unknown }
    const usable = local === true && ModuleName.safeParse(name).success && ModuleVersion.safeParse(version).success
    return usable ? [{ name, version: version as string, local: true }] : []
  })
}

/** For modules of functions Node-RED notes the requested version, not the installed one. */
const namesOfFunctions = ({ modules }: Noted) =>
  Object.keys(isObject(modules) ? modules : {}).filter((name) => ModuleName.safeParse(name).success)

const ofFunctions = (name: string, version: string): PaletteModule => ({ name, version, local: true, functions: true })

/** Modules that the note of Node-RED would put on the list: names to be looked for. */
export const namesIn = (noted: Noted): string[] => [
  ...installedIn(noted).map(({ name }) => name),
  ...namesOfFunctions(noted),
]

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
    const mayBe = isKnown(module) && !refused.includes(module) && (module.functions === true || !(isOff && !was))
    if (was?.version === module.version || mayBe) return [module]
    return was ? [was] : []
  })
}

/** The own settings of an instance with another list of modules; undefined when they stay as they are. */
function withList(
  row: WholeInstance,
  installed: Installed,
  listed: (before: readonly PaletteModule[]) => PaletteModule[],
): StoredSettings | undefined {
  const { policy } = templateOf(row)
  const mayChoose = (policy.palette as { modules?: boolean } | undefined)?.modules === true
  const before = effectiveSettings(row).palette?.modules ?? []
  const all = withoutRefused(row, before, listed(before), installed)
  // Which modules functions use is not for the template to choose, but whether they may.
  const isOpen = ({ functions }: PaletteModule) => mayChoose || functions === true
  const after = mayChoose ? all : [...before.filter((one) => !isOpen(one)), ...all.filter(isOpen)]
  if (JSON.stringify(after) === JSON.stringify(before)) return undefined
  return withModules(row, after)
}

function withModules(row: Pick<WholeInstance, 'settings'>, modules: PaletteModule[]): StoredSettings {
  const own = ownSettings(row)
  return { ...own, palette: { ...own.palette, modules } }
}

/**
 * The settings of an instance with what is installed there now, so that a restart, another stack or a copy has it too;
 * undefined when they stay as they are. What was asked for by its settings stays, whatever Node-RED has loaded, and so
 * do modules of functions: it notes only those that it has installed itself.
 */
export function settingsWithModules(
  row: WholeInstance,
  noted: Noted,
  installed: Installed,
): StoredSettings | undefined {
  return withList(row, installed, (before) => {
    const asked = before.filter(({ local }) => !local)
    const isNew = (listed: readonly PaletteModule[]) => (one: PaletteModule) =>
      !listed.some(({ name }) => name === one.name)
    const found = installedIn(noted).filter(isNew(asked))
    const used = namesOfFunctions(noted).flatMap((name) => {
      const version = installed[name]
      return version === undefined ? [] : [ofFunctions(name, version)]
    })
    const kept = before.filter((one) => one.functions === true && isNew(used)(one))
    return [...asked, ...found, ...[...kept, ...used].filter(isNew([...asked, ...found]))]
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
    // Node-RED's note is exact, and the requested range stays.
    if (listed && (!listed.local || listed.version === version)) return [...before]
    return [...before.filter((one) => one !== listed), { name: name as string, version: `~${version}`, local: true }]
  })
}

const listOf = (row: WholeInstance) => effectiveSettings(row).palette?.modules ?? []
const isOpen = ({ local, version }: PaletteModule) => local && valid(version) === null

/** Modules that functions of these flows use and that are not on the list of the instance. */
function unlisted(row: WholeInstance, flows: string | undefined): FunctionModule[] {
  const listed = new Set(listOf(row).map(({ name }) => name))
  return modulesOfFunctions(flows).filter(({ name }) => !listed.has(name))
}

/** Modules of an instance whose version is to be found out: see `settingsAsInstalled`. */
export const namesToFind = (row: WholeInstance, flows: string | undefined): string[] => [
  ...listOf(row)
    .filter(isOpen)
    .map(({ name }) => name),
  ...unlisted(row, flows).map(({ name }) => name),
]

/**
 * The settings of an instance that runs these flows, with the versions that lie there: those that were left open to the
 * registry, and those of modules that functions use and that are not on the list yet. Undefined: they stay.
 */
export function settingsAsInstalled(
  row: WholeInstance,
  flows: string | undefined,
  installed: Installed,
): StoredSettings | undefined {
  return withList(row, installed, (before) => [
    ...before.map((one) => {
      const version = isOpen(one) ? installed[one.name] : undefined
      return version === undefined || valid(version) === null ? one : { ...one, version }
    }),
    ...unlisted(row, flows).flatMap(({ name }) => {
      const version = installed[name]
      return version === undefined ? [] : [ofFunctions(name, version)]
    }),
  ])
}

/**
 * The settings with which these flows can run: with the modules of their functions, in the version that is installed
 * where that will do, and in the one they ask for where not. Undefined: they have them.
 */
export function settingsForFunctions(
  row: WholeInstance,
  flows: string | undefined,
  installed: Installed,
): StoredSettings | undefined {
  if (effectiveSettings(row).modules?.allowInstall === false) return undefined
  const missing = unlisted(row, flows).map(({ name, range = '*' }) => {
    const version = installed[name]
    return ofFunctions(name, version !== undefined && satisfies(version, range) ? version : range)
  })
  return missing.length === 0 ? undefined : withModules(row, [...listOf(row), ...missing])
}
