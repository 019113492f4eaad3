import { readdir } from 'node:fs/promises'
import { DriverError, type InstanceSpec, type ModuleNeeds, type ModulesSpec, type Report } from '../../driver.ts'
import { isDiskFull } from '../npm/npm.errors.ts'
import { createSerial } from '../../serial.ts'
import type { Npm } from '../npm/npm.ts'
import { isInstanceId, type Paths, pathsOf } from '../paths.ts'
import {
  checkModules,
  isExact,
  isModuleName,
  mergeModules,
  type Modules,
  sameModules,
  type Surroundings,
} from './set.ts'
import { createStore } from './store.ts'
import { discard, type Noted, readNotes, resume, stage, swap, writeNote } from './swap.ts'
import type { Owner } from './tree.ts'
import { areThere, installedVersion, needsOf, readManifest } from './user.files.ts'

export interface ModulesDependencies {
  /** Where sets are kept, on the same disk as the instances if they are to be shared. */
  folder: string
  instancesDir: string
  npm: Npm
  /** Path of the Node.js that a stack runs on, and its version. */
  nodeOf(stack: InstanceSpec['stack']): { path: string; version: string }
  /** Owner of the user directory of an instance, when not the platform. */
  ownerOf(id: string): Owner | undefined
  /** A user for programs of strangers in this folder alone, for as long as it exists; undefined where there is none. */
  lend(folder: string): Owner | undefined
}

const majorOf = (version: string) => Number(/^v?(\d+)/.exec(version)?.[1])

/** The modules of instances: a list of the platform's together with what people installed in the editor. */
export function createModules({ folder, instancesDir, npm, nodeOf, ownerOf, lend }: ModulesDependencies) {
  const store = createStore(folder, npm, lend)
  const serial = createSerial()
  const paths = (id: string) => pathsOf(instancesDir, id)

  async function prepare(spec: ModulesSpec, report: Report): Promise<void> {
    const at = paths(spec.id)
    const owner = ownerOf(spec.id)
    await resume(at, owner)
    const { has, next } = await readNotes(at)
    const { note, unchanged } = await planFor(at, spec, has)
    if (unchanged) {
      if (next) await discard(at)
      if (!has || !sameNote(has, note)) await writeNote(at, note)
      return
    }
    if (next && sameNote(next, note)) return
    checkModules(note.modules)
    if (isEmpty(note.modules)) return stage(at, note, undefined, owner)
    const wanted = { ...note, node: nodeOf(spec.stack).path }
    const isNew = (await store.find(wanted)) === undefined
    const set = await store.ensure(wanted, report)
    report({ text: 'Putting the modules in place' })
    await stage(at, { ...note, key: set.key }, { folder: set.folder, tree: await store.treeOf(set) }, owner)
    const count = Object.keys(note.modules).length
    report({ text: count === 1 ? '1 module' : `${count} modules` })
    // Only then has the store grown.
    if (isNew) await collect(Date.now())
  }

  /** The modules the instance should have, and whether it has them. */
  async function planFor(at: Paths, spec: ModulesSpec, has: Noted | undefined): Promise<Plan> {
    const { stack, modules: palette = {}, installScripts: scripts = false } = spec
    // Without a readable note of its own the instance has what it was given.
    const own = (await readManifest(at.userDir))?.dependencies ?? has?.modules ?? {}
    const modules = mergeModules({ base: has?.palette ?? {}, palette, own, agreed: has?.agreed })
    const surroundings: Surroundings = {
      nodeMajor: majorOf(nodeOf(stack).version),
      noderedMajor: majorOf(stack.nodered),
      scripts,
    }
    const moved = has && !sameSurroundings(has, surroundings)
    const isSame = await isMet(at, own, modules)
    const unchanged = isSame && (isEmpty(modules) || (!moved && areThere(at.userDir, modules)))
    const agreed = unchanged && !sameModules(own, modules) ? { agreed: own } : {}
    return { note: { key: has?.key ?? '', palette, modules, ...agreed, ...surroundings }, unchanged }
  }

  /** Is what lies there what is wanted? A version that is named is met by itself, whatever range brought it there. */
  async function isMet({ userDir }: Paths, own: Modules, wanted: Modules): Promise<boolean> {
    const names = Object.keys(wanted)
    if (names.length !== Object.keys(own).length) return false
    for (const name of names) {
      const range = wanted[name]!
      if (own[name] === range) continue
      if (own[name] === undefined || !isExact(range) || (await installedVersion(userDir, name)) !== range) return false
    }
    return true
  }

  /** Removes sets that have not been needed for long. */
  async function collect(now: number): Promise<void> {
    const used = new Set<string>()
    for (const id of (await readdir(instancesDir).catch(() => [])).filter(isInstanceId)) {
      const { has, next } = await readNotes(paths(id))
      for (const note of [has, next]) if (note) used.add(note.key)
    }
    await store.collect(used, now)
  }

  return {
    /** Fetches what the next start will need while the instance may still run. @throws DriverError with a sentence. */
    prepare: (spec: ModulesSpec, report: Report): Promise<void> =>
      serial(spec.id, () => withRoom(() => prepare(spec, report))),

    /** Puts in what is wanted; the instance must not run. Nothing is touched when that cannot be had. @throws DriverError */
    apply: (spec: ModulesSpec): Promise<void> =>
      serial(spec.id, () =>
        withRoom(async () => {
          await prepare(spec, () => {})
          await swap(paths(spec.id), ownerOf(spec.id))
        }),
      ),

    /** Has the instance what it shall have, so that `apply` would touch nothing? */
    async isPut(spec: ModulesSpec): Promise<boolean> {
      const at = paths(spec.id)
      return (await planFor(at, spec, (await readNotes(at)).has)).unchanged
    },

    /** Does an instance have modules that a process of this stack can run with, whatever its list says by now? */
    async canKeep(spec: ModulesSpec): Promise<boolean> {
      const at = paths(spec.id)
      const { has } = await readNotes(at)
      const own = (await readManifest(at.userDir))?.dependencies ?? has?.modules ?? {}
      return has?.nodeMajor === majorOf(nodeOf(spec.stack).version) && areThere(at.userDir, own)
    },

    /** Leaves the modules as they are, for an instance that does not run; what a kill has interrupted is ended. */
    keep: (spec: ModulesSpec): Promise<void> =>
      serial(spec.id, async () => {
        const at = paths(spec.id)
        await resume(at, ownerOf(spec.id))
        await discard(at)
      }),

    /** The version of each of these modules that lies in the folder of the instance; those that do not are left out. */
    async versionsIn(id: string, names: readonly string[]): Promise<Record<string, string>> {
      const { userDir } = paths(id)
      const found = names
        .filter(isModuleName)
        .map(async (name) => [name, await installedVersion(userDir, name)] as const)
      return Object.fromEntries(
        (await Promise.all(found)).filter((one): one is [string, string] => one[1] !== undefined),
      )
    },

    /** The needs of those of these modules that lie in the instance's folder. */
    async needsIn(id: string, names: readonly string[]): Promise<Record<string, ModuleNeeds>> {
      const { userDir } = paths(id)
      const found = names.filter(isModuleName).map(async (name) => [name, await needsOf(userDir, name)] as const)
      return Object.fromEntries(
        (await Promise.all(found)).filter((one): one is [string, ModuleNeeds] => one[1] !== undefined),
      )
    },

    collect,
  }
}

interface Plan {
  note: Noted
  unchanged: boolean
}

const isEmpty = (modules: Modules) => Object.keys(modules).length === 0

const sameSurroundings = (one: Surroundings, other: Surroundings) =>
  one.nodeMajor === other.nodeMajor && one.noderedMajor === other.noderedMajor && one.scripts === other.scripts

const sameNote = (one: Noted, other: Noted) =>
  sameModules(one.modules, other.modules) &&
  sameModules(one.palette, other.palette) &&
  sameModules(one.agreed ?? {}, other.agreed ?? {}) &&
  sameSurroundings(one, other)

async function withRoom(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isDiskFull(error)) throw error
    throw new DriverError('disk_full', 'There is not enough disk space for the modules', { cause: error })
  }
}
