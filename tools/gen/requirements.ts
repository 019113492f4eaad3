import { join } from 'node:path'
import { areasOf, readTexts, type Text, testsOf } from '../check/specification.rows.ts'

const intro = `# Requirements and their tests

Written by \`npm run gen\` from [docs/specification](../specification/README.md) and the titles of the tests. One line a
row, with the files whose tests cite it. \`npm run check\` prints the counts: a count in this page would be wrong after
two changes were merged.
`

/** The text of docs/generated/requirements.md: every row and the test files that cite it. */
export function requirementsText(texts: Text[]): string {
  const tests = testsOf(texts)
  const sections = areasOf(texts).map(({ title, code, path, rows }) => {
    const lines = rows.map(({ id, sentence }) => {
      const files = tests.get(id)?.map((file) => `\`${file}\``) ?? ['none']
      return `| ${id} | ${sentence.replaceAll('|', '\\|')} | ${files.join(', ')} |`
    })
    const link = `[${title}](${path.replace('docs/', '../')})`
    return `## ${link} (${code})\n\n| Row | Requirement | Tests |\n| --- | --- | --- |\n${lines.join('\n')}\n`
  })
  return [intro, ...sections].join('\n')
}

/** The same for this repository. */
export function requirementsPage(): string {
  return requirementsText(readTexts(join(import.meta.dirname, '../..')))
}
