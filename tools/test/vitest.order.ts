import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest files, the longest first, so that no worker ends alone with one of them. */
const longest = [
  'deployments/untold.nodered.test.ts',
  'testing/two-servers.nodered.test.ts',
  'deployments/judging.nodered.test.ts',
  'release/package.nodered.test.ts',
  'pair/takeover.listeners.test.ts',
  'testing/agent.faults.nodered.test.ts',
  'testing/kill.nodered.test.ts',
  'testing/deployment-faults.nodered.test.ts',
  'health/proxy.checks.test.ts',
  'testing/keys.test.ts',
  'testing/start.test.ts',
  'testing/crash.test.ts',
  'local/local.test.ts',
  'local/pool/pool.test.ts',
  'catalogue/stacks.nodered.test.ts',
  'local/process/faults.test.ts',
  'local/stacks/stack.node.test.ts',
  'local/flows/flow-access.dashboards.test.ts',
  'local/editor/dashboard.test.ts',
  'local/usage/usage.test.ts',
  'modules/modules.test.ts',
  'backup/backup.restore.test.ts',
  'testing/matrix.test.ts',
  'testing/away.test.ts',
  'deployments/candidate.kill.test.ts',
  'backup/archive.by-hand.test.ts',
  'deployments/candidate.ways.test.ts',
  'hosting/hosting.test.ts',
  ...[
    'editor-session',
    'instance-settings',
    'editor-look',
    'node-errors',
    'billing',
    'flow-errors',
    'editor',
    'editor-deployments',
    'instance-pages',
    'pipelines',
    'sleep',
  ].map((name) => `e2e/src/${name}.test.ts`),
]

/** The order of the files of a run. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((name) => moduleId.endsWith(name))
      return found === -1 ? longest.length : found
    }
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other))
  }
}
