import { constants, existsSync } from 'node:fs'
import { lchown, lstat, open, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModuleNeeds } from '../../driver.ts'
import type { Owner } from './tree.ts'
import type { Modules } from './set.ts'

const bytesMax = 1024 * 1024

/** Node-RED's note of what belongs to the instance, in its user directory; people's palette manager changes it. */
export interface Manifest {
  dependencies: Modules
  /** Everything else in it. */
  rest: Record<string, unknown>
}

/** Undefined when there is none, or none that can be understood. */
export async function readManifest(userDir: string): Promise<Manifest | undefined> {
  return readPlain(join(userDir, 'package.json'), parse, { namesMax: 1 })
}

/** The version of a module that lies in a user directory. */
export async function installedVersion(userDir: string, name: string): Promise<string | undefined> {
  const version = (text: string) => (JSON.parse(text) as { version?: unknown }).version
  const found = await readPlain(join(userDir, 'node_modules', name, 'package.json'), version, { namesMax: Infinity })
  return typeof found === 'string' ? found : undefined
}

/** The needs that a module in a user directory declares. */
export async function needsOf(userDir: string, name: string): Promise<ModuleNeeds | undefined> {
  return readPlain(join(userDir, 'node_modules', name, 'package.json'), needsIn, { namesMax: Infinity })
}

function needsIn(text: string): ModuleNeeds | undefined {
  const told = JSON.parse(text) as {
    version?: unknown
    engines?: { node?: unknown }
    'node-red'?: { version?: unknown }
  }
  if (typeof told.version !== 'string') return undefined
  const [nodered, node] = [told['node-red']?.version, told.engines?.node]
  return {
    version: told.version,
    ...(typeof nodered === 'string' ? { nodered } : {}),
    ...(typeof node === 'string' ? { node } : {}),
  }
}

/**
 * Reads a package.json. The instance could have put anything there, so nothing but a plain file is read; `namesMax`
 * limits its hard links, since another name may be that of somebody else's file.
 */
async function readPlain<T>(path: string, read: (text: string) => T, limits: { namesMax: number }) {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const found = await file.stat()
      if (!found.isFile() || found.size > bytesMax || found.nlink > limits.namesMax) return undefined
      return read(await file.readFile('utf8'))
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}

function parse(text: string): Manifest | undefined {
  const { dependencies = {}, ...rest } = JSON.parse(text) as { dependencies?: unknown }
  if (typeof dependencies !== 'object' || dependencies === null) return undefined
  const entries = Object.entries(dependencies).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return { dependencies: Object.fromEntries(entries), rest }
}

/** Whole or not at all; `beside` is a folder on the same disk that the instance cannot reach. */
export async function writeManifest(
  { dependencies, rest }: Manifest,
  { userDir, beside, owner }: { userDir: string; beside: string; owner: Owner | undefined },
): Promise<void> {
  const text = `${JSON.stringify({ name: 'instance', private: true, ...rest, dependencies }, null, 2)}\n`
  const temporary = join(beside, 'package.json.tmp')
  await writeFile(temporary, text, { mode: 0o600 })
  if (owner) await lchown(temporary, owner.uid, owner.gid)
  await rename(temporary, join(userDir, 'package.json'))
}

/** Are all of them there, as far as can be told without asking npm? */
export const areThere = (userDir: string, modules: Modules) =>
  Object.keys(modules).every((name) => existsSync(join(userDir, 'node_modules', name, 'package.json')))

export const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  )
