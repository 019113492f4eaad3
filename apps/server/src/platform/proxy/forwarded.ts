import type { IncomingMessage } from 'node:http'
import type { Trust } from './trust.ts'

export interface ForwardedOptions {
  /** People reach the platform by https. */
  secure: boolean
  /** Which reverse proxies are believed about the address of the person. */
  trust: Trust
}

/** The platform's own words about where a request came from, as name, value, name, value. */
export function forwardedHeaders(request: IncomingMessage, host: string, options: ForwardedOptions): string[] {
  const port = /:(\d+)$/.exec(host)?.[1] ?? (options.secure ? '443' : '80')
  const proto = options.secure ? 'https' : 'http'
  const headers = ['X-Forwarded-Proto', proto, 'X-Forwarded-Host', host, 'X-Forwarded-Port', port]
  const address = options.trust.clientAddress(request)
  if (address !== undefined) headers.push('X-Forwarded-For', address, 'X-Real-IP', address)
  return headers
}
