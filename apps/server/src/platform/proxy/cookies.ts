const attribute = (part: string) => part.split('=', 1)[0]!.trim().toLowerCase()

/**
 * A Cookie header without the cookies of these names (lower case), whatever their case and the space around them.
 * Undefined when nothing is left.
 */
export function withoutCookies(header: string, names: ReadonlySet<string>): string | undefined {
  const pairs = header.split(';')
  const kept = pairs.filter((pair) => !names.has(attribute(pair)))
  if (kept.length === pairs.length) return header
  return kept.join(';').trim() || undefined
}

/**
 * A Set-Cookie header of an instance, bound to the instance's own host: without Domain. Undefined when it has the
 * name of a platform cookie, or none: browsers send a nameless cookie as its value alone, which reads as any name.
 */
export function boundCookie(header: string, names: ReadonlySet<string>): string | undefined {
  const [pair = '', ...attributes] = header.split(';')
  const name = pair.includes('=') ? attribute(pair) : ''
  if (name === '' || names.has(name)) return undefined
  const kept = attributes.filter((part) => attribute(part) !== 'domain')
  return kept.length === attributes.length ? header : [pair, ...kept].join(';')
}
