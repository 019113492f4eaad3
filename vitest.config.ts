import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const real = ['**/*.nodered.test.ts', 'packages/drivers/src/local/*.test.ts']
/** These open a database, so they run on each of the two: TEST_DATABASE is sqlite (the default) or postgres. */
const api = [
  'apps/server/src/features/**/*.test.ts',
  'apps/server/src/platform/{blobs,db,jobs,events}/**/*.test.ts',
  'apps/server/testing/*.test.ts',
]
const elsewhere = ['**/node_modules/**', '**/dist/**', 'e2e/**']

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{packages,apps,tools,bench}/**/*.test.{ts,tsx}'],
          exclude: [...elsewhere, ...real, ...api],
          testTimeout: 10_000,
        },
      },
      {
        test: {
          name: 'api',
          include: api,
          exclude: [...elsewhere, ...real],
          globalSetup: './tools/vitest.postgres.ts',
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'nodered',
          include: real,
          exclude: elsewhere,
          globalSetup: './tools/vitest.stacks.ts',
          env: { FORGE_TEST_STACKS: join(import.meta.dirname, '.cache/stacks') },
          // Each starts several Node-RED processes and looks at how long they take.
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
