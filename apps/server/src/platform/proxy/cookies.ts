import type { OwnSecrets } from './secrets.ts'

const nameOf = (part: string) => part.split('=', 1)[0]!.trim().toLowerCase()

/** The platform's secrets among cookies, and the prefix of the names of an upstream's own. */
export type CookieRules = OwnSecrets & {
  /** Where several upstreams share a host, and so browsers share their cookies; absent: each has a host. */
  prefix?: string
}

/** Names with these beginnings bind a cookie to TLS, or to its host; browsers look at the very start. */
const special = /^(?:__host-|__secure-)?/i

/** The name under which a browser keeps a cookie of an upstream that shares its host. */
const marked = (pair: string, prefix: string) => pair.trimStart().replace(special, (start) => start + prefix)

/** The name that the upstream gave; undefined for a cookie of others. */
function unmarked(pair: string, prefix: string): string | undefined {
  const text = pair.trimStart()
  const [start = ''] = special.exec(text) ?? []
  return text.startsWith(prefix, start.length) ? start + text.slice(start.length + prefix.length) : undefined
}

/**
 * A Cookie header without the platform's own cookies. They are told by their names under TLS, and by the tokens in
 * them: on plain HTTP the names are such as other programs use too. With a prefix only the upstream's own are left.
 * Undefined when nothing is.
 */
export function withoutCookies(header: string, rules: CookieRules): string | undefined {
  const { prefix } = rules
  const pairs = header.split(';')
  const kept = pairs.filter((pair) => !rules.cookies.has(nameOf(pair)) && !rules.isIn(pair))
  if (prefix !== undefined) return kept.flatMap((pair) => unmarked(pair, prefix) ?? []).join('; ') || undefined
  if (kept.length === pairs.length) return header
  return kept.join(';').trim() || undefined
}

/**
 * A Set-Cookie header of an upstream, bound to its own host: without Domain. Undefined when it passes for a
 * cookie of the platform, or has no name: browsers send a nameless cookie as its value alone, which reads as any name.
 */
export function boundCookie(header: string, rules: CookieRules): string | undefined {
  const [pair = '', ...attributes] = header.split(';')
  const name = pair.includes('=') ? nameOf(pair) : ''
  if (name === '' || rules.cookies.has(name) || rules.isIn(pair)) return undefined
  const kept = attributes.filter((part) => nameOf(part) !== 'domain')
  if (rules.prefix !== undefined) return [marked(pair, rules.prefix), ...kept].join(';')
  return kept.length === attributes.length ? header : [pair, ...kept].join(';')
}
