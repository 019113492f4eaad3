import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { decisionsText } from '../gen/decisions.ts'
import { requirementsText } from '../gen/requirements.ts'
import { readTexts } from './specification.rows.ts'
import { judgeSpecification } from './specification.ts'

const teams = 'docs/specification/requirements/teams.md'
const rows = '# Teams (TEAM)\n\n- **TEAM-01** One.\n  - Test: as in `a|b`.\n- **TEAM-02** Two | three.\n'

/** A small repository in which every citation leads somewhere, with what a case puts in its place. */
function files(changed: Record<string, string> = {}): { path: string; text: string }[] {
  const all = {
    [teams]: rows,
    'docs/decisions/0002-lists.md': '# 2. Lists\n',
    'docs/specification/README.md': '[Teams](requirements/teams.md#x) [row](../decisions/0002-lists.md)\n',
    'apps/server/src/teams.ts': '// TEAM-01, decision 2, SHA-256, docs/specification/README.md\n',
    'apps/server/src/teams.test.ts': "// [TEAM-02] in a comment shows nothing\ntest('[TEAM-01] one', () => {})\n",
    ...changed,
  }
  return Object.entries(all).map(([path, text]) => ({ path, text }))
}

test('citations that lead somewhere raise no problem', () => {
  expect(judgeSpecification(files())).toEqual([])
})

test.each([
  ['a comment', { 'a.ts': 'const x = 1 // TEAM-03\n' }, 'a.ts:1 cites TEAM-03'],
  ['a comment, with a mistyped area', { 'a.ts': '// As [TAEM-01] says\n' }, 'a.ts:1 cites TAEM-01'],
  ['a page', { 'docs/a.md': 'As TEAM-09 says.\n' }, 'docs/a.md:1 cites TEAM-09'],
  ['the title of a test', { 'a.test.ts': "\ntest('[TEAM-01, TEAM-04] x', f)\n" }, 'a.test.ts:2 cites TEAM-04'],
  [
    'the title of a test, with a mistyped area',
    { 'a.test.tsx': "it('[TAEM-01] x', f)\n" },
    'a.test.tsx:1 cites TAEM-01',
  ],
])('an id without a row is named where it stands: %s', (_, changed, problem) => {
  expect(judgeSpecification(files(changed))).toEqual([expect.stringContaining(problem)])
})

test('a title that claims six rows is named, one that claims five is not', () => {
  const titled = (count: number) => {
    const ids = Array.from({ length: count }, (_, at) => `TEAM-${at + 11}`)
    const area = `# Teams (TEAM)\n\n${['TEAM-01', 'TEAM-02', ...ids].map((id) => `- **${id}** One.\n`).join('')}`
    return files({ [teams]: area, 'a.test.ts': `\ntest('${ids.map((id) => `[${id}]`).join(' ')} x', f)\n` })
  }
  expect(judgeSpecification(titled(5))).toEqual([])
  expect(judgeSpecification(titled(6))).toEqual(['a.test.ts:2: a title claims at most 5 rows: split the test'])
})

test('a name that a row gives to its parts can be cited, another cannot', () => {
  const named = { [teams]: `${rows}- **TEAM-03** Rules:\n  1. \`GATE-401\`: a session ended.\n` }
  expect(judgeSpecification(files({ ...named, 'a.ts': '// GATE-401\n' }))).toEqual([])
  expect(judgeSpecification(files({ ...named, 'a.ts': '// GATE-999\n' }))).toEqual([
    'a.ts:1 cites GATE-999, which no row names',
  ])
})

test('an id that two rows have is named, and so is an area with two files', () => {
  expect(judgeSpecification(files({ [teams]: `${rows}- **TEAM-02** Again.\n` }))).toEqual([
    expect.stringContaining('TEAM-02 is the id of two rows'),
  ])
  expect(judgeSpecification(files({ 'docs/specification/requirements/other.md': '# Others (TEAM)\n' }))).toEqual([
    'the area TEAM has two files',
  ])
})

test('a row in the file of another area is named', () => {
  expect(judgeSpecification(files({ [teams]: `${rows}- **LIB-01** Flows.\n` }))).toEqual([
    `LIB-01 stands in ${teams}, the file of the area TEAM`,
  ])
})

test.each([
  '- **TEAM-3** No second digit.',
  '- **TEAM-03**: With a colon.',
  '* **TEAM-03** With a star.',
  '- **team-03** x',
])('a row that tools cannot read is named: %s', (line) => {
  expect(judgeSpecification(files({ [teams]: `${rows}${line}\n` })).join('\n')).toContain(`${teams}:6: write a row as`)
})

test('the file of an area must name it in its title', () => {
  const problems = judgeSpecification(files({ 'docs/specification/requirements/x.md': '# Others\n' }))
  expect(problems.join('\n')).toContain('x.md: the title must name the area')
})

test.each([
  ['decision 3', '3'],
  ['decisions 2 and 5', '5'],
  ['(decisions 7.1)', '7.1'],
  ['Decision 9.', '9'],
])('a decision that does not exist is named: %s', (text, number) => {
  expect(judgeSpecification(files({ 'a.ts': `// ${text}\n` }))).toEqual([
    `a.ts:1 cites decision ${number}, and docs/decisions has no such number`,
  ])
})

test('two decisions of one number are named', () => {
  expect(judgeSpecification(files({ 'docs/decisions/0002-more.md': '# 2. More\n' }))).toEqual([
    'docs/decisions has two decisions 0002',
  ])
})

test('a page may name a file by its name, by its path or by the end of its path, and a pattern of names', () => {
  const page = 'See `teams.test.ts`, apps/server/src/teams.ts, `src/teams.ts` and `src/<noun>.routes.ts`.\n'
  expect(judgeSpecification(files({ 'docs/a.md': page }))).toEqual([])
})

test.each(['`oauth.test.ts`', 'In apps/web/src/teams.ts.', '(`gate.ts`)', 'server/teams.ts:12'])(
  'a file that does not exist is named where a page names it: %s',
  (text) => {
    const [problem, ...more] = judgeSpecification(files({ 'docs/decisions/0003-a.md': `# 3. A\n\n${text}\n` }))
    expect(problem).toMatch(/^docs\/decisions\/0003-a.md:3 names .+\.ts, and there is no such file$/)
    expect(more).toEqual([])
  },
)

test.each([
  ['a comment', { 'a.ts': '// docs/nothing.md\n' }, 'a.ts:1 names docs/nothing.md'],
  [
    'a link',
    { 'docs/a.md': '[x](specification/nothing.md#here)\n' },
    'docs/a.md:1 names docs/specification/nothing.md',
  ],
])('a page that does not exist is named: %s', (_, changed, problem) => {
  expect(judgeSpecification(files(changed))).toEqual([expect.stringContaining(problem)])
})

test('the page of requirements has one line a row, with the files whose tests cite it', () => {
  const again = { 'a.test.ts': "test('[TEAM-01] x', f)\ntest('[TEAM-01] y', f)\n" }
  const lines = requirementsText(files(again)).split('\n')
  expect(lines.filter((line) => line.startsWith('| TEAM'))).toEqual([
    '| TEAM-01 | One. | `apps/server/src/teams.test.ts`, `a.test.ts` |',
    '| TEAM-02 | Two \\| three. | none |',
  ])
  expect(lines).toContain('## [Teams](../specification/requirements/teams.md) (TEAM)')
})

test('the index of decisions has one line each, and asks for a title with the number', () => {
  expect(decisionsText([{ name: '0012-a.md', text: '# 12. Twelve\n\nText' }])).toContain('- [12. Twelve](0012-a.md)\n')
  expect(() => decisionsText([{ name: '0012-a.md', text: '# Twelve\n' }])).toThrow('must begin with "# 12. "')
})

test('files are read whether they are committed or not; generated, ignored and deleted ones are not', () => {
  const root = mkdtempSync(join(tmpdir(), 'specification-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'docs/generated'), { recursive: true })
  const write = (path: string) => writeFileSync(join(root, path), path)
  for (const path of ['a.ts', 'gone.ts', 'docs/generated/requirements.md', 'image.png']) write(path)
  execFileSync('git', ['init', '-q'], { cwd: root })
  execFileSync('git', ['add', '.'], { cwd: root })
  rmSync(join(root, 'gone.ts'))
  for (const path of ['new.md', 'ignored.md']) write(path)
  writeFileSync(join(root, '.gitignore'), 'ignored.md\n')
  expect(readTexts(root)).toEqual([
    { path: 'a.ts', text: 'a.ts' },
    { path: 'new.md', text: 'new.md' },
  ])
})
