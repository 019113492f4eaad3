import type { Chapter, Entry } from './contents.ts'
import { escapeHtml, type Heading } from './markdown.ts'
import { addressOf, isForContributors, type Page } from './pages.ts'

/** The names of the built files that every page asks for. */
export interface Assets {
  style: string
  theme: string
  script: string
  search: string
  face: string
}

interface Frame {
  chapters: Chapter[]
  assets: Assets
  version: string
}

const icon = (path: string) =>
  `<svg viewBox="0 0 24 24" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${path}</svg>`
const icons = {
  logo: icon(
    '<rect width="8" height="8" x="3" y="3" rx="2"/><path d="M7 11v4a2 2 0 0 0 2 2h4"/><rect width="8" height="8" x="13" y="13" rx="2"/>',
  ),
  search: icon('<circle cx="11" cy="11" r="8"/><path d="m21 21-4.3-4.3"/>'),
  sun: icon(
    '<circle cx="12" cy="12" r="4"/><path d="M12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M6.3 17.7l-1.4 1.4M19.1 4.9l-1.4 1.4"/>',
  ),
  moon: icon('<path d="M12 3a6 6 0 0 0 9 9 9 9 0 1 1-9-9Z"/>'),
  menu: icon('<path d="M4 6h16M4 12h16M4 18h16"/>'),
  close: icon('<path d="M18 6 6 18M6 6l12 12"/>'),
}

const isOf = (entry: Entry, page: Page | undefined) =>
  page !== undefined && (entry.slug === page.slug || (entry.slug === 'api' && page.slug.startsWith('api-')))

function navigation({ chapters }: Frame, page: Page | undefined): string {
  const home = `<li><a href="/docs/"${page?.slug === '' ? ' aria-current="page"' : ''}>Overview</a></li>`
  const sections = chapters.map(({ title, entries }, index) => {
    const items = entries.map((entry) => {
      const current = isOf(entry, page) ? ` aria-current="${entry.slug === page?.slug ? 'page' : 'true'}"` : ''
      return `<li><a href="${addressOf(entry.slug)}"${current}>${escapeHtml(entry.title)}</a></li>`
    })
    return `<h2 id="chapter-${index}">${escapeHtml(title)}</h2><ul aria-labelledby="chapter-${index}">${items.join('')}</ul>`
  })
  return `<nav id="menu" class="menu" aria-label="Handbook"><a class="icon-button menu-close" href="#content" aria-label="Close navigation">${icons.close}</a><ul>${home}</ul>${sections.join('')}</nav>`
}

function contentsList(headings: Heading[]): string {
  const shown = headings.filter(({ depth }) => depth <= 3)
  if (shown.length < 2) return '<aside class="contents"></aside>'
  const items = shown.map(
    ({ id, text, depth }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  )
  return `<aside class="contents"><nav aria-labelledby="on-this-page"><h2 id="on-this-page">On this page</h2><ul>${items.join('')}</ul></nav></aside>`
}

function neighbours({ chapters }: Frame, page: Page): string {
  const all = chapters.flatMap(({ entries }) => entries)
  const index = all.findIndex(({ slug }) => slug === page.slug)
  const link = (entry: Entry | undefined, kind: string, label: string) =>
    entry
      ? `<a class="${kind}" href="${addressOf(entry.slug)}"><span>${label}</span>${escapeHtml(entry.title)}</a>`
      : '<span></span>'
  const isListed = index !== -1 || page.slug === ''
  return isListed
    ? `<nav class="neighbours" aria-label="Pages before and after">${link(all[index - 1], 'previous', 'Previous')}${link(all[index + 1], 'next', 'Next')}</nav>`
    : ''
}

function crumb({ chapters }: Frame, page: Page): string {
  const chapter = chapters.find(({ entries }) => entries.some((entry) => isOf(entry, page)))
  const parent = chapter?.entries.find((entry) => isOf(entry, page) && entry.slug !== page.slug)
  const text = isForContributors(page.slug) ? 'For contributors' : (chapter?.title ?? '')
  const link = parent
    ? ` <span aria-hidden="true">/</span> <a href="${addressOf(parent.slug)}">${escapeHtml(parent.title)}</a>`
    : ''
  return text === '' ? '' : `<p class="crumb">${escapeHtml(text)}${link}</p>`
}

/** The front page: what is before the first chapter, then a card for each entry of each chapter. */
function front({ chapters }: Frame, page: Page): string {
  const intro = page.html.slice(0, page.html.indexOf('<h2'))
  const cards = chapters.map(({ title, entries }, index) => {
    const items = entries.map(
      ({ slug, title: name, about }) =>
        `<li><a href="${addressOf(slug)}"><b>${escapeHtml(name)}</b><span>${escapeHtml(about)}</span></a></li>`,
    )
    return `<section aria-labelledby="cards-${index}"><h2 id="cards-${index}">${escapeHtml(title)}</h2><ul class="cards">${items.join('')}</ul></section>`
  })
  return `<div class="front">${intro}</div>${cards.join('')}`
}

function shell(frame: Frame, title: string, page: Page | undefined, content: string): string {
  const { assets, version } = frame
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="preload" href="${assets.face}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.theme}"></script>
<script src="${assets.script}" type="module"></script>
</head>
<body data-search="${assets.search}">
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<a class="icon-button menu-open" href="#menu" aria-label="Open navigation">${icons.menu}</a>
<a class="brand" href="/docs/"><span class="logo">${icons.logo}</span><span class="brand-name">FlowForge</span><span class="brand-docs">Docs</span></a>
<span class="version" title="The version that this server runs">v${escapeHtml(version)}</span>
<button type="button" class="search-open needs-script" aria-haspopup="dialog" aria-label="Search the handbook">${icons.search}<span>Search</span><kbd>/</kbd></button>
<button type="button" class="icon-button theme needs-script" aria-label="Switch between light and dark">${icons.sun}${icons.moon}</button>
<a class="console" href="/">Console</a>
</header>
<div class="columns">
${navigation(frame, page)}
<main id="content" tabindex="-1">${content}</main>
${page && page.slug !== '' ? contentsList(page.headings) : '<aside class="contents"></aside>'}
</div>
<dialog class="search" aria-label="Search the handbook"><div class="search-box">${icons.search}<input type="search" placeholder="Search the handbook" aria-label="Search the handbook" autocomplete="off" spellcheck="false"><button type="button" class="search-close">Esc</button></div><p class="search-status" role="status"></p><ul class="results"></ul></dialog>
</body>
</html>
`
}

/** Returns the HTML of a page of the handbook, with the navigation around it. */
export function pageHtml(frame: Frame, page: Page): string {
  const isFront = page.slug === ''
  const wide = page.slug.startsWith('api-') ? ' wide' : ''
  const article = isFront
    ? front(frame, page)
    : `<article class="text${wide}">${crumb(frame, page)}${page.html}</article>${neighbours(frame, page)}`
  return shell(frame, isFront ? 'FlowForge Docs' : `${page.title} · FlowForge Docs`, page, article)
}

/** Returns the HTML for an address at which the handbook has no page. */
export function notFoundHtml(frame: Frame): string {
  const content = `<article class="text"><p class="crumb">404</p><h1>Page not found</h1><p>The handbook of this version has no page at this address. Search for a word, or start at the <a href="/docs/">overview</a>.</p></article>`
  return shell(frame, 'Page not found · FlowForge Docs', undefined, content)
}
