import { createHash } from 'node:crypto'
import { DriverError } from '../../driver.ts'

/** Modules by name, each with the range of versions that is wanted. */
export type Modules = Readonly<Record<string, string>>

/** The conditions, besides versions, that a folder of installed modules depends on. */
export interface Surroundings {
  nodeMajor: number
  noderedMajor: number
  /** Were install scripts run? */
  scripts: boolean
}

const namePattern = /^(?:@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*$/
const nameMax = 214
/** A range of versions or the name of a tag, but neither an address nor a file. */
const rangePattern = /^(?:[0-9*^~<>=xXv][0-9A-Za-z.*^~<>=|+ -]*|[a-z][a-z-]*)$/
const rangeMax = 100

export const isModuleName = (name: string) => name.length <= nameMax && namePattern.test(name)

/** @throws DriverError module_invalid naming the first that the npm registry cannot have. */
export function checkModules(modules: Modules): void {
  for (const [name, range] of Object.entries(modules)) {
    if (!isModuleName(name))
      throw new DriverError('module_invalid', `"${name.slice(0, nameMax)}" is no name of a module`)
    if (range.length > rangeMax || !rangePattern.test(range) || /\.(?:tgz|tar|tar\.gz)$/i.test(range)) {
      const shown = range.slice(0, rangeMax)
      throw new DriverError('module_invalid', `The module ${name} has no version of the npm registry: "${shown}"`)
    }
  }
}

/**
 * The modules an instance should have, from the platform's list and the notes in its user directory. `base` is the
 * list when both last agreed, `agreed` the notes then, which may be ranges around it. The side that has changed since
 * wins, and the platform where both have.
 */
export function mergeModules({
  base,
  palette,
  own,
  agreed = {},
}: Record<'base' | 'palette' | 'own', Modules> & { agreed?: Modules | undefined }): Modules {
  const names = new Set([...Object.keys(palette), ...Object.keys(own)])
  const merged = [...names].sort().flatMap((name) => {
    const changed = palette[name] !== base[name]
    // Taken off the list, but put in another version inside the editor: that one stays.
    const kept = palette[name] ?? (own[name] === base[name] ? undefined : own[name])
    const isAgreed = palette[name] !== undefined && own[name] !== undefined && own[name] === agreed[name]
    const range = changed ? kept : isAgreed ? palette[name] : own[name]
    return range === undefined ? [] : [[name, range] as const]
  })
  return Object.fromEntries(merged)
}

/** Names one version, and no range of them. */
export const isExact = (range: string) => /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/.test(range)

export const sameModules = (one: Modules, other: Modules) => textOf(one) === textOf(other)

const textOf = (modules: Modules) => JSON.stringify(Object.entries(modules).sort(([a], [b]) => (a < b ? -1 : 1)))
const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)

/** Names the question "which versions are these", so that it is asked once. */
export const questionOf = (modules: Modules) => hash(textOf(modules))

interface Lock {
  packages: Record<string, { version?: string; integrity?: string; resolved?: string; link?: boolean }>
}

/**
 * Names an installation by everything that decides what is in it.
 * @throws DriverError install_failed for a module whose contents are not known beforehand.
 */
export function keyOf(lockText: string, { nodeMajor, noderedMajor, scripts }: Surroundings): string {
  const { packages } = JSON.parse(lockText) as Lock
  const contents = Object.entries(packages).flatMap(([path, { version, integrity, resolved, link }]) => {
    if (path === '') return []
    // Bundled packages have no checksum of their own, nor have those that a lock file of an old npm names.
    if (link || !version || (!integrity && resolved !== undefined && !/^https?:/.test(resolved)))
      throw new DriverError(
        'install_failed',
        `${path.replace(/^.*node_modules\//, '')} does not come from the npm registry`,
      )
    return [`${path} ${version} ${integrity}`]
  })
  const system = `${process.platform} ${process.arch}`
  return `${hash([system, ...contents.sort()].join('\n'))}-node${nodeMajor}-nodered${noderedMajor}${scripts ? '-scripts' : ''}`
}

export const isKey = (name: string) => /^[0-9a-f]{32}-node\d+-nodered\d+(?:-scripts)?$/.test(name)
