import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { DriverError, type Report, type StackSpec } from '../driver.ts'
import type { Config } from './config.ts'
import { identityOf } from './identity.ts'
import { runNpm } from './npm.ts'

/** The npm registry has exact versions only in this form; anything else could be an option or an address. */
const exactVersion = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/
/** `http` makes npm tell of each download, which is the progress there is. */
const options = [
  '--loglevel=http',
  '--ignore-scripts',
  '--omit=dev',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--fetch-retries=2',
  '--fetch-retry-mintimeout=500',
  '--fetch-retry-maxtimeout=5000',
]

/** Node-RED installations, one folder per version, shared by all instances. */
export function createStacks(config: Config) {
  const installing = new Map<string, { done: Promise<void>; reports: Set<Report> }>()
  const folderOf = (version: string) => join(config.stacksDir, version)

  function has({ nodered }: StackSpec): boolean {
    return exactVersion.test(nodered) && installedVersion(folderOf(nodered)) === nodered
  }

  return {
    has,
    /** Folder whose node_modules/node-red is run. */
    folder: ({ nodered }: StackSpec) => folderOf(nodered),

    /** Installs a stack unless it is there; whoever asks meanwhile waits for the same installation. */
    async install(stack: StackSpec, report: Report): Promise<void> {
      const version = stack.nodered
      if (!exactVersion.test(version))
        throw new DriverError('unknown_version', 'A stack needs an exact version of Node-RED, such as 5.0.7')
      if (has(stack)) return
      let current = installing.get(version)
      if (!current) {
        const reports = new Set<Report>()
        const tell: Report = (progress) => reports.forEach((one) => one(progress))
        current = { reports, done: install(config, version, tell).finally(() => installing.delete(version)) }
        installing.set(version, current)
      }
      current.reports.add(report)
      try {
        await current.done
      } finally {
        current.reports.delete(report)
      }
    },
  }
}

/** In a folder of another name, which gets its own when everything is in place: a kill leaves no half stack. */
async function install(config: Config, version: string, report: Report): Promise<void> {
  await mkdir(config.stacksDir, { recursive: true })
  await removeAbandoned(config.stacksDir)
  const partial = await mkdtemp(join(config.stacksDir, `${version}.partial-${process.pid}-`))
  const target = join(config.stacksDir, version)
  try {
    await writeFile(
      join(partial, 'package.json'),
      JSON.stringify({ private: true, dependencies: { 'node-red': version } }),
    )
    const lookUp = `Looking up what Node-RED ${version} needs`
    report({ text: lookUp })
    await runNpm(
      config.npm,
      partial,
      ['install', '--package-lock-only', ...options],
      countFetches(/https?:\S+/, (done) => report({ text: lookUp, done })),
    )
    const total = await countPackages(partial)
    const fetched = (done: number) =>
      report({ text: `Installing Node-RED ${version}`, done: Math.min(done, total), total })
    await runNpm(config.npm, partial, ['ci', ...options], countFetches(/https?:\S+\.tgz/, fetched))
    report({ text: `Checking Node-RED ${version}`, done: total, total })
    verify(partial, version)
    // What is there under this name is broken, or another process was faster; either way this one is whole.
    if (existsSync(target)) await rename(target, `${partial}.old`)
    await rename(partial, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
      throw new DriverError('disk_full', 'There is not enough disk space to install Node-RED', { cause: error })
    throw error
  } finally {
    await rm(partial, { recursive: true, force: true })
    await rm(`${partial}.old`, { recursive: true, force: true })
  }
}

/** Packages that npm will fetch: those that are not inside others and not only for other systems. */
async function countPackages(folder: string): Promise<number> {
  const { packages } = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { inBundle?: boolean; os?: string[]; cpu?: string[]; libc?: string[] }>
  }
  const here = (list: string[] | undefined, own: string) => list === undefined || list.includes(own)
  return Object.entries(packages).filter(
    ([path, { inBundle, os, cpu }]) =>
      path !== '' && !inBundle && here(os, process.platform) && here(cpu, process.arch),
  ).length
}

/** Counts the different addresses of this form in npm's log. */
function countFetches(form: RegExp, onCount: (count: number) => void): (line: string) => void {
  const seen = new Set<string>()
  return (line) => {
    const [address] = (line.startsWith('npm http') && form.exec(line)) || []
    if (!address || seen.has(address)) return
    seen.add(address)
    onCount(seen.size)
  }
}

/** Half installations of processes that are no more. */
async function removeAbandoned(stacksDir: string): Promise<void> {
  for (const name of await readdir(stacksDir)) {
    const [, pid] = /\.partial-(\d+)-/.exec(name) ?? []
    if (pid && !identityOf(Number(pid))) await rm(join(stacksDir, name), { recursive: true, force: true })
  }
}

function verify(folder: string, version: string): void {
  const found = installedVersion(folder)
  if (found !== version)
    throw new DriverError('install_failed', `npm installed Node-RED ${found ?? 'not at all'} instead of ${version}`)
  try {
    createRequire(join(folder, 'package.json')).resolve('node-red')
  } catch (error) {
    throw new DriverError('install_failed', `Node-RED ${version} was installed, but cannot be loaded`, { cause: error })
  }
}

function installedVersion(folder: string): string | undefined {
  try {
    return (
      JSON.parse(readFileSync(join(folder, 'node_modules', 'node-red', 'package.json'), 'utf8')) as { version: string }
    ).version
  } catch {
    return undefined
  }
}
