import sanitize from 'sanitize-html'

const allowed: sanitize.IOptions = {
  allowedTags:
    'a b blockquote br code div em h1 h2 h3 h4 hr i li ol p small span strong sub sup table tbody td th thead tr u ul'.split(
      ' ',
    ),
  allowedAttributes: { a: ['href', 'title', 'target', 'rel'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  transformTags: { a: sanitize.simpleTransform('a', { target: '_blank', rel: 'noopener noreferrer' }) },
}

/**
 * HTML that an administrator wrote, without anything that runs, fetches, styles or sends: text, headings, lists,
 * tables and links. Undefined when nothing is left.
 */
export function cleanBanner(html: string | null): string | undefined {
  const clean = html ? sanitize(html, allowed).trim() : ''
  return clean === '' ? undefined : clean
}
