import { ensureStacks } from './stacks.ts'

/** The Node-RED versions that tests with real processes run; they find them in FORGE_TEST_STACKS. */
export async function setup(): Promise<void> {
  await ensureStacks()
}
