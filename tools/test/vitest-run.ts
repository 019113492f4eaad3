import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { command, type Outcome } from '../check/steps.ts'

/**
 * Tests of one run. `unsteady` names those that failed and then passed when their file ran again by itself; `firstTry` is
 * the folder with the log and the pictures of their failures.
 */
export type Counts = { passed: number; failed: number; unsteady: string[]; firstTry?: string }

type Test = { fullName: string; status: string; failureMessages: string[] }
type Report = { testResults: { name: string; status: string; message: string; assertionResults: Test[] }[] }
type Run = Outcome & { report: Report }

const none: Report = { testResults: [] }
/** With more broken files than this it is the change that is at fault, not the moment. */
const MOST_RETRIED = 3

/**
 * Runs Vitest and puts its counts into the summary; the output of a failed run is its failures alone.
 *
 * Files with a failure run once more, alone: a browser or a process that was late on a busy machine is told apart from
 * what is broken. What passes only then is counted and named, and its log and pictures are kept, so that it can be mended.
 * `part` of all files is run, as `--shard` of Vitest takes it.
 */
export async function runVitest(
  name: string,
  args: string[],
  options: { env?: Record<string, string>; minutes: number; results: string; pictures?: string; part?: string },
): Promise<Outcome & { counts: Counts }> {
  const firstTry = join(options.results, `${name}-first-try`)
  rmSync(firstTry, { recursive: true, force: true })
  const { part } = options
  const first = await once(name, part === undefined ? args : [...args, `--shard=${part}`], options)
  const astray = astrayIn(first)
  const broken = first.report.testResults.filter(
    ({ name: file, status }) => status === 'failed' || astray.some((path) => file.endsWith(`/${path}`)),
  )
  let last = first
  if (!first.ok && broken.length > 0 && broken.length <= MOST_RETRIED) {
    const files = broken.map((file) => relative(process.cwd(), file.name))
    keepFirstTry(firstTry, first, options.pictures)
    last = await once(`${name}-again`, [...args, ...files], options)
  }
  const isLate = last !== first && last.ok
  const late = isLate ? broken.flatMap(failedIn).map(({ fullName }) => fullName) : []
  // As by a hook, before or after tests that may all have passed.
  const around = broken.filter((file) => file.status === 'failed' && failedIn(file).length === 0)
  const outside = [...astray, ...around.map((file) => relative(process.cwd(), file.name))]
  const unsteady = isLate ? [...late, ...outside.map((file) => `an error outside tests, ${file}`)] : []
  const failed = last.ok ? 0 : tests(last.report).filter(isFailed).length
  const passed = tests(first.report).filter(({ status }) => status === 'passed').length + late.length
  const counts = { passed, failed, unsteady, ...(unsteady.length > 0 && { firstTry }) }
  const note = [`${counts.passed} passed, ${failed} failed`, ...unsteady.map((test) => `unsteady: ${test}`)].join('; ')
  return { ok: last.ok, output: last.ok ? '' : failures(isTold(last) ? last : first), note, counts }
}

/** The second try writes its own pictures where those of the first are. */
function keepFirstTry(folder: string, first: Run, pictures: string | undefined): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'log.txt'), `${failures(first)}\n\n${first.output}`)
  if (pictures !== undefined && existsSync(pictures)) cpSync(pictures, join(folder, 'pictures'), { recursive: true })
}

async function once(
  name: string,
  args: string[],
  { env, minutes, results }: { env?: Record<string, string>; minutes: number; results: string },
): Promise<Run> {
  const file = join(results, `${name}.json`)
  rmSync(file, { force: true })
  const reports = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const outcome = await command('vitest', ['run', ...args, ...reports], { env: { NO_COLOR: '1', ...env }, minutes })
  return { ...outcome, report: existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : none }
}

/** Files in which something threw that no test waited for, by the ends of their paths; their tests may have passed. */
const astrayIn = ({ output }: Run): string[] => [
  ...new Set([...output.matchAll(/This error originated in "([^"]+)" test file/g)].map(([, file = '']) => file)),
]

const isFailed = ({ status }: Test) => status === 'failed'
const tests = (report: Report) => report.testResults.flatMap(({ assertionResults }) => assertionResults)
const failedIn = (file: Report['testResults'][number]) => file.assertionResults.filter(isFailed)

/** Does its report name what failed? */
const isTold = ({ report }: Run) => report.testResults.some(({ status }) => status === 'failed')

/** Each failure with its message; the end of what was printed where a run broke off without a report. */
function failures({ report, output }: Run): string {
  const told = report.testResults
    .filter(({ status }) => status === 'failed')
    .flatMap((file) => {
      const inTests = failedIn(file).map(
        ({ fullName, failureMessages }) => `${fullName}\n${failureMessages.join('\n')}`,
      )
      return [`${relative(process.cwd(), file.name)}:`, ...(inTests.length > 0 ? inTests : [file.message])]
    })
  return told.length > 0 ? told.join('\n\n') : output.split('\n').slice(-60).join('\n')
}
