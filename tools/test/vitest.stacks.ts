import { ensureStacks } from '../build/stacks.ts'

/** Tests with real processes find their Node-RED versions in FORGE_TEST_STACKS. */
export const setup = ensureStacks
