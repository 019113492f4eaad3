import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../build/built.ts'

/** The first version that people could use. Its data is in apps/server/testing/first-version, with how it was made. */
export const firstVersion = 'd8c13e12'

/** Does this clone hold the commit? A shallow one, with the newest commit alone, does not. */
export const hasCommit = (commit: string): boolean =>
  spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).status === 0

/**
 * Unpacks the sources of a former version into an empty folder, to be run from there. They run with the libraries of this
 * version: one that later versions dropped would be missing.
 */
export function unpackCommit(commit: string, folder: string): void {
  const sources = execFileSync('git', ['archive', commit, 'apps', 'packages', 'tools', 'package.json'], {
    cwd: root,
    maxBuffer: 256 * 1024 * 1024,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: sources })
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@app'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@app') symlinkSync(join(root, 'node_modules', name), join(modules, name))
  // The packages of the repository itself are those of the former version.
  for (const group of ['apps', 'packages'])
    for (const name of readdirSync(join(folder, group))) {
      const manifest = join(folder, group, name, 'package.json')
      if (!existsSync(manifest)) continue
      const { name: full } = JSON.parse(readFileSync(manifest, 'utf8')) as { name: string }
      symlinkSync(join(folder, group, name), join(modules, full))
    }
}
