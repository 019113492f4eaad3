import { mkdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { clusterWanted, hasCluster } from './cluster.ts'
import { ensureDebianPackages } from './debian.ts'
import { withEngine, withPodman } from './engine.ts'
import { longSteps, unlessLate } from './late.ts'
import { parseArgs } from 'node:util'
import { command, type Outcome, runSteps, type Step, stepsFor } from '../check/steps.ts'
import { type Counts, runVitest } from './vitest-run.ts'

const root = join(import.meta.dirname, '../..')
const results = join(root, '.cache/results')
const tool = (name: string, minutes: number) => command(process.execPath, [`tools/${name}.ts`], { minutes })

/** For each step, by the parts in which its files ran. */
const counts = new Map<string, Counts[]>()

/** One run of Vitest. A run without any test is a failure: it showed nothing. */
async function vitest(
  name: string,
  args: string[],
  env: Record<string, string>,
  minutes: number,
  more: { pictures?: string; part?: string } = {},
): Promise<Outcome> {
  const run = [name, ...(more.part?.split('/') ?? [])].join('-')
  const { counts: counted, ...outcome } = await runVitest(run, args, { env, minutes, results, ...more })
  counts.set(name, [...(counts.get(name) ?? []), counted])
  return outcome
}

const inTime = longSteps()

/** On a cluster of your own: it makes and removes pods there. */
const onCluster: Step = {
  name: 'kubernetes',
  run: () => vitest('kubernetes', ['--project=cluster', '--no-file-parallelism'], {}, 60),
  needs: ['node-red versions'],
}

/** Tests of Podman in the place of Docker, and of the pods that it runs as a node of a cluster would. */
const onPodman = ['containers', 'kubernetes'].map((name) => `packages/drivers/src/local/${name}/`)

/**
 * Steps that wait for the network or the disk run beside steps that compute, so that two cores are busy from the
 * beginning. The real Node-RED processes come alone, because their tests look at times, and so do the browsers.
 */
const steps: Step[] = [
  ...(hasCluster() ? [onCluster] : []),
  { name: 'debian packages', run: ensureDebianPackages },
  { name: 'node-red versions', run: () => tool('build/stacks', 10) },
  { name: 'check', run: () => tool('check/check', 12) },
  {
    name: 'sqlite',
    run: () => vitest('sqlite', ['--project=unit', '--project=api'], { TEST_DATABASE: 'sqlite' }, 30),
    needs: ['debian packages'],
  },
  { name: 'build', run: () => tool('build/build', 6), after: ['check', 'node-red versions'] },
  {
    name: 'postgres',
    run: () => vitest('postgres', ['--project=api'], { TEST_DATABASE: 'postgres' }, 30),
    needs: ['debian packages'],
    after: ['sqlite'],
  },
  {
    name: 'node-red',
    run: () => inTime('node-red', (part) => vitest('node-red', ['--project=nodered'], {}, 45, { part })),
    needs: ['node-red versions'],
    after: ['postgres', 'build'],
  },
  {
    name: 'journeys',
    run: () =>
      inTime('journeys', (part) =>
        vitest('journeys', ['--config=e2e/vitest.config.ts'], {}, 85, { pictures: join(root, 'screenshots'), part }),
      ),
    needs: ['debian packages', 'node-red versions', 'build'],
    after: ['node-red'],
  },
  {
    name: 'pods',
    run: () => unlessLate(() => vitest('pods', ['--project=pods'], {}, 20)),
    needs: ['node-red versions', 'build'],
    after: ['journeys'],
  },
  {
    name: 'container',
    run: () => withEngine((env) => vitest('container', ['--project=container'], env, 30)),
    after: ['pods'],
  },
  {
    name: 'podman',
    run: () => withPodman((env) => vitest('podman', ['--project=container', ...onPodman], env, 30)),
    after: ['container'],
  },
]

const { values, positionals } = parseArgs({ options: { list: { type: 'boolean' } }, allowPositionals: true })
if (values.list) {
  console.log(steps.map(({ name }) => name).join('\n'))
  process.exit(0)
}
if (positionals.includes(onCluster.name) && !hasCluster()) {
  console.error(clusterWanted)
  process.exit(2)
}
const unknown = positionals.find((name) => !steps.some((step) => step.name === name))
if (unknown !== undefined) {
  console.error(`There is no step "${unknown}". The steps are: ${steps.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}

process.chdir(root)
rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })
const started = performance.now()
const ended = await runSteps(positionals.length > 0 ? stepsFor(steps, positionals) : steps, 3)

const all = [...counts.values()].flat()
const passed = all.reduce((sum, count) => sum + count.passed, 0)
const failedIn = (name: string) => (counts.get(name) ?? []).reduce((sum, count) => sum + count.failed, 0)
// A step that failed without a failed test, such as the linter or a file that does not load, counts as one.
const failed = ended.reduce((sum, { name, ok }) => sum + (failedIn(name) || (ok ? 0 : 1)), 0)
console.log(`\n${((performance.now() - started) / 1000).toFixed(0)} seconds in all`)
for (const step of ended.filter((one) => !one.ok)) console.log(`Failed: ${step.name}`)
for (const { unsteady, firstTry = '' } of all) {
  for (const test of unsteady) console.log(`Passed only at the second try: ${test}`)
  if (unsteady.length > 0) console.log(`Their log and pictures: ${relative(root, firstTry)}`)
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
