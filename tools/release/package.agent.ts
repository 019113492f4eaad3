import { chmodSync, cpSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../build/built.ts'
import { buildAgent } from '../build/node-build.ts'
import { licencesText } from './licences.ts'
import { readLock, shippedBy } from './lock.ts'
import { copyNodeRed, nodeRed, pack, readManifest } from './package.ts'

const dist = join(root, 'dist')
const stage = join(dist, 'agent')

/** Copied as they are. */
const copied = [
  'apps/agent/dist',
  'apps/instance-runtime/dist',
  'packages/nodered/src/theme',
  'packages/nodered/src/team-library',
  'LICENSE',
  'NOTICE',
]
const unneeded = /\/\.sources$|\.test\.ts$/

/**
 * Makes dist/flowforge-agent-<version>.tgz: the agent, the runtime of instances and a Node-RED, so that a device needs no
 * registry for flows without modules. @returns its path.
 */
async function makeAgentPackage(): Promise<string> {
  await buildAgent()
  rmSync(stage, { recursive: true, force: true })
  mkdirSync(stage, { recursive: true })
  for (const path of copied)
    cpSync(join(root, path), join(stage, path), { recursive: true, filter: (from) => !unneeded.test(from) })
  await copyNodeRed(stage)
  const program = join(stage, 'bin/flowforge-agent')
  mkdirSync(dirname(program), { recursive: true })
  cpSync(join(import.meta.dirname, 'files/flowforge-agent.sh'), program)
  chmodSync(program, 0o755)
  const { version, license } = readManifest()
  const manifest = {
    name: 'flowforge-agent',
    version,
    description: 'Runs the flows of a FlowForge device.',
    license,
    type: 'module',
    bin: { 'flowforge-agent': 'bin/flowforge-agent' },
    os: ['linux'],
    engines: { node: '>=20.16' },
    dependencies: { 'node-red': nodeRed() },
    bundleDependencies: ['node-red'],
  }
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  writeFileSync(join(stage, 'README.md'), readMe(version))
  const shipped = ['apps/agent', 'apps/instance-runtime', 'packages/nodered', 'packages/drivers']
  writeFileSync(join(stage, 'THIRD-PARTY-LICENSES.txt'), licencesText(root, shippedBy(readLock(root), shipped)))
  const file = join(dist, `flowforge-agent-${version}.tgz`)
  pack(stage, file)
  rmSync(stage, { recursive: true })
  return file
}

const readMe = (version: string) => `# FlowForge agent ${version}

Runs the flows of a FlowForge device. \`npm install -g flowforge-agent-${version}.tgz\` gives the command \`flowforge-agent\`:

    flowforge-agent --otc <code> --forge-url <address of the platform> --save
    flowforge-agent check
    flowforge-agent service install

Needs Linux and Node.js 20.16 or newer. Everything else: the page Devices of the handbook, at /docs/ of the platform.
`

if (import.meta.main) {
  const file = await makeAgentPackage()
  console.log(
    `${file}, ${(statSync(file).size / 1e6).toFixed(1)} MB. Install it on a device with: npm install -g ${file}`,
  )
}
