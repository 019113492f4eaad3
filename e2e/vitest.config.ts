import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Journeys through a running product in a real browser, one at a time. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: '../tools/vitest.stacks.ts',
    env: { FORGE_TEST_STACKS: join(import.meta.dirname, '../.cache/stacks') },
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
