import type { OwnSecrets } from './secrets.ts'

const nameOf = (part: string) => part.split('=', 1)[0]!.trim().toLowerCase()

/**
 * A Cookie header without the platform's own cookies. They are told by their names under TLS, and by the tokens in
 * them: on plain HTTP the names are such as other applications use too. Undefined when nothing is left.
 */
export function withoutCookies(header: string, own: OwnSecrets): string | undefined {
  const pairs = header.split(';')
  const kept = pairs.filter((pair) => !own.cookies.has(nameOf(pair)) && !own.isIn(pair))
  if (kept.length === pairs.length) return header
  return kept.join(';').trim() || undefined
}

/**
 * A Set-Cookie header of an instance, bound to the instance's own host: without Domain. Undefined when it passes for a
 * cookie of the platform, or has no name: browsers send a nameless cookie as its value alone, which reads as any name.
 */
export function boundCookie(header: string, own: OwnSecrets): string | undefined {
  const [pair = '', ...attributes] = header.split(';')
  const name = pair.includes('=') ? nameOf(pair) : ''
  if (name === '' || own.cookies.has(name) || own.isIn(pair)) return undefined
  const kept = attributes.filter((part) => nameOf(part) !== 'domain')
  return kept.length === attributes.length ? header : [pair, ...kept].join(';')
}
