import type { PaletteModule } from '@app/contract'
import { intersects, validRange } from 'semver'
import { fail } from '../../platform/http/failure.ts'
import type { StoredSettings } from '../catalogue/index.ts'
import type { WholeInstance } from '../instances/index.ts'
import { effectiveSettings, templateOf } from '../instance-settings/index.ts'

type Module = Pick<PaletteModule, 'name' | 'version' | 'functions'>
type Ruled = Pick<WholeInstance, 'settings' | 'template_settings' | 'template_policy'>

/** One entry of a deny list, as Node-RED reads it: a name, `*` in it for anything, and a range of versions behind it. */
function denies(entry: string, { name, version }: Module): boolean {
  const [, pattern = '', range = '*'] = /^(.+?)(?:@(.*))?$/.exec(entry) ?? []
  const isNamed = pattern.split('*').map(RegExp.escape).join('.*')
  if (!new RegExp(`^${isNamed}$`).test(name)) return false
  // With two ranges, any version allowed by both might be installed; an incomparable one is refused.
  return validRange(range) === null || validRange(version) === null || intersects(range, version)
}

/**
 * Why the template of an instance does not let a module be installed, in a sentence; undefined: it may be. Modules of
 * the template itself are its administrator's choice.
 */
function faultOf(row: Ruled, module: Module): string | undefined {
  const template = templateOf(row)
  const { palette = {}, modules: ofFunctions = {} } = effectiveSettings(row, template)
  if (module.functions) {
    const denied = (ofFunctions.denyList ?? []).find((one) => denies(one, module))
    if (denied !== undefined) return `${module.name} must not be installed: the deny list has "${denied}"`
    const isClosed = ofFunctions.allowInstall === false
    return isClosed ? `${module.name} must not be installed: functions may not use modules here` : undefined
  }
  const entry = (palette.denyList ?? []).find((one) => denies(one, module))
  if (entry !== undefined) return `${module.name} must not be installed: the deny list has "${entry}"`
  const policy = template.policy.palette as { allowInstall?: boolean } | undefined
  const isOff = template.settings.palette?.allowInstall === false && policy?.allowInstall !== true
  if (isOff && !(template.settings.palette?.modules ?? []).some((one) => isSame(one, module)))
    return `${module.name} must not be installed: the template does not allow further modules`
  return undefined
}

const isSame = (one: Module, other: Module) => one.name === other.name && one.version === other.version

/** The modules of `after` that the instance must not get and does not have in its list yet, with the reason. */
export function refusedModules(row: Ruled, after: readonly PaletteModule[]) {
  const before = effectiveSettings(row).palette?.modules ?? []
  return after.flatMap((module) => {
    const fault = before.some((one) => isSame(one, module)) ? undefined : faultOf(row, module)
    return fault === undefined ? [] : [{ module, fault }]
  })
}

/**
 * Checks the modules that new settings of an instance would bring. What it has already may stay: a rule that came later
 * does not stop flows.
 * @throws Failure invalid_request naming the first module and the rule.
 */
export function checkModulesOf(row: Ruled, settings: string, field = 'settings.palette.modules'): void {
  const after = effectiveSettings({ ...row, settings }).palette?.modules ?? []
  const [first] = refusedModules(row, after)
  if (first) throw fail('invalid_request', first.fault, { field })
}

/** The list as people see it: what is there and would be refused by now says so. */
export function withRefusals(row: Ruled, { palette, ...settings }: StoredSettings): StoredSettings {
  if (!palette?.modules) return { ...settings, ...(palette ? { palette } : {}) }
  const modules = palette.modules.map((module) => {
    const refused = faultOf(row, module)
    return refused === undefined ? module : { ...module, refused }
  })
  return { ...settings, palette: { ...palette, modules } }
}
