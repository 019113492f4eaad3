import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { DriverError, type Report, type StackSpec } from '../../driver.ts'
import type { Config } from '../config.ts'
import { flush } from '../files/flush.ts'
import { isOwned, ownerMark } from '../process/identity.ts'
import type { Npm } from '../npm/npm.ts'
import { isDiskFull } from '../npm/npm.errors.ts'
import { countFetches, countPackages, fetchForms } from '../npm/npm.progress.ts'
import { createSharedWork } from './shared.work.ts'
import { exactVersion, explainStack } from './stack.errors.ts'
import { copyShipped, findShipped } from '../../shipped.ts'
import { checkNodeVersion, hasNode, installNode, nodeIn, nodeVersionIn, useNode } from './stack.node.ts'
import { train } from '../pool/training.ts'

const nameOf = ({ nodered, nodejs }: StackSpec) => (nodejs === undefined ? nodered : `${nodered}-node${nodejs}`)

/**
 * Node-RED installations, one folder per version and Node.js, shared by all instances. One that has its name has
 * been started on trial.
 */
export function createStacks(config: Config, npm: Npm) {
  const shared = createSharedWork<void>()
  const folder = (stack: StackSpec) => join(config.stacksDir, nameOf(stack))

  function has(stack: StackSpec): boolean {
    const { nodered, nodejs } = stack
    if (!exactVersion.test(nodered) || installedVersion(folder(stack)) !== nodered) return false
    return nodejs === undefined || (exactVersion.test(nodejs) && hasNode(config, nodejs))
  }

  return {
    has,
    /** Did its Node-RED come with the platform, so that installing it needs no network? */
    isShipped: ({ nodered, nodejs }: StackSpec) =>
      nodejs === undefined && config.shipped !== undefined && findShipped(config.shipped, nodered) !== undefined,
    /** Folder whose node_modules/node-red is run. */
    folder,
    /** The Node.js that runs it. */
    nodeOf: (stack: StackSpec) => ({ path: nodeIn(folder(stack)), version: nodeVersionIn(folder(stack)) }),

    /** Installs a stack unless it is there; whoever asks meanwhile waits for the same installation. */
    async install(stack: StackSpec, report: Report): Promise<void> {
      if (!exactVersion.test(stack.nodered))
        throw new DriverError('unknown_version', 'A stack needs an exact version of Node-RED, such as 5.0.7')
      if (stack.nodejs !== undefined) checkNodeVersion(stack.nodejs)
      if (!has(stack)) await shared(nameOf(stack), report, (tell) => install(config, npm, stack, folder(stack), tell))
    },
  }
}

/** In a folder of another name, which gets its own when everything is in place: a kill leaves no half stack. */
async function install(config: Config, npm: Npm, stack: StackSpec, target: string, report: Report): Promise<void> {
  const { nodered, nodejs } = stack
  await mkdir(config.stacksDir, { recursive: true })
  await removeAbandoned(config.stacksDir)
  if (nodejs !== undefined) await installNode(config, npm, nodejs, report)
  const partial = await mkdtemp(join(config.stacksDir, `${nameOf(stack)}.partial-${ownerMark()}-`))
  try {
    const total =
      (await takeShipped(config, partial, nodered, report)) ?? (await fetchNodeRed(npm, partial, nodered, report))
    if (nodejs !== undefined) await useNode(partial, nodejs)
    report({ text: `Checking Node-RED ${nodered}`, done: total, total })
    verify(partial, nodered)
    report({ text: `Testing Node-RED ${nodered}`, done: total, total, verifying: true })
    await train(config, partial)
    await flush(partial)
    // The folder under this name is broken, or another process was faster; either way this one is whole.
    if (existsSync(target)) await rename(target, `${partial}.old`)
    await rename(partial, target)
  } catch (error) {
    if (isDiskFull(error))
      throw new DriverError('disk_full', 'There is not enough disk space to install Node-RED', { cause: error })
    throw error
  } finally {
    await rm(partial, { recursive: true, force: true })
    await rm(`${partial}.old`, { recursive: true, force: true })
  }
}

/** Returns the number of packages; undefined if this version did not come with the platform. */
async function takeShipped(config: Config, folder: string, version: string, report: Report) {
  const packages = config.shipped && findShipped(config.shipped, version)
  if (!config.shipped || !packages) return undefined
  report({ text: `Copying Node-RED ${version}`, done: 0, total: packages.length })
  await copyShipped(config.shipped, packages, folder)
  return packages.length
}

/** Returns the number of packages. */
async function fetchNodeRed(npm: Npm, folder: string, version: string, report: Report): Promise<number> {
  const explain = explainStack(`Node-RED ${version}`)
  const onQueued = () => report({ text: 'Waiting for another installation' })
  const manifest = { name: 'stack', private: true, dependencies: { 'node-red': version } }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  const text = `Looking up what Node-RED ${version} needs`
  report({ text })
  const looked = countFetches(fetchForms.any, (done) => report({ text, done }))
  await npm.run({ folder, args: ['install', '--package-lock-only'], explain, onLine: looked, onQueued })
  const total = countPackages(await readFile(join(folder, 'package-lock.json'), 'utf8'))
  const fetched = countFetches(fetchForms.package, (done) =>
    report({ text: `Installing Node-RED ${version}`, done: Math.min(done, total), total }),
  )
  await npm.run({ folder, args: ['ci'], explain, onLine: fetched, onQueued })
  return total
}

/** Half installations of processes that are no more. An npm of theirs may still be writing: then the next time. */
async function removeAbandoned(stacksDir: string): Promise<void> {
  for (const name of await readdir(stacksDir)) {
    if (name.includes('.partial-') && !isOwned(name))
      await rm(join(stacksDir, name), { recursive: true, force: true }).catch(() => {})
  }
}

function verify(folder: string, version: string): void {
  const found = installedVersion(folder)
  if (found !== version)
    throw new DriverError('install_failed', `npm installed Node-RED ${found ?? 'not at all'} instead of ${version}`)
  const node = nodeVersionIn(folder)
  const needs = manifestIn(folder)?.engines?.node ?? ''
  if (isOlder(node, needs))
    throw new DriverError('node_too_old', `Node-RED ${version} needs Node.js ${needs}, and its stack has ${node}`)
  try {
    createRequire(join(folder, 'package.json')).resolve('node-red')
  } catch (error) {
    throw new DriverError('install_failed', `Node-RED ${version} was installed, but cannot be loaded`, { cause: error })
  }
}

/** Is a version below a range of the form `>=a.b.c`? Other forms are left to the trial. */
function isOlder(version: string, range: string): boolean {
  const wanted = /^>=\s*(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(range.trim())?.slice(1)
  if (!wanted) return false
  const has = version.split('.').map(Number)
  for (const [at, part = '0'] of wanted.entries()) {
    const difference = (has[at] ?? 0) - Number(part)
    if (difference !== 0) return difference < 0
  }
  return false
}

const installedVersion = (folder: string) => manifestIn(folder)?.version

function manifestIn(folder: string): { version: string; engines?: { node?: string } } | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'node_modules', 'node-red', 'package.json'), 'utf8'))
  } catch {
    return undefined
  }
}
