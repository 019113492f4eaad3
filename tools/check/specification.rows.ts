import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A text file of the repository, with its path from the root. */
export type Text = { path: string; text: string }
export type Area = { code: string; title: string; path: string; rows: Row[] }
export type Row = { id: string; sentence: string }

const requirements = 'docs/specification/requirements/'
const areaTitle = /^# (.+) \(([A-Z]+)\)$/m
/** A row is one line: `- **TEAM-02** The sentence.` */
const rowLine = /^- \*\*([A-Z]+-\d{2,3})\*\* (\S.*)$/
const idGroup = /\[([A-Z]+-\d+(?:, [A-Z]+-\d+)*)\]/g
const testFile = /\.test\.tsx?$/

/** Files that repeat ids of others, and files that no person writes. */
const unread =
  /^(docs\/generated\/|docs\/decisions\/README\.md$|package-lock\.json$|tools\/check\/(specification|words)\.test\.ts$)/

/** Returns the text files of the repository in which rows and decisions are cited. */
export function readTexts(root: string): Text[] {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.md', '*.mjs', '*.css'], {
    cwd: root,
    maxBuffer: 16_000_000,
  })
    .toString()
    .split('\n')
    .filter((path) => path !== '' && !unread.test(path) && existsSync(join(root, path)))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** Returns the areas of the specification in the order of their files, each with its rows. */
export function areasOf(texts: Text[]): Area[] {
  return texts
    .filter(({ path }) => path.startsWith(requirements))
    .map(({ path, text }) => {
      const [, title = '', code = ''] = areaTitle.exec(text) ?? []
      const rows = text.split('\n').flatMap((line) => {
        const [, id, sentence] = rowLine.exec(line) ?? []
        return id === undefined || sentence === undefined ? [] : [{ id, sentence }]
      })
      return { code, title, path, rows }
    })
}

/** Returns one sentence for each line of the requirements that tools cannot read. */
export function unreadableRows(texts: Text[]): string[] {
  return texts
    .filter(({ path }) => path.startsWith(requirements))
    .flatMap(({ path, text }) => [
      ...(areaTitle.test(text) ? [] : [`${path}: the title must name the area, as in "# Teams (TEAM)"`]),
      ...linesOf(text)
        .filter(({ line }) => /^\s*[-*] \*\*[A-Za-z]+-?\d/.test(line) && !rowLine.test(line))
        .map(({ line, number }) => `${path}:${number}: write a row as "- **TEAM-02** One sentence.", not "${line}"`),
    ])
}

/** Returns for each id the test files that cite it in brackets, outside comments. */
export function testsOf(texts: Text[]): Map<string, string[]> {
  const tests = new Map<string, string[]>()
  for (const { path, text } of texts.filter((file) => testFile.test(file.path)))
    for (const id of new Set(linesOf(text).flatMap(({ line }) => claimedIds(line))))
      tests.set(id, [...(tests.get(id) ?? []), path])
  return tests
}

/** Returns the ids that stand in brackets in a line. */
export const bracketedIds = (line: string): string[] =>
  [...line.matchAll(idGroup)].flatMap(([, group = '']) => group.split(', '))

/** Returns the ids that a line of a test claims to show: those in brackets, unless the line is a comment. */
export const claimedIds = (line: string): string[] => (/^\s*(\/\/|\/?\*)/.test(line) ? [] : bracketedIds(line))

/** Returns the lines of a text with their numbers. */
export function linesOf(text: string): { line: string; number: number }[] {
  return text.split('\n').map((line, index) => ({ line, number: index + 1 }))
}
