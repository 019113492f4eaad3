import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

export interface ForwardedOptions {
  /** People reach the platform by https. */
  secure: boolean
  /** How many reverse proxies before this server are believed about the address of the person. */
  trustedProxies: number
}

const plain = (address: string) => (address.startsWith('::ffff:') ? address.slice(7) : address)

/** The address of the person: as far back in X-Forwarded-For as proxies are believed, else of the connection. */
export function clientAddress(request: IncomingMessage, trustedProxies: number): string | undefined {
  const nearest = request.socket.remoteAddress
  const header = trustedProxies > 0 ? request.headers['x-forwarded-for'] : undefined
  if (header !== undefined) {
    const chain = String(header).split(',')
    const claimed = plain(chain[Math.max(0, chain.length - trustedProxies)]!.trim())
    if (isIP(claimed)) return claimed
  }
  return nearest === undefined ? undefined : plain(nearest)
}

/** The platform's own words about where a request came from, as name, value, name, value. */
export function forwardedHeaders(request: IncomingMessage, host: string, options: ForwardedOptions): string[] {
  const port = /:(\d+)$/.exec(host)?.[1] ?? (options.secure ? '443' : '80')
  const proto = options.secure ? 'https' : 'http'
  const headers = ['X-Forwarded-Proto', proto, 'X-Forwarded-Host', host, 'X-Forwarded-Port', port]
  const address = clientAddress(request, options.trustedProxies)
  if (address !== undefined) headers.push('X-Forwarded-For', address, 'X-Real-IP', address)
  return headers
}
