import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorHelp } from './error-help.ts'
import { renderMarkdown } from './markdown.ts'
import { readHandbook } from './pages.ts'

const root = join(import.meta.dirname, '../..')
const { pages, chapters, problems } = readHandbook(root)
const bySlug = new Map(pages.map((page) => [page.slug, page]))

/** Every address of the console that a link of the handbook or a help link uses exists. */
const leadsSomewhere = (section: string) => {
  const [slug = '', anchor = ''] = section.split('#')
  const page = bySlug.get(slug)
  return page !== undefined && (anchor === '' || page.anchors.has(anchor))
}

test('every link, anchor and picture of the handbook exists', () => {
  expect(problems).toEqual([])
  expect(pages.length).toBeGreaterThan(60)
})

test('[SHELL-27] each help link of the console leads to a section that exists', () => {
  const routes = join(root, 'apps/web/src/routes')
  const texts = readdirSync(routes).map((name) => readFileSync(join(routes, name), 'utf8'))
  const declared = texts.flatMap((text) => [...text.matchAll(/\bhelp(?:: '[^']+'|For: \{[^}]+\})/g)])
  const sections = declared.flatMap(([text]) => [...text.matchAll(/'([^']+)'/g)].map(([, section]) => section!))
  expect(sections.length).toBeGreaterThan(70)
  expect(sections.filter((section) => !leadsSomewhere(section))).toEqual([])
})

test('each error of the platform has its place under Troubleshooting', () => {
  const codes = errorHelp.flatMap((group) => Object.keys(group.errors))
  expect(codes.filter((code) => !leadsSomewhere(`troubleshooting#${code}`))).toEqual([])
})

test('each chapter has pages, and no page is listed twice', () => {
  const slugs = chapters.flatMap(({ entries }) => entries.map(({ slug }) => slug))
  expect(chapters.every(({ entries }) => entries.length > 0)).toBe(true)
  expect(new Set(slugs).size).toBe(slugs.length)
})

const addresses = { link: (href: string) => href, image: () => '' }

test('headings get anchors as on GitHub, each a different one', () => {
  const { html, anchors } = renderMarkdown('# Page\n\n## Roll back\n\n## Roll back\n\n## `FORGE_HOME`', addresses)
  expect([...anchors]).toEqual(['roll-back', 'roll-back-1', 'forge_home'])
  expect(html).toContain('<h2 id="roll-back-1">')
})

test('text cannot become markup', () => {
  const { html } = renderMarkdown('# Page\n\n<script>alert(1)</script> and `<b>`', addresses)
  expect(html).not.toContain('<script>')
  expect(html).toContain('&lt;b&gt;')
})

test('a row that begins with a code can be linked to', () => {
  const { html } = renderMarkdown('# Page\n\n| Code | Means |\n|---|---|\n| `DB01` | No answer |', addresses)
  expect(html).toContain('<tr id="db01">')
})
