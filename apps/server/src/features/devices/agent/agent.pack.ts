import { findLinkNodes, findShipped, linkNodesPackage, shippedVersion } from '@app/drivers/shipped'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

interface PackOptions {
  /** Root of the platform, a clone or an installed package. */
  root: string
  version: string
  /** Made as a whole, or not at all. */
  file: string
}

/** Folders and files of the platform that the agent consists of. */
const parts = [
  'LICENSE',
  'NOTICE',
  'apps/agent/dist',
  'apps/instance-runtime/dist',
  'packages/nodered/src/team-library',
  'packages/nodered/src/theme',
]
const licences = 'THIRD-PARTY-LICENSES.txt'

/** Versions of the bundled packages that run flows; undefined where one is not installed. */
function bundled(root: string): Record<string, string> | undefined {
  const versions = ['node-red', linkNodesPackage].map((name) => [name, shippedVersion(root, name)] as const)
  return versions.every((one): one is [string, string] => one[1] !== undefined)
    ? Object.fromEntries(versions)
    : undefined
}

/** False in a clone that is not built. */
export const isAgentBuilt = (root: string): boolean =>
  [...parts, `apps/agent/dist/${licences}`].every((path) => existsSync(join(root, path))) && bundled(root) !== undefined

/**
 * Packs the agent, the runtime of instances and a Node-RED, so that a device needs no registry for flows without
 * modules. The same platform gives the same bytes.
 * @throws Error with the code ENOSPC when the disk is full.
 */
export async function packAgent({ root, version, file }: PackOptions): Promise<void> {
  const brought = bundled(root)!
  const packages = [...new Set([...findShipped(root, brought['node-red']!)!, ...findLinkNodes(root)!])]
  const folder = await mkdtemp(join(dirname(file), '.agent-'))
  try {
    await mkdir(join(folder, 'bin'))
    for (const name of ['flowforge-agent', 'launch']) {
      await copyFile(join(root, `apps/agent/files/${name}.sh`), join(folder, 'bin', name))
      await chmod(join(folder, 'bin', name), 0o755)
    }
    await copyFile(join(root, 'apps/agent/dist', licences), join(folder, licences))
    await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest(version, brought), null, 2)}\n`)
    await writeFile(join(folder, 'README.md'), readMe(version))
    const made = join(folder, 'agent.tgz')
    const own = ['bin', 'package.json', 'README.md', licences]
    await tar(made, ['-C', root, ...parts, ...packages.sort(), '-C', folder, ...own])
    await rename(made, file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function tar(file: string, paths: string[]): Promise<void> {
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--mode=u=rwX,go=rX']
  const rules = [
    '--exclude=.sources',
    '--exclude=*.test.ts',
    `--exclude=dist/${licences}`,
    '--transform=s,^,package/,S',
  ]
  // Its messages are read, so they must not be translated.
  const env = { ...process.env, LC_ALL: 'C' }
  const args = ['-c', ...same, ...rules, '-I', 'gzip -n6', '-f', file, ...paths]
  await promisify(execFile)('tar', args, { env }).catch((error: Error & { stderr?: string }) => {
    const isFull = /No space left on device|Disk quota exceeded/.test(error.stderr ?? '')
    throw isFull ? Object.assign(error, { code: 'ENOSPC' }) : error
  })
}

const manifest = (version: string, brought: Record<string, string>) => ({
  name: 'flowforge-agent',
  version,
  description: 'Runs the flows of a FlowForge device.',
  license: 'Apache-2.0',
  type: 'module',
  bin: { 'flowforge-agent': 'bin/flowforge-agent' },
  os: ['linux'],
  engines: { node: '>=20.16' },
  dependencies: brought,
  bundleDependencies: Object.keys(brought),
})

const readMe = (version: string) => `# FlowForge agent ${version}

Runs the flows of a FlowForge device. \`npm install -g flowforge-agent-${version}.tgz\` gives the command \`flowforge-agent\`:

    flowforge-agent --otc <code> --forge-url <address of the platform> --save
    flowforge-agent check
    flowforge-agent service install

Needs Linux and Node.js 20.16 or newer. Everything else: the page Devices of the handbook, at /docs/ of the platform.
`
