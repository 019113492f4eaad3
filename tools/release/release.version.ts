import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const form = /^(\d+)\.(\d+)\.(\d+)$/

/** A release cannot be made as things are. The message is for people. */
export class NotReleased extends Error {
  override name = 'NotReleased'
}

/** The version of the manifest in the root of the project. */
export const versionIn = (root: string): string =>
  (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version

/** @throws NotReleased for a version that is not newer than the current one, or is in another form. */
export function checkNewer(wanted: string, current: string): void {
  if (!form.test(wanted)) throw new NotReleased(`"${wanted}" is no version: three numbers, such as 1.2.3.`)
  const [theirs, ours] = [wanted, current].map((version) => version.split('.').map(Number)) as [number[], number[]]
  const at = theirs.findIndex((part, index) => part !== ours[index])
  if (at === -1 || theirs[at]! < ours[at]!)
    throw new NotReleased(`${wanted} is not newer than ${current}, the version of this tree.`)
}

/** Checks the texts that people write before a release. @throws NotReleased naming what is missing. */
export function checkTexts(root: string, version: string): void {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  if (!read('CHANGELOG.md').includes(`\n## ${version}\n`))
    throw new NotReleased(`CHANGELOG.md has no section "## ${version}". Write what changed for users.`)
  if (!read('SECURITY.md').includes(`| ${version.replace(/\d+$/, 'x')} | yes |`))
    throw new NotReleased(
      `SECURITY.md does not support ${version.replace(/\d+$/, 'x')}. Add it to the table of versions.`,
    )
}

/** The section of the changelog about a version, without its title. */
export const notesOf = (root: string, version: string): string =>
  readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(`\n## ${version}\n`)[1]!.split('\n## ')[0]!.trim().concat('\n')

/** Files with their new contents, by their paths: everything that names the version. */
export function withVersion(root: string, from: string, to: string): Map<string, string> {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const changed = new Map<string, string>()
  const manifests = globSync(
    [
      'package.json',
      '{apps,packages}/*/package.json',
      '{e2e,bench}/package.json',
      'packages/nodered/src/team-library/package.json',
    ],
    { cwd: root },
  )
  for (const path of manifests.toSorted())
    changed.set(path, read(path).replace(`"version": "${from}"`, `"version": "${to}"`))
  const lock = JSON.parse(read('package-lock.json')) as {
    version: string
    packages: Record<string, { version?: string }>
  }
  lock.version = to
  for (const [folder, entry] of Object.entries(lock.packages))
    if (!folder.includes('node_modules/') && entry.version === from) entry.version = to
  changed.set('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
  for (const path of ['compose.yaml', 'docs/install.md', 'docs/quick-start.md'])
    changed.set(
      path,
      read(path).replaceAll(new RegExp(`(flowforge[-:])${from.replaceAll('.', '\\.')}`, 'g'), `$1${to}`),
    )
  return new Map([...changed].filter(([path, text]) => text !== read(path)))
}
