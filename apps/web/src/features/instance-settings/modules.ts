import { ModuleName, ModuleVersion, type PaletteModule } from '@app/contract'

export interface ModuleFault {
  name?: string
  version?: string
}

const nameFault = (name: string) => (ModuleName.safeParse(name).success ? undefined : 'Invalid name')
const versionFault = (version: string) => (ModuleVersion.safeParse(version).success ? undefined : 'Invalid version')
const fault = (name: string | undefined, version: string | undefined): ModuleFault => ({
  ...(name ? { name } : {}),
  ...(version ? { version } : {}),
})

/** Returns the error of the row in which a module is added [PAL-05] [PAL-09] [PAL-10]. */
export function addFault(
  modules: readonly PaletteModule[],
  { name, version }: { name: string; version: string },
): ModuleFault {
  const taken = modules.some((module) => module.name === name) ? 'Duplicate name' : undefined
  return fault(name === '' ? undefined : (nameFault(name) ?? taken), version === '' ? undefined : versionFault(version))
}

/** Returns the errors of the listed modules, in their order; a repeated name is an error of the later row [PAL-09]. */
export const listFaults = (modules: readonly PaletteModule[]): ModuleFault[] =>
  modules.map(({ name, version }, index) => {
    const before = modules.slice(0, index).some((module) => module.name === name)
    return fault(nameFault(name) ?? (before ? 'Field has duplicate name' : undefined), versionFault(version))
  })
