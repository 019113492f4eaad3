import { join } from 'node:path'
import { command, type Outcome, runSteps, type Step } from './steps.ts'

const root = join(import.meta.dirname, '../..')
const tool = (name: string, ...args: string[]) => command(process.execPath, [`tools/check/${name}.ts`, ...args])
const lastLine = (output: string) => output.trimEnd().split('\n').at(-1) ?? ''

/** Everything that can be said about the sources without running them. */
const steps: Step[] = [
  { name: 'types', run: () => command('tsc', ['-b']) },
  { name: 'lint', run: () => command('oxlint', []) },
  { name: 'format', run: async () => withHint(await command('biome', ['format', '--max-diagnostics=20', '.'])) },
  { name: 'imports', run: async () => withSummary(await tool('imports')) },
  { name: 'sizes', run: async () => withSummary(await tool('sizes')) },
  { name: 'words', run: async () => withSummary(await tool('words')) },
  { name: 'tables', run: async () => withSummary(await tool('tables')) },
  { name: 'migrations', run: async () => withSummary(await tool('migrations')) },
  { name: 'specification', run: async () => withSummary(await tool('specification')) },
  { name: 'handbook', run: async () => withSummary(await tool('handbook')) },
  { name: 'generated files', run: () => command(process.execPath, ['tools/gen/gen.ts', '--check']) },
]

function withSummary(outcome: Outcome): Outcome {
  return { ...outcome, note: outcome.ok ? lastLine(outcome.output) : '' }
}

function withHint(outcome: Outcome): Outcome {
  return outcome.ok ? outcome : { ...outcome, output: `${outcome.output}\nnpm run format puts it right.` }
}

process.chdir(root)
const results = await runSteps(steps, 2)
process.exitCode = results.every((result) => result.ok) ? 0 : 1
