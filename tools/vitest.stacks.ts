import { buildRuntime } from './node-build.ts'
import { ensureStacks } from './stacks.ts'

/** The Node-RED versions that tests with real processes run, which they find in FORGE_TEST_STACKS, and the runtime. */
export async function setup(): Promise<void> {
  await ensureStacks()
  await buildRuntime()
}
