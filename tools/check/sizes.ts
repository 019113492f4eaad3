import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Lines a file may have: in the middle, in 95 of 100 files, and at most. */
const budget = { median: 80, p95: 300, max: 500 }
/** Long for good reason, whatever they hold. */
const free = /(^|\/)(migrations|generated|fixtures)\/|\.gen\.tsx?$/
/** Bound by the limit, but not counted among the sources. */
const tests = /\.test\.tsx?$|(^|\/)testing\//

export type FileSize = { path: string; lines: number }

/** Figures of the sources, and one sentence for each budget that is broken. */
export function judgeSizes(files: FileSize[]): { median: number; p95: number; max: number; problems: string[] } {
  const bound = files.filter((file) => !free.test(file.path))
  const lines = bound
    .filter((file) => !tests.test(file.path))
    .map((file) => file.lines)
    .sort((a, b) => a - b)
  const rank = (share: number) => lines[Math.max(0, Math.ceil(lines.length * share) - 1)] ?? 0
  const figures = { median: rank(0.5), p95: rank(0.95), max: rank(1) }
  const problems = bound
    .filter((file) => file.lines > budget.max)
    .map((file) => `${file.path} has ${file.lines} lines; at most ${budget.max} are allowed`)
  for (const name of ['median', 'p95'] as const)
    if (figures[name] > budget[name]) problems.push(`${name} is ${figures[name]} lines; it may be ${budget[name]}`)
  return { ...figures, problems }
}

function readSizes(root: string): FileSize[] {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.css', '*.mjs'], {
    cwd: root,
  })
    .toString()
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(root, path)))
    .map((path) => ({ path, lines: readFileSync(join(root, path), 'utf8').trimEnd().split('\n').length }))
}

if (import.meta.main) {
  const files = readSizes(join(import.meta.dirname, '../..'))
  const { median, p95, max, problems } = judgeSizes(files)
  if (problems.length > 0) {
    for (const problem of problems) console.error(problem)
    console.error('The longest:')
    for (const file of files.sort((a, b) => b.lines - a.lines).slice(0, 10))
      console.error(`  ${file.lines} ${file.path}`)
  }
  console.log(`${files.length} files: median ${median}, 95th percentile ${p95}, longest source ${max} lines`)
  process.exitCode = problems.length > 0 ? 1 : 0
}
