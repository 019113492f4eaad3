import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './tools/test/vitest.order.ts'
import { workers } from './tools/test/vitest.workers.ts'

const real = ['**/*.nodered.test.ts', 'packages/drivers/src/local/**/*.test.ts']
/** These open a database, so they run on each of the two: TEST_DATABASE is sqlite (the default) or postgres. */
const api = [
  'apps/server/src/features/**/*.test.ts',
  'apps/server/src/platform/{blobs,db,jobs,events}/**/*.test.ts',
  'apps/server/testing/*.test.ts',
]
/**
 * PostgreSQL shows nothing new in these tests: they start the databases they need, or ask of one what many others ask. The
 * latter are about ports and signatures, and take long.
 */
const once = [
  'apps/server/testing/{acme.check,away,closed-files,flowforge,names.check,patient,proxies,start,tls}.test.ts',
  'apps/server/src/features/backup/archive.by-hand.test.ts',
  'apps/server/src/features/health/proxy.checks.test.ts',
  'apps/server/src/features/sso/saml/saml{,.attacks}.test.ts',
  'apps/server/testing/instance-ports.test.ts',
]
/** These need an engine of containers. */
const containers = ['**/*.docker.test.ts']
/** These have the double of a cluster, whose node runs Node-RED. */
const pods = ['packages/drivers/src/local/kubernetes/*.test.ts', 'apps/server/testing/kubernetes.nodered.test.ts']
/** These need a Kubernetes cluster. */
const clusters = ['**/*.cluster.test.ts']
const elsewhere = ['**/node_modules/**', '**/dist/**', 'e2e/**']

/*
 * `isolate: false`: the files of a worker share what they load. Loading the whole server anew for each of them took as
 * long as half of the tests, so nothing in a module may remember what a test did.
 */

/** Time for a condition on a machine that is busy with something else; nobody waits where it holds at once. */
const patience = (ms: number) => ({ testTimeout: ms, hookTimeout: ms, expect: { poll: { timeout: 30_000 } } })

/** The Node-RED versions that tests start. */
const nodeRed = {
  globalSetup: './tools/test/vitest.stacks.ts',
  env: { FORGE_TEST_STACKS: join(import.meta.dirname, '.cache/stacks') },
}

export default defineConfig({
  test: {
    maxWorkers: workers,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{packages,apps,tools,bench}/**/*.test.{ts,tsx}'],
          exclude: [...elsewhere, ...real, ...containers, ...clusters, ...api],
          globalSetup: './tools/test/vitest.memory.ts',
          isolate: false,
          restoreMocks: true,
          ...patience(60_000),
        },
      },
      {
        test: {
          name: 'api',
          include: api,
          exclude: [
            ...elsewhere,
            ...real,
            ...containers,
            ...clusters,
            ...(process.env.TEST_DATABASE === 'postgres' ? once : []),
          ],
          isolate: false,
          restoreMocks: true,
          globalSetup: ['./tools/test/vitest.memory.ts', './apps/server/testing/postgres.setup.ts'],
          setupFiles: './apps/server/testing/hashes.setup.ts',
          ...patience(60_000),
        },
      },
      {
        test: {
          name: 'nodered',
          include: real,
          exclude: [...elsewhere, ...containers, ...clusters, ...pods],
          isolate: false,
          restoreMocks: true,
          ...nodeRed,
          ...patience(120_000),
        },
      },
      {
        test: {
          name: 'container',
          include: containers,
          exclude: elsewhere,
          ...nodeRed,
          ...patience(120_000),
        },
      },
      {
        test: {
          name: 'pods',
          include: pods,
          exclude: [...elsewhere, ...containers, ...clusters],
          isolate: false,
          restoreMocks: true,
          ...nodeRed,
          ...patience(120_000),
        },
      },
      {
        test: {
          name: 'cluster',
          include: clusters,
          exclude: elsewhere,
          ...nodeRed,
          ...patience(300_000),
        },
      },
    ],
  },
})
