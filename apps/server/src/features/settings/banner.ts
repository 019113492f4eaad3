import type { IOptions } from 'sanitize-html'

const allowed: IOptions = {
  allowedTags:
    'a b blockquote br code div em h1 h2 h3 h4 hr i li ol p small span strong sub sup table tbody td th thead tr u ul'.split(
      ' ',
    ),
  allowedAttributes: { a: ['href', 'title', 'target', 'rel'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  transformTags: {
    a: (_name, attribs) => ({ tagName: 'a', attribs: { ...attribs, target: '_blank', rel: 'noopener noreferrer' } }),
  },
}

/**
 * HTML that an administrator wrote, without anything that runs, fetches, styles or sends: text, headings, lists,
 * tables and links. Undefined when nothing is left. The library is loaded for the first banner: it takes 15 MB.
 */
export async function cleanBanner(html: string | null): Promise<string | undefined> {
  if (!html) return undefined
  const { default: sanitize } = await import('sanitize-html')
  const clean = sanitize(html, allowed).trim()
  return clean === '' ? undefined : clean
}
