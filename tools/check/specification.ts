import { join, normalize, posix } from 'node:path'
import { judgePages } from './specification.pages.ts'
import {
  areasOf,
  bracketedIds,
  claimedIds,
  linesOf,
  readTexts,
  type Text,
  testsOf,
  unreadableRows,
} from './specification.rows.ts'

const decisionFile = /^docs\/decisions\/(\d{4})-[^/]+\.md$/

/** Returns one sentence for each row, decision or page that is cited and does not exist, or exists twice. */
export function judgeSpecification(texts: Text[]): string[] {
  return [
    ...unreadableRows(texts),
    ...judgeRows(texts),
    ...judgeTitles(texts),
    ...judgeNames(texts),
    ...judgeDecisions(texts),
    ...judgePaths(texts),
    ...judgeSources(texts),
  ]
}

/** A test that fails should say which of few rows is false. */
const mostRows = 5

function judgeTitles(texts: Text[]): string[] {
  return texts
    .filter(({ path }) => /\.test\.tsx?$/.test(path))
    .flatMap(({ path, text }) =>
      linesOf(text)
        .filter(({ line }) => new Set(claimedIds(line)).size > mostRows)
        .map(({ number }) => `${path}:${number}: a title claims at most ${mostRows} rows: split the test`),
    )
}

function judgeRows(texts: Text[]): string[] {
  const areas = areasOf(texts)
  const codes = areas.map((area) => area.code)
  const rows = areas.flatMap((area) => area.rows.map((row) => ({ ...row, area })))
  const known = new Set(rows.map((row) => row.id))
  const cited = new RegExp(`(?<![\\w-])(?:${codes.join('|')})-\\d+(?![\\w-])`, 'g')
  const citations = texts.flatMap(({ path, text }) =>
    linesOf(text).flatMap(({ line, number }) => {
      const ids = codes.length > 0 ? [...line.matchAll(cited)].map(([id]) => id) : []
      // A mistyped area is known only by its brackets.
      if (/\.tsx?$/.test(path)) ids.push(...bracketedIds(line))
      return [...new Set(ids)].map((id) => ({ id, place: `${path}:${number}` }))
    }),
  )
  return [
    ...twice(codes).map((code) => `the area ${code} has two files`),
    ...twice(rows.map((row) => row.id)).map((id) => `${id} is the id of two rows: give one the next free number`),
    ...rows
      .filter(({ id, area }) => !id.startsWith(`${area.code}-`))
      .map(({ id, area }) => `${id} stands in ${area.path}, the file of the area ${area.code}`),
    ...citations
      .filter(({ id }) => !known.has(id))
      .map(({ id, place }) => `${place} cites ${id}, and docs/specification/requirements has no such row`),
  ]
}

/** Names that a row gives to its parts, as in `GATE-401`. */
function judgeNames(texts: Text[]): string[] {
  const codes = new Set(areasOf(texts).map((area) => area.code))
  const given = texts
    .filter(({ path }) => path.startsWith('docs/specification/requirements/'))
    .flatMap(({ text }) => [...text.matchAll(/`([A-Z]+)-([A-Z0-9]+)`/g)])
    .filter(([, prefix = '']) => !codes.has(prefix))
    .map(([, prefix, rest]) => `${prefix}-${rest}`)
  const prefixes = [...new Set(given.map((name) => name.split('-')[0]))]
  if (prefixes.length === 0) return []
  const cited = new RegExp(`(?<![\\w-])(?:${prefixes.join('|')})-[A-Z0-9]+(?![\\w-])`, 'g')
  return texts.flatMap(({ path, text }) =>
    linesOf(text).flatMap(({ line, number }) =>
      [...line.matchAll(cited)]
        .filter(([name]) => !given.includes(name))
        .map(([name]) => `${path}:${number} cites ${name}, which no row names`),
    ),
  )
}

function judgeDecisions(texts: Text[]): string[] {
  const numbers = texts.flatMap(({ path }) => decisionFile.exec(path)?.[1] ?? [])
  const known = new Set(numbers)
  const citations = texts.flatMap(({ path, text }) =>
    linesOf(text).flatMap(({ line, number }) =>
      [...line.matchAll(/\bdecisions?,? (\d[\d.]*\d|\d)((?:(?:,| and|, and) \d+)*)/gi)].flatMap(
        ([, first = '', others = '']) =>
          [first, ...(others.match(/\d+/g) ?? [])].map((cited) => ({ cited, place: `${path}:${number}` })),
      ),
    ),
  )
  return [
    ...twice(numbers).map((number) => `docs/decisions has two decisions ${number}`),
    ...citations
      .filter(({ cited }) => !known.has(cited.padStart(4, '0')))
      .map(({ cited, place }) => `${place} cites decision ${cited}, and docs/decisions has no such number`),
  ]
}

/** Pages that comments name by their path from the root, and pages that other pages link to. */
function judgePaths(texts: Text[]): string[] {
  const written = new Set(texts.map(({ path }) => path))
  const exists = (path: string) => written.has(path) || /^docs\/(generated\/|decisions\/README\.md$)/.test(path)
  return texts.flatMap(({ path, text }) =>
    linesOf(text).flatMap(({ line, number }) => {
      const named = [...line.matchAll(/(?<![\w./(-])docs\/[\w./-]+\.md\b/g)].map(([page]) => page)
      const linked = path.endsWith('.md')
        ? [...line.matchAll(/\]\((?!\w+:|#|\/)([^)\s#]+\.md)(?:#[^)\s]*)?\)/g)].map(([, to = '']) =>
            posix.join(posix.dirname(path), to),
          )
        : []
      return [...new Set([...named, ...linked])]
        .filter((page) => !exists(normalize(page)))
        .map((page) => `${path}:${number} names ${page}, and there is no such page`)
    }),
  )
}

/** Tests and other TypeScript files that pages name, by the end of their path: `teams.test.ts`, `apps/server/src/app.ts`. */
function judgeSources(texts: Text[]): string[] {
  const ends = new Set(
    texts.flatMap(({ path }) => {
      const parts = path.split('/')
      return parts.map((_, index) => parts.slice(index).join('/'))
    }),
  )
  const named = /(?<![\w<>./:*$-])\w[\w./-]*\.tsx?(?![\w/-])/g
  return texts
    .filter(({ path }) => path.endsWith('.md') && path !== 'CHANGELOG.md')
    .flatMap(({ path, text }) =>
      linesOf(text).flatMap(({ line, number }) =>
        [...line.matchAll(named)]
          .filter(([file]) => !ends.has(file))
          .map(([file]) => `${path}:${number} names ${file}, and there is no such file`),
      ),
    )
}

function twice(values: string[]): string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))]
}

if (import.meta.main) {
  const texts = readTexts(join(import.meta.dirname, '../..'))
  const problems = [...judgeSpecification(texts), ...judgePages(texts)]
  for (const problem of problems) console.error(problem)
  const ids = areasOf(texts).flatMap((area) => area.rows.map((row) => row.id))
  const tests = testsOf(texts)
  const shown = ids.filter((id) => tests.has(id)).length
  console.log(`${ids.length} rows, ${shown} cited by tests, ${ids.length - shown} by none`)
  process.exitCode = problems.length > 0 || ids.length === 0 ? 1 : 0
}
