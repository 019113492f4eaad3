import { join } from 'node:path'
import { expect, test } from 'vitest'
import { firstCells, judgePages, type Listing } from './specification.pages.ts'
import { readTexts } from './specification.rows.ts'

const page = 'docs/specification/errors.md'
const list: Listing = {
  page,
  noun: 'error code',
  required: ['disk_full', 'outdated'],
  also: ['hint'],
  named: firstCells,
}
const judge = (rows: string) => judgePages([{ path: page, text: `| Code | When |\n|---|---|\n${rows}` }], [list])

test('a page that has every name of the contract raises no problem, whatever it says about them', () => {
  expect(judge('| disk_full, `outdated` *(changed)* | a |\n| hint | b |\n')).toEqual([])
})

test('a name that a page lacks is told, and so is one that the contract does not have', () => {
  expect(judge('| disk_full | a |\n| unknown_error | outdated |\n')).toEqual([
    `${page} lacks the error code outdated, which packages/contract declares: add a line`,
    `${page} has the error code unknown_error, and packages/contract does not declare it: correct the line`,
  ])
})

test('a page that is gone is told', () => {
  expect(judgePages([], [list])).toEqual([`${page} is missing, which lists each error code of the contract`])
})

const texts = readTexts(join(import.meta.dirname, '../..'))
const withOther = (path: string, change: (text: string) => string) =>
  judgePages(texts.map((file) => (file.path === path ? { path, text: change(file.text) } : file)))

test.each([
  [page, '| disk_full |', '| disk_empty |', 'error code', ['disk_full', 'disk_empty']],
  [
    'docs/specification/platform-settings.md',
    '| user:sso |',
    '| user:single |',
    'setting',
    ['user:sso', 'user:single'],
  ],
  ['docs/specification/permissions.md', '(`ffpat_`)', '(`ffxyz_`)', 'prefix of tokens', ['ffpat', 'ffxyz']],
])('%s is compared with the contract: %s', (path, from, to, noun, [gone, more]) => {
  expect(withOther(path, (text) => text.replace(from, to))).toEqual([
    `${path} lacks the ${noun} ${gone}, which packages/contract declares: add a line`,
    `${path} has the ${noun} ${more}, and packages/contract does not declare it: correct the line`,
  ])
})

test('a scope that no route knows is told on the page of permissions', () => {
  const path = 'docs/specification/permissions.md'
  expect(withOther(path, (text) => `${text}\nNeeds device:provision.\n`)).toEqual([
    `${path} has the scope device:provision, and packages/contract does not declare it: correct the line`,
  ])
})
