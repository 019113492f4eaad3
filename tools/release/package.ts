import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { buildAll } from '../build/build.ts'
import { root } from '../build/built.ts'
import { bundle } from '../build/node-build.ts'
import { shipped } from '../gen/notice.ts'
import {
  copyShipped,
  findLinkNodes,
  findShipped,
  linkNodesPackage,
  shippedVersion,
} from '../../packages/drivers/src/shipped.ts'
import { licencesText } from './licences.ts'
import { readLock, shippedBy } from './lock.ts'

const dist = join(root, 'dist')
const stage = join(dist, 'package')

interface Manifest {
  version: string
  description: string
  license: string
  optionalDependencies: Record<string, string>
}

/** Copied as they are. */
const copied = [
  'apps/web/dist',
  'apps/server/dist',
  'apps/instance-runtime/dist',
  'apps/broker/dist',
  'apps/agent/dist',
  'apps/agent/files',
  'apps/agent/Dockerfile',
  'packages/nodered/src/theme',
  'packages/nodered/src/team-library',
  'apps/server/migrations/checksums.json',
  'docs',
  'LICENSE',
  'NOTICE',
  'CHANGELOG.md',
  'SECURITY.md',
]

/** Pages for developers, and what the build notes for itself. The handbook is in apps/web/dist. */
const unneeded = /^\/docs\/(generated|images|decisions|specification)$|\/\.sources$|\.test\.ts$/

/**
 * Makes dist/flowforge-<version>.tgz: server, console and runtime as they are built, and nothing that only development
 * needs. @returns its path.
 */
export async function makePackage(): Promise<string> {
  await buildAll()
  rmSync(stage, { recursive: true, force: true })
  mkdirSync(stage, { recursive: true })
  for (const path of copied)
    cpSync(join(root, path), join(stage, path), {
      recursive: true,
      filter: (from) => !unneeded.test(from.slice(root.length)),
    })
  await buildMigrations()
  await copyNodeRed(stage)
  copyProgram()
  const manifest = readManifest()
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifestOf(manifest), null, 2)}\n`)
  writeFileSync(join(stage, 'README.md'), readMe(manifest.version))
  const lock = readLock(root)
  writeFileSync(
    join(stage, 'THIRD-PARTY-LICENSES.txt'),
    licencesText(root, shippedBy(lock, [...shipped, 'packages/nodered'])),
  )
  console.log('Packing: usually 15 seconds …')
  // The image is made from the one package that is there.
  for (const old of globSync('flowforge-*.tgz', { cwd: dist })) rmSync(join(dist, old))
  const file = join(dist, `flowforge-${manifest.version}.tgz`)
  pack(stage, file)
  rmSync(stage, { recursive: true })
  return file
}

/** As npm packs, in a fraction of its time. The same sources give the same bytes. */
function pack(folder: string, file: string): void {
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--mode=u=rwX,go=rX']
  execFileSync('tar', ['-c', ...same, '--transform=s,^\\.,package,', '-C', folder, '-I', 'gzip -n6', '-f', file, '.'])
}

export const readManifest = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest

/** The version of Node-RED that comes along. */
const nodeRed = (): string =>
  (
    JSON.parse(readFileSync(join(root, 'apps/instance-runtime/package.json'), 'utf8')) as {
      dependencies: { 'node-red': string }
    }
  ).dependencies['node-red']

/** With all it needs, as the lock file has it: the first instance then needs no network. */
async function copyNodeRed(folder: string): Promise<void> {
  const packages = findShipped(root, nodeRed())
  if (!findLinkNodes(root)) throw new Error(`${linkNodesPackage} is not installed. Run npm ci first.`)
  if (!packages) throw new Error(`Node-RED ${nodeRed()} is not installed. Run npm ci first.`)
  await copyShipped(root, [...new Set([...packages, ...findLinkNodes(root)!])], folder)
}

const manifestOf = ({ version, description, license, optionalDependencies }: Manifest) => ({
  name: 'flowforge',
  version,
  description,
  license,
  type: 'module',
  bin: { flowforge: 'bin/flowforge' },
  os: ['linux'],
  dependencies: { 'node-red': nodeRed(), [linkNodesPackage]: shippedVersion(root, linkNodesPackage)! },
  bundleDependencies: ['node-red', linkNodesPackage],
  // Node.js itself, for machines whose own is older.
  optionalDependencies,
})

/** Node.js does not strip types below node_modules, so an installed package holds JavaScript. */
async function buildMigrations(): Promise<void> {
  const folder = join(stage, 'apps/server/migrations')
  const names = globSync('apps/server/migrations/[0-9]*.ts', { cwd: root })
  const entries = Object.fromEntries(names.map((path) => [basename(path, '.ts'), path]))
  await bundle(entries, join(folder, 'built'))
  cpSync(join(folder, 'built'), folder, { recursive: true })
  rmSync(join(folder, 'built'), { recursive: true })
}

function copyProgram(): void {
  const program = join(stage, 'bin/flowforge')
  mkdirSync(dirname(program), { recursive: true })
  cpSync(join(import.meta.dirname, 'files/flowforge.sh'), program)
  chmodSync(program, 0o755)
}

const readMe = (version: string) => `# FlowForge ${version}

Hosts Node-RED for teams. \`npm install -g flowforge-${version}.tgz\` gives the command \`flowforge\`:

    flowforge check
    flowforge start

Installing, the service and the container: docs/install.md. Settings: docs/settings.md. Upgrades: docs/upgrading.md.
`

if (import.meta.main) {
  const file = await makePackage()
  console.log(`${file}, ${(statSync(file).size / 1e6).toFixed(1)} MB. Install it with: npm install -g ${file}`)
}
