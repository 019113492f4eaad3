import { boundCookie, type CookieRules, withoutCookies } from './cookies.ts'

/** Meant for one connection only, or rebuilt by the next sender. */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]
/** Headers from which an upstream would draw conclusions about the person; only the platform sets them. */
const trust = ['forwarded', 'x-real-ip', 'x-client-ip', 'true-client-ip', 'x-cluster-client-ip']
const trustPrefix = /^x[-_]for(?:warded|ge)(?:[-_]|$)/
/** Headers by which an upstream could affect its sibling hosts or the console in a browser. */
const overreaching = ['clear-site-data', 'strict-transport-security', 'alt-svc', 'public-key-pins']
/** Frame the message and name its target: a Connection header must not remove them, nor a trailer add them. */
const framing = ['content-length', 'transfer-encoding', 'host']

const requestDrops = new Set([...hopByHop, ...trust])
const responseDrops = new Set([...hopByHop, ...overreaching])
const untouchable = new Set(framing)

/** The headers that the Connection header names beside the usual two; nearly always none. */
function nominated(connection: string | undefined): string[] {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return []
  return connection
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => !untouchable.has(name))
}

function isDropped(name: string, drops: ReadonlySet<string>, nominees: readonly string[]): boolean {
  return drops.has(name) || (nominees.length > 0 && nominees.includes(name))
}

/** The request headers an upstream may see, as name, value, name, value; `extra` is appended. */
export function requestHeaders(
  raw: readonly string[],
  connection: string | undefined,
  own: CookieRules,
  extra: readonly string[],
): string[] {
  const nominees = nominated(connection)
  const kept: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase()
    let value = raw[at + 1]
    if (isDropped(name, requestDrops, nominees) || (name.startsWith('x') && trustPrefix.test(name))) continue
    if (name === 'cookie') value = withoutCookies(value!, own)
    // Upstreams have tokens of their own, which pass; those of the platform are never meant for them.
    else if (name === 'authorization' ? own.isCredential(value!) : own.isIn(value!)) continue
    if (value !== undefined) kept.push(raw[at]!, value)
  }
  for (const text of extra) kept.push(text)
  return kept
}

/** The response headers a browser may see of an upstream, as name, value, name, value; `extra` is appended. */
export function responseHeaders(
  raw: readonly string[],
  connection: string | undefined,
  own: CookieRules,
  extra: readonly string[] = [],
): string[] {
  const nominees = nominated(connection)
  const kept: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase()
    let value = raw[at + 1]
    if (isDropped(name, responseDrops, nominees)) continue
    if (name === 'set-cookie') value = boundCookie(value!, own)
    if (value !== undefined) kept.push(raw[at]!, value)
  }
  for (const text of extra) kept.push(text)
  return kept
}

/** Filtered headers as trailers, in pairs. Trailers cannot frame or address a message that is already under way. */
export function trailers(filtered: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let at = 0; at < filtered.length; at += 2) {
    if (!untouchable.has(filtered[at]!.toLowerCase())) pairs.push([filtered[at]!, filtered[at + 1]!])
  }
  return pairs
}
