import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One entry of package-lock.json. */
export interface Locked {
  name?: string
  version?: string
  license?: string
  link?: true
  resolved?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** The packages that npm installs, by their folders. */
export type Lock = Record<string, Locked>

/** Reads package-lock.json in the root of the project. */
export const readLock = (root: string): Lock =>
  (JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Lock }).packages

const nameOf = (folder: string) => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)

/**
 * The folders of all packages that these workspaces need when they run, without those for development.
 * @param from folders of workspaces, such as apps/server; they are not part of the result.
 */
export function shippedBy(lock: Lock, from: readonly string[]): string[] {
  const found = new Set<string>()
  const open = [...from]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const { dependencies, optionalDependencies } = lock[folder] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const at = resolve(lock, folder, name)
      if (at === undefined || found.has(at)) continue
      found.add(at)
      open.push(at)
    }
  }
  return [...found].sort()
}

/** As Node.js looks for a package: in each folder node_modules on the way up. */
function resolve(lock: Lock, folder: string, name: string): string | undefined {
  for (let at = folder; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (path in lock) return lock[path]?.link ? lock[path].resolved : path
    if (at === '') return undefined
  }
}

/** Name, version and licence of each package, once. */
export function listed(lock: Lock, folders: readonly string[]): { name: string; version: string; license: string }[] {
  const rows = folders
    .filter((folder) => folder.includes('node_modules/'))
    .map((folder) => {
      const { name = nameOf(folder), version = '', license = 'see its licence text' } = lock[folder]!
      return { name, version, license }
    })
  const byKey = new Map(rows.map((row) => [`${row.name}@${row.version}`, row]))
  return [...byKey.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}
