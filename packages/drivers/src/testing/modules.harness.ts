import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Progress } from '../driver.ts'
import { createModules } from '../local/modules/modules.ts'
import { withoutNewPrivileges } from '../local/confinement/no-new-privs.ts'
import { createNpm } from '../local/npm/npm.ts'
import { pathsOf } from '../local/paths.ts'
import { startRegistryDouble } from './registry.double.ts'

interface Options {
  command?: string
  args?: string[]
  limitMs?: number
}

/** Modules of instances from a registry of their own; `oven` needs `fan`. */
export async function openModules({ command = 'npm', args = [], limitMs = 60_000 }: Options = {}) {
  const home = await mkdtemp(join(tmpdir(), 'forge-modules-'))
  const registry = await startRegistryDouble()
  registry.publish('fan', '2.0.0')
  registry.publish('oven', '1.0.0', {}, { dependencies: { fan: '^2.0.0' } })
  registry.publish('oven', '1.1.0', { 'bin.js': '' }, { dependencies: { fan: '^2.0.0' }, bin: 'bin.js' })
  registry.publish('lamp', '3.2.1')
  registry.publish('picky', '1.0.0', {}, { peerDependencies: { oven: '^9.0.0' } })
  const npm = createNpm(
    { command, args: [...args, `--registry=${registry.url}`, `--cache=${join(home, 'cache')}`] },
    { limitMs, wrap: withoutNewPrivileges() },
  )
  const instancesDir = join(home, 'instances')
  const node = { path: process.execPath, version: '24.1.0' }
  const modules = createModules({
    folder: join(home, 'modules'),
    instancesDir,
    npm,
    nodeOf: ({ nodejs }) => (nodejs === undefined ? node : { ...node, version: nodejs }),
    ownerOf: () => undefined,
    lend: () => (process.getuid?.() === 0 ? { uid: 199_999, gid: 199_999 } : undefined),
  })
  const said: Progress[] = []
  const specOf = (id: string, list: Record<string, string>) => ({
    id,
    stack: { nodered: '5.0.7', memory: 256 },
    modules: list,
  })
  const at = (id: string) => pathsOf(instancesDir, id)
  const path = (id: string, ...parts: string[]) => join(at(id).userDir, ...parts)
  const dependencies = (id: string) =>
    (JSON.parse(readFileSync(path(id, 'package.json'), 'utf8')) as { dependencies: Record<string, string> })
      .dependencies
  return {
    home,
    registry,
    npm,
    modules,
    said,
    specOf,
    at,
    path,
    dependencies,
    /** The version the instance would load under this name. */
    version: (id: string, name: string) => {
      const file = path(id, 'node_modules', name, 'package.json')
      return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : undefined
    },
    prepare: (id: string, list: Record<string, string>) =>
      modules.prepare(specOf(id, list), (progress) => said.push(progress)),
    start: (id: string, list: Record<string, string>) => modules.apply(specOf(id, list)),
    /** As the palette manager does it inside the editor. */
    async install(id: string, name: string, version: string) {
      await mkdir(path(id, 'node_modules', name), { recursive: true })
      await writeFile(path(id, 'node_modules', name, 'package.json'), JSON.stringify({ name, version }))
      const all = { ...(existsSync(path(id, 'package.json')) ? dependencies(id) : {}), [name]: `~${version}` }
      await writeFile(path(id, 'package.json'), JSON.stringify({ name: 'mine', dependencies: all }))
    },
    async close() {
      npm.close()
      await registry.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}
