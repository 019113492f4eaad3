import { mkdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ensureDebianPackages } from './debian.ts'
import { parseArgs } from 'node:util'
import { hasEngine } from '../release/container.engine.ts'
import { command, type Outcome, runSteps, type Step, stepsFor } from '../check/steps.ts'
import { type Counts, runVitest } from './vitest-run.ts'

const root = join(import.meta.dirname, '../..')
const results = join(root, '.cache/results')
const tool = (name: string, minutes: number) => command(process.execPath, [`tools/${name}.ts`], { minutes })

const counts = new Map<string, Counts>()

/** One run of Vitest. A run without any test is a failure: it showed nothing. */
async function vitest(
  name: string,
  args: string[],
  env: Record<string, string>,
  minutes: number,
  more: { pictures?: string } = {},
): Promise<Outcome> {
  const { counts: counted, ...outcome } = await runVitest(name, args, { env, minutes, results, ...more })
  counts.set(name, counted)
  return outcome
}

/**
 * Steps that wait for the network or the disk run beside steps that compute, so that two cores are busy from the
 * beginning. The real Node-RED processes come alone, because their tests look at times, and so do the browsers.
 */
const steps: Step[] = [
  { name: 'debian packages', run: ensureDebianPackages },
  { name: 'node-red versions', run: () => tool('build/stacks', 5) },
  { name: 'check', run: () => tool('check/check', 6) },
  {
    name: 'sqlite',
    run: () => vitest('sqlite', ['--project=unit', '--project=api'], { TEST_DATABASE: 'sqlite' }, 20),
    needs: ['debian packages'],
  },
  { name: 'build', run: () => tool('build/build', 3), after: ['check', 'node-red versions'] },
  {
    name: 'postgres',
    run: () => vitest('postgres', ['--project=api'], { TEST_DATABASE: 'postgres' }, 20),
    needs: ['debian packages'],
    after: ['sqlite'],
  },
  {
    name: 'node-red',
    run: () => vitest('node-red', ['--project=nodered'], {}, 35),
    needs: ['node-red versions'],
    after: ['postgres', 'build'],
  },
  {
    name: 'journeys',
    run: () => vitest('journeys', ['--config=e2e/vitest.config.ts'], {}, 60, { pictures: join(root, 'screenshots') }),
    needs: ['debian packages', 'node-red versions', 'build'],
    after: ['node-red'],
  },
  {
    name: 'container',
    run: async () =>
      hasEngine()
        ? vitest('container', ['--project=container'], {}, 30)
        : { ok: true, output: '', note: 'left out: no Docker engine answers here' },
    after: ['journeys'],
  },
]

const { values, positionals } = parseArgs({ options: { list: { type: 'boolean' } }, allowPositionals: true })
if (values.list) {
  console.log(steps.map(({ name }) => name).join('\n'))
  process.exit(0)
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

const passed = [...counts.values()].reduce((sum, count) => sum + count.passed, 0)
// A step that failed without a failed test, such as the linter or a file that does not load, counts as one.
const failed = ended.reduce((sum, { name, ok }) => sum + (counts.get(name)?.failed || (ok ? 0 : 1)), 0)
console.log(`\n${((performance.now() - started) / 1000).toFixed(0)} seconds in all`)
for (const step of ended.filter((one) => !one.ok)) console.log(`Failed: ${step.name}`)
for (const { unsteady, firstTry = '' } of counts.values()) {
  for (const test of unsteady) console.log(`Passed only at the second try: ${test}`)
  if (unsteady.length > 0) console.log(`Their log and pictures: ${relative(root, firstTry)}`)
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
