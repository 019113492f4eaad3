import { createLocalDriver } from '../../packages/drivers/src/local/index.ts'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './built.ts'
import { buildAgent, runtimeEntry } from './node-build.ts'

const home = join(root, '.cache')
const versions = ['4.1.15', '5.0.7']

/**
 * The Node-RED versions that the tests use, in .cache/stacks, installed and tried once as the product does it, so that
 * no test is the first to start one; the runtime of instances and the agent of devices.
 * @throws Error with what is wrong in the sources, or what npm said.
 */
export async function ensureStacks(): Promise<void> {
  await buildAgent()
  const driver = createLocalDriver({ home, runtimeEntry })
  try {
    await Promise.all(versions.map((nodered) => driver.installStack({ nodered, memory: 256 }, () => {})))
  } finally {
    await driver.close()
  }
  // The platforms of the tests link to these folders, and let instances read only what is in their own.
  for (const version of versions) chmodSync(join(home, 'stacks', version), 0o755)
}

if (import.meta.main) {
  await ensureStacks()
  console.log(`Node-RED ${versions.join(' and ')}`)
}
