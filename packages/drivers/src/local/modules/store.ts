import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DriverError, type Report } from '../../driver.ts'
import { flush } from '../files/flush.ts'
import { isOwned, ownerMark } from '../process/identity.ts'
import { type Npm, type NpmTask } from '../npm/npm.ts'
import { isDiskFull } from '../npm/npm.errors.ts'
import { countFetches, countPackages, fetchForms } from '../npm/npm.progress.ts'
import { createSharedWork } from '../stacks/shared.work.ts'
import { explainModules } from './errors.ts'
import { runScripts } from './scripts.ts'
import { isKey, keyOf, type Modules, questionOf, type Surroundings } from './set.ts'
import { type Owner, sealTree, staysInside, type Tree } from './tree.ts'

/** An installed set of modules. `folder` holds node_modules, package-lock.json and tree.json. */
export interface StoredSet {
  key: string
  folder: string
}

export interface Wanted extends Surroundings {
  modules: Modules
  /** The Node.js for which install scripts build. */
  node: string
}

export type Store = ReturnType<typeof createStore>

const unusedMs = 7 * 24 * 60 * 60_000

/**
 * Sets of modules, each installed once and then shared by all instances that want the same: `sets/<key>`, and under
 * `locks` which versions the ranges of a list have been found to mean. `userFor` gives the user as whom install scripts
 * run in a folder.
 */
export function createStore(folder: string, npm: Npm, userFor: (folder: string) => Owner | undefined) {
  const sets = join(folder, 'sets')
  const locks = join(folder, 'locks')
  const shared = createSharedWork<StoredSet>()
  const isWhole = (set: StoredSet) => existsSync(join(set.folder, 'tree.json'))
  const setOf = (key: string): StoredSet => ({ key, folder: join(sets, key) })

  const lockOf = ({ modules }: Wanted) => join(locks, `${questionOf(modules)}.json`)

  async function find(wanted: Wanted): Promise<StoredSet | undefined> {
    const lock = await readLock(lockOf(wanted))
    const set = lock === undefined ? undefined : setOf(keyOf(lock, wanted))
    return set && isWhole(set) ? set : undefined
  }

  /** A version that was chosen once may have been taken back since: then the question is asked anew. */
  async function installAfresh(wanted: Wanted, report: Report): Promise<StoredSet> {
    try {
      return await install(wanted, report)
    } catch (error) {
      const gone = error instanceof DriverError && ['module_missing', 'module_version'].includes(error.code)
      if (!gone || !existsSync(lockOf(wanted))) throw error
      await rm(lockOf(wanted))
      return install(wanted, report)
    }
  }

  /** In a folder of another name, which gets its own when everything is in place: a kill leaves no half set. */
  async function install(wanted: Wanted, report: Report): Promise<StoredSet> {
    // Nobody can see what there is, but the user that install scripts run as has to get in.
    for (const path of [folder, sets, locks]) await mkdir(path, { recursive: true, mode: 0o711 })
    await removeAbandoned(sets)
    const partial = await mkdtemp(join(sets, `partial-${ownerMark()}-`))
    await chmod(partial, 0o711)
    try {
      const looked = await resolve(wanted, partial, report)
      const known = setOf(keyOf(looked, wanted))
      if (isWhole(known)) return known
      const lock = await fetchAll(wanted, partial, looked, report)
      const set = setOf(keyOf(lock, wanted))
      if (isWhole(set)) return set
      await rm(set.folder, { recursive: true, force: true })
      const total = countPackages(lock)
      if (wanted.scripts) {
        report({ text: 'Running install scripts', done: total, total })
        await runScripts(npm, partial, {
          modules: wanted.modules,
          nodeDir: dirname(wanted.node),
          user: userFor(partial),
        })
      }
      await seal(partial, wanted.modules)
      await flush(partial)
      await rename(partial, set.folder).catch((error: NodeJS.ErrnoException) => {
        // Another process was faster, with the same content.
        if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
      })
      return set
    } catch (error) {
      if (isDiskFull(error))
        throw new DriverError('disk_full', 'There is not enough disk space to install the modules', { cause: error })
      throw error
    } finally {
      await rm(partial, { recursive: true, force: true })
    }
  }

  /**
   * Fetches what the lock file names. npm refuses a lock file of its own where a module bundles packages that do not
   * fit each other; it installs them all the same when it is asked as the palette manager of Node-RED asks. Returns
   * the lock file as it is then.
   */
  async function fetchAll(wanted: Wanted, partial: string, lock: string, report: Report): Promise<string> {
    const total = countPackages(lock)
    const fetched = (done: number) => report({ text: 'Installing the modules', done: Math.min(done, total), total })
    fetched(0)
    const run = (command: string) =>
      runNpm(wanted, partial, [command], report, countFetches(fetchForms.package, fetched))
    try {
      await run('ci')
      return lock
    } catch (error) {
      if (!(error instanceof DriverError) || error.code !== 'install_unsynced') throw error
    }
    await run('install')
    const after = await readFile(join(partial, 'package-lock.json'), 'utf8')
    if (after !== lock) await keepLock(wanted, partial, after)
    return after
  }

  async function keepLock(wanted: Wanted, partial: string, lock: string): Promise<void> {
    await writeFile(`${partial}.lock`, lock)
    await rename(`${partial}.lock`, lockOf(wanted))
  }

  /** Finds out, once for all, which versions the ranges mean. */
  async function resolve(wanted: Wanted, partial: string, report: Report): Promise<string> {
    const manifest = { name: 'modules', private: true, dependencies: wanted.modules }
    await writeFile(join(partial, 'package.json'), JSON.stringify(manifest))
    const own = join(partial, 'package-lock.json')
    const known = await readLock(lockOf(wanted))
    if (known !== undefined) {
      await writeFile(own, known)
      return known
    }
    const text = 'Looking up the modules'
    report({ text })
    const looked = countFetches(fetchForms.any, (done) => report({ text, done }))
    await runNpm(wanted, partial, ['install', '--package-lock-only'], report, looked)
    const found = await readFile(own, 'utf8')
    await keepLock(wanted, partial, found)
    return found
  }

  /** A later request for just these versions needs no npm. */
  async function keepExact(wanted: Wanted, { folder: at }: StoredSet): Promise<void> {
    const lock = JSON.parse(await readFile(join(at, 'package-lock.json'), 'utf8')) as {
      packages?: Record<string, { version?: string; dependencies?: Modules }>
    }
    const { '': root, ...packages } = lock.packages ?? {}
    const found = Object.keys(wanted.modules).map((name) => [name, packages[`node_modules/${name}`]?.version] as const)
    const modules = Object.fromEntries(found.filter((one): one is [string, string] => one[1] !== undefined))
    const path = lockOf({ ...wanted, modules })
    if (Object.keys(modules).length !== found.length || existsSync(path)) return
    const exact = { ...lock, packages: { '': { ...root, dependencies: modules }, ...packages } }
    await writeFile(`${path}.${process.pid}`, JSON.stringify(exact))
    await rename(`${path}.${process.pid}`, path)
  }

  const runNpm = (
    { modules }: Wanted,
    partial: string,
    args: string[],
    report: Report,
    onLine: NonNullable<NpmTask['onLine']>,
  ) =>
    npm.run({
      folder: partial,
      args,
      explain: explainModules(Object.keys(modules)),
      onLine,
      onQueued: () => report({ text: 'Waiting for another installation' }),
    })

  return {
    find,

    /**
     * The set for a list of modules: from the store, or installed by npm. Whoever asks meanwhile waits for the same.
     * @throws DriverError with a sentence for the person.
     */
    async ensure(wanted: Wanted, report: Report): Promise<StoredSet> {
      const { nodeMajor, noderedMajor, scripts } = wanted
      const name = [questionOf(wanted.modules), nodeMajor, noderedMajor, scripts].join()
      const known = await find(wanted)
      const set = known ?? (await shared(name, report, (tell) => installAfresh(wanted, tell)))
      if (!known) await keepExact(wanted, set)
      // The cleanup of unused sets goes by this time.
      await utimes(set.folder, new Date(), new Date())
      return set
    },

    treeOf: async ({ folder: at }: StoredSet) => JSON.parse(await readFile(join(at, 'tree.json'), 'utf8')) as Tree,

    /** Removes sets that no instance has and nobody has asked for in a week, and the notes that led to them. */
    async collect(used: ReadonlySet<string>, now: number): Promise<void> {
      const old = async (path: string) => now - (await stat(path)).mtimeMs > unusedMs
      for (const name of await readdir(sets).catch(() => []))
        if (isKey(name) && !used.has(name) && (await old(join(sets, name))))
          await rm(join(sets, name), { recursive: true, force: true })
      const left = (await readdir(sets).catch(() => [])).map((name) => name.slice(0, 32))
      for (const name of await readdir(locks).catch(() => [])) {
        const path = join(locks, name)
        const lock = await readLock(path)
        const key = lock && contentsOf(lock)
        if (!key || ((await old(path)) && !left.includes(key))) await rm(path, { force: true })
      }
    },
  }
}

/** The part of a key that tells the versions; undefined for a lock file that nothing can be installed from. */
function contentsOf(lock: string): string | undefined {
  try {
    return keyOf(lock, { nodeMajor: 0, noderedMajor: 0, scripts: false }).slice(0, 32)
  } catch {
    return undefined
  }
}

/** Undefined when there is none, or one that a power cut has damaged. */
async function readLock(path: string): Promise<string | undefined> {
  try {
    const text = await readFile(path, 'utf8')
    JSON.parse(text)
    return text
  } catch {
    return undefined
  }
}

/** Looks whether everything is there, and makes it unchangeable. */
async function seal(folder: string, modules: Modules): Promise<void> {
  const root = join(folder, 'node_modules')
  await mkdir(root, { recursive: true })
  for (const name of Object.keys(modules))
    if (!existsSync(join(root, name, 'package.json')))
      throw new DriverError('install_failed', `npm did not install ${name}`)
  const tree = await sealTree(root)
  const stray = tree.links.find((link) => !staysInside(link))
  if (stray) throw new DriverError('install_failed', `A module leads out of its folder: ${stray[0]}`)
  await writeFile(join(folder, 'tree.json'), JSON.stringify(tree))
}

/** Half installations of processes that are no more. An npm of theirs may still be writing: then the next time. */
async function removeAbandoned(sets: string): Promise<void> {
  for (const name of await readdir(sets)) {
    if (name.startsWith('partial-') && !isOwned(name))
      await rm(join(sets, name), { recursive: true, force: true }).catch(() => {})
  }
}
