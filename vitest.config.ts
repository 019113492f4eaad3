import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const real = ['**/*.nodered.test.ts', 'packages/drivers/src/local/*.test.ts']
/** These open a database, so they run on each of the two: TEST_DATABASE is sqlite (the default) or postgres. */
const api = [
  'apps/server/src/features/**/*.test.ts',
  'apps/server/src/platform/{blobs,db,jobs,events}/**/*.test.ts',
  'apps/server/testing/*.test.ts',
]
const elsewhere = ['**/node_modules/**', '**/dist/**', 'e2e/**']

/** Those that take longest, the longest first, lest a worker be left alone with one at the end. */
const longest = [
  'testing/crash.test.ts',
  'local/local.test.ts',
  'local/pool.test.ts',
  'catalogue/stacks.nodered.test.ts',
  'local/faults.test.ts',
  'local/stack.node.test.ts',
  'local/dashboard.test.ts',
  'local/usage.test.ts',
  'modules/modules.test.ts',
  'backup/backup.restore.test.ts',
  'testing/matrix.test.ts',
  'deployments/beside.test.ts',
  'instances/instances.host.test.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((name) => moduleId.endsWith(name))
      return found === -1 ? longest.length : found
    }
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other))
  }
}

/*
 * `isolate: false`: the files of a worker share what they load. Loading the whole server anew for each of them took as
 * long as half of the tests, so nothing in a module may remember what a test did.
 */

/** How long a condition may take on a machine that is busy with something else; nobody waits where it holds at once. */
const patience = (ms: number) => ({ testTimeout: ms, hookTimeout: ms, expect: { poll: { timeout: 30_000 } } })

export default defineConfig({
  test: {
    // One more than there are cores: a server that is killed over and over, or a Node-RED, leaves them idle now and then.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{packages,apps,tools,bench}/**/*.test.{ts,tsx}'],
          exclude: [...elsewhere, ...real, ...api],
          globalSetup: './tools/vitest.memory.ts',
          isolate: false,
          restoreMocks: true,
          ...patience(60_000),
        },
      },
      {
        test: {
          name: 'api',
          include: api,
          exclude: [...elsewhere, ...real],
          isolate: false,
          restoreMocks: true,
          globalSetup: ['./tools/vitest.memory.ts', './apps/server/testing/postgres.setup.ts'],
          setupFiles: './apps/server/testing/hashes.setup.ts',
          ...patience(60_000),
        },
      },
      {
        test: {
          name: 'nodered',
          include: real,
          exclude: elsewhere,
          globalSetup: './tools/vitest.stacks.ts',
          env: { FORGE_TEST_STACKS: join(import.meta.dirname, '.cache/stacks') },
          ...patience(120_000),
        },
      },
    ],
  },
})
