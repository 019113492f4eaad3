import { execFile } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DriverError, type Report } from '../../driver.ts'
import type { Config } from '../config.ts'
import { exactVersion, explainStack } from './stack.errors.ts'
import type { Npm } from '../npm/npm.ts'
import { ownerMark } from '../process/identity.ts'

/** Since then Node.js runs the TypeScript of the instance runtime without being asked to. */
const least = { major: 22, minor: 18 }
const link = 'node'
const checkMs = 10_000

/** The Node.js that the Node-RED in this folder runs on: one of its own, or the one of the platform. */
export function nodeIn(folder: string): string {
  const own = join(folder, link)
  return existsSync(own) ? realpathSync(own) : process.execPath
}

/** Its version, such as 24.21.0. */
export function nodeVersionIn(folder: string): string {
  const own = join(folder, link)
  if (!existsSync(own)) return process.versions.node
  return (JSON.parse(readFileSync(join(realpathSync(own), '../../package.json'), 'utf8')) as { version: string })
    .version
}

/** @throws DriverError unknown_version for one that could not run instances. */
export function checkNodeVersion(version: string): void {
  const [, major = 0, minor = 0] = /^(\d+)\.(\d+)\./.exec(version)?.map(Number) ?? []
  if (!exactVersion.test(version))
    throw new DriverError('unknown_version', 'A stack needs an exact version of Node.js, such as 24.21.0')
  if (major < least.major || (major === least.major && minor < least.minor))
    throw new DriverError('unknown_version', `Node.js ${version} is too old: instances need 22.18 or newer`)
}

/**
 * Fetches a Node.js as npm's package of it, whose contents npm checks against the registry's, and tries whether it
 * runs here. Shared by all stacks that want it.
 * @throws DriverError
 */
export async function installNode(config: Config, npm: Npm, version: string, report: Report): Promise<void> {
  const folder = nodeFolder(config, version)
  if (existsSync(folder)) return
  const name = `node-${process.platform}-${process.arch}`
  report({ text: `Fetching Node.js ${version}` })
  const partial = await mkdtemp(join(config.stacksDir, `node-${version}.partial-${ownerMark()}-`))
  try {
    const dependencies = { [name]: version }
    await writeFile(join(partial, 'package.json'), JSON.stringify({ name: 'node', private: true, dependencies }))
    await npm.run({ folder: partial, args: ['install'], explain: explainStack(`Node.js ${version}`) })
    const lock = JSON.parse(await readFile(join(partial, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version?: string; integrity?: string }>
    }
    const entry = lock.packages[`node_modules/${name}`]
    if (entry?.version !== version || !entry.integrity)
      throw new DriverError('install_failed', `Node.js ${version} cannot be checked: the registry gives no checksum`)
    await checkRuns(join(partial, 'node_modules', name, 'bin', 'node'), version)
    if (!existsSync(folder)) await rename(partial, folder)
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

/** Lets a folder of Node-RED run on a Node.js that was installed before. */
export async function useNode(folder: string, version: string): Promise<void> {
  const name = `node-${process.platform}-${process.arch}`
  await symlink(join('..', `node-${version}`, 'node_modules', name, 'bin', 'node'), join(folder, link))
}

export const hasNode = (config: Config, version: string) => existsSync(nodeFolder(config, version))

const nodeFolder = ({ stacksDir }: Config, version: string) => join(stacksDir, `node-${version}`)

async function checkRuns(node: string, version: string): Promise<void> {
  const said = await promisify(execFile)(node, ['--version'], { timeout: checkMs, env: {} }).catch((cause: Error) => {
    throw new DriverError('install_failed', `Node.js ${version} was fetched, but does not run on this machine`, {
      cause,
    })
  })
  if (said.stdout.trim() !== `v${version}`)
    throw new DriverError('install_failed', `npm installed Node.js ${said.stdout.trim()} instead of ${version}`)
}
