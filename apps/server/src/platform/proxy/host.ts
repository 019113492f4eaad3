import type { IncomingMessage } from 'node:http'

const name = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const pattern = new RegExp(`^(?:(${name}(?:\\.${name})*)\\.?|(\\[[0-9a-f:.]{2,45}\\]))(?::(\\d{1,5}))?$`)

/**
 * The host and port of a Host header or URL authority: lower case, without a final dot and without the port that the
 * scheme implies, as `URL.host` writes it. Undefined when it is not one.
 */
function normalHost(text: string): string | undefined {
  const match = text.length <= 261 ? pattern.exec(text.toLowerCase()) : null
  if (!match) return undefined
  const host = (match[1] ?? match[2])!
  const port = match[3]
  if (host.length > 253 || Number(port) > 65_535) return undefined
  return port === undefined || port === '80' || port === '443' ? host : `${host}:${Number(port)}`
}

const loopback = ['localhost', '127.0.0.1', '[::1]']

/**
 * The hosts under which the console answers, as `hostOf` returns them: that of its address, and those at which this
 * machine and its containers reach it. On this machine alone, every name of the machine will do.
 */
export function consoleHosts(baseUrl: string, ...localUrls: string[]): ReadonlySet<string> {
  const { host, hostname, port } = new URL(baseUrl)
  const isLocal = loopback.includes(hostname)
  const all = [
    host,
    ...localUrls.map((url) => new URL(url).host),
    ...(isLocal ? loopback.map((name) => `${name}:${port || 80}`) : []),
  ]
  return new Set(all.flatMap((one) => normalHost(one) ?? []))
}

/**
 * Finds the port of an upstream in a host, as `hostOf` returns it, on a platform that gives ports in the place of names:
 * it has one of the console's names (`hosts`) and a port of the range. Undefined for every other host.
 */
export function portsBelow(hosts: ReadonlySet<string>, { first, last }: { first: number; last: number }) {
  const names = new Set([...hosts].map((host) => host.replace(/:\d+$/, '')))
  return (host: string): number | undefined => {
    const [, name = '', digits = ''] = /^(.*):(\d+)$/.exec(host) ?? []
    const port = Number(digits)
    return port >= first && port <= last && names.has(name) ? port : undefined
  }
}

/** The Host header of a request as `URL.host` writes it; undefined when it is missing, there twice or malformed. */
export function hostOf(request: IncomingMessage): string | undefined {
  const { rawHeaders } = request
  let found: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.length !== 4 || rawHeaders[at]!.toLowerCase() !== 'host') continue
    if (found !== undefined) return undefined
    found = rawHeaders[at + 1]!
  }
  return found === undefined ? undefined : normalHost(found)
}

/**
 * The path and query of a request target. A target with a host of its own (`GET http://host/path`) must name that of
 * the Host header, or two servers on the way could disagree about who is meant. Undefined when it is refused.
 */
export function targetOf(request: IncomingMessage, host: string): string | undefined {
  const target = request.url!
  if (target.startsWith('/')) return target
  if (target === '*') return request.method === 'OPTIONS' ? target : undefined
  const match = /^https?:\/\/([^/?#]*)([^#]*)$/i.exec(target)
  if (!match || normalHost(match[1]!) !== host) return undefined
  const path = match[2]!
  return path.startsWith('/') ? path : `/${path}`
}
