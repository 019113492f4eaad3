import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { apiPages } from './api.ts'
import { type Chapter, chaptersOf } from './contents.ts'
import { pictureHtml } from './pictures.ts'
import { type Rendered, renderMarkdown } from './markdown.ts'

/** A page of the handbook, at /docs/<slug>. */
export interface Page extends Rendered {
  slug: string
}

export interface Handbook {
  chapters: Chapter[]
  pages: Page[]
  /** One sentence for each link, anchor, image or entry of the navigation that leads nowhere. */
  problems: string[]
}

/** Written for engineers: built so that links reach them, but not part of the navigation for users. */
const contributorPages = /^(decisions|generated)(-|$)/
const sources = ['*.md', 'decisions/*.md', 'generated/{audit-events,permissions}.md']

/** Flat, because an address cannot be a page and a folder of pages at once. */
const slugOf = (file: string) =>
  file
    .replace(/\.md$/, '')
    .replace(/\/?README$/, '')
    .replace(/\/$/, '')
    .replaceAll('/', '-')

/** Returns the address of a page in the handbook. */
export const addressOf = (slug: string): string => `/docs/${slug}`

/** True for a page that only contributors need. */
export const isForContributors = (slug: string): boolean => contributorPages.test(slug)

/** Reads docs/ below `root` and makes the pages of the handbook. */
export function readHandbook(root: string): Handbook {
  const docs = join(root, 'docs')
  const files = globSync(sources, { cwd: docs }).sort()
  const problems: string[] = []
  const links: { from: string; href: string; slug: string; anchor: string }[] = []
  const slugs = new Set(files.map(slugOf))

  const pages = files.map((file): Page => {
    const slug = slugOf(file)
    const link = (href: string) => {
      if (/^(https?:|mailto:)/.test(href)) return href
      // Addresses of the platform itself, such as /api/.
      if (href.startsWith('/')) return href
      const [path = '', anchor = ''] = href.split('#')
      const target = path === '' ? slug : slugOf(posix.join(posix.dirname(file), path).replace(/^\.$/, ''))
      if (!slugs.has(target)) {
        const isFile = existsSync(join(docs, posix.dirname(file), path))
        if (!isFile || !isForContributors(slug)) problems.push(`docs/${file}: the handbook has no page ${href}`)
        return undefined
      }
      links.push({ from: `docs/${file}`, href, slug: target, anchor })
      return `${path === '' ? '' : addressOf(target)}${anchor && `#${anchor}`}`
    }
    const image = (href: string, alt: string) => {
      const html = pictureHtml(docs, href, alt)
      if (html === undefined) problems.push(`docs/${file}: there is no picture ${href}`)
      if (alt.trim() === '') problems.push(`docs/${file}: the picture ${href} has no description`)
      return html ?? ''
    }
    const page = renderMarkdown(readFileSync(join(docs, file), 'utf8'), { link, image })
    if (page.title === '') problems.push(`docs/${file}: the page has no title`)
    return { ...page, slug }
  })

  const chapters = chaptersOf(readFileSync(join(docs, 'README.md'), 'utf8'))
  const reference = pages.findIndex(({ slug }) => slug === 'api')
  if (reference !== -1) {
    const document = readFileSync(join(docs, 'generated/openapi.json'), 'utf8')
    pages.push(...apiPages(document, ...(pages.splice(reference, 1) as [Page])))
  }
  const bySlug = new Map(pages.map((page) => [page.slug, page]))
  for (const { from, href, slug, anchor } of links)
    if (anchor !== '' && !bySlug.get(slug)?.anchors.has(anchor)) problems.push(`${from}: there is no anchor ${href}`)
  const listed = new Set(chapters.flatMap(({ entries }) => entries.map((entry) => entry.slug)))
  for (const { slug } of pages)
    if (slug !== '' && !slug.startsWith('api-') && !isForContributors(slug) && !listed.has(slug))
      problems.push(`docs/README.md does not list ${slug}`)
  return { chapters, pages, problems }
}
