import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { packAgent } from '../../apps/server/src/features/devices/agent/agent.pack.ts'
import { root } from '../build/built.ts'
import { buildAgent } from '../build/node-build.ts'
import { readManifest } from './package.ts'

/** Makes dist/flowforge-agent-<version>.tgz, the same file as a platform gives its devices. @returns its path. */
export async function makeAgentPackage(): Promise<string> {
  await buildAgent()
  const { version } = readManifest()
  const file = join(root, 'dist', `flowforge-agent-${version}.tgz`)
  mkdirSync(join(root, 'dist'), { recursive: true })
  await packAgent({ root, version, file })
  return file
}

if (import.meta.main) {
  const file = await makeAgentPackage()
  console.log(
    `${file}, ${(statSync(file).size / 1e6).toFixed(1)} MB. Install it on a device with: npm install -g ${file}`,
  )
}
