import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from '../tools/test/vitest.order.ts'
import { workers } from '../tools/test/vitest.workers.ts'
import { homesOf } from './src/harness/homes.ts'

/** Journeys through a running product in a real browser. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['src/**/*.test.ts'],
    globalSetup: ['../tools/test/vitest.stacks.ts', './src/harness/run.setup.ts'],
    env: { FORGE_TEST_STACKS: join(import.meta.dirname, '../.cache/stacks'), FORGE_TEST_HOMES: homesOf(process.pid) },
    maxWorkers: workers,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
