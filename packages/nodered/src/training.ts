import type { Training } from '@app/contract/instance-link'
import { realpathSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import os from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { loadLazily } from './lazy.ts'
import { knowNames, noteNames } from './training.names.ts'

const requireIn = (folder: string) => createRequire(join(folder, 'package.json'))

/** Notes which modules below a folder are loaded, and by which names, from now until the returned function is called. */
export function recordLoading(path: string): () => Training {
  // Modules are known by the paths behind symbolic links.
  const folder = realpathSync(path)
  const imported = new Set<string>()
  const names = noteNames(folder)
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      if (found.format === 'module' && found.url.startsWith('file:')) imported.add(fileURLToPath(found.url))
      if (context.conditions.includes('require')) names.note(specifier, context.parentURL, found.url)
      return found
    },
  })
  const below = (paths: Iterable<string>) =>
    [...paths].map((one) => relative(folder, one)).filter((one) => !one.startsWith('..'))
  return () => {
    hooks.deregister()
    return { modules: below(Object.keys(requireIn(folder).cache)), imports: below(imported), names: names.all }
  }
}

let aheadIn: string | undefined
const namesRead = new Set<string>()

/**
 * Loads what a start will need, before there is an instance to start. What cannot be loaded is left to the start,
 * which will say what is wrong with it.
 */
export async function loadAhead(folder: string, { modules, imports, names }: Training): Promise<void> {
  const require = requireIn(folder)
  loadLazily(folder)
  const stop = watchEnvironment()
  aheadIn = realpathSync(folder)
  const searched = knowNames(aheadIn, names)
  for (const path of modules) {
    try {
      require(join(folder, path))
    } catch {
      // Not needed, or needed and then reported.
    }
  }
  searched()
  for (const path of imports) await import(pathToFileURL(join(folder, path)).href).catch(() => {})
  stop()
}

/**
 * Some modules look at the environment only as they load. When one of them has looked for a variable that the instance
 * sets, everything loaded ahead is forgotten, so that the start loads it anew and sees the instance's value.
 */
export function forgetIfRead(names: string[]): void {
  if (aheadIn === undefined || !names.some(wasRead)) return
  const { cache } = requireIn(aheadIn)
  for (const path of Object.keys(cache)) if (path.startsWith(aheadIn)) delete cache[path]
}

/** One library reads every variable whose name starts so. */
const wasRead = (name: string) => namesRead.has(name) || /^debug/i.test(name)

function watchEnvironment(): () => void {
  const { env } = process
  const { homedir } = os
  const note = (name: string | symbol) => void namesRead.add(String(name))
  process.env = new Proxy(env, {
    get: (target, name) => (note(name), Reflect.get(target, name) as unknown),
    has: (target, name) => (note(name), Reflect.has(target, name)),
  })
  os.homedir = () => (note('HOME'), homedir())
  return () => {
    process.env = env
    os.homedir = homedir
  }
}
