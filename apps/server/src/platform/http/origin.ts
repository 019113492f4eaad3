import type { IncomingHttpHeaders } from 'node:http'

/**
 * Did a write come from the console itself? Browsers always send Origin (or at least Sec-Fetch-Site)
 * with a write; programs that send neither carry no victim's cookie.
 */
export function isOwnOrigin(headers: IncomingHttpHeaders, consoleOrigin: string): boolean {
  if (headers.origin !== undefined) return headers.origin === consoleOrigin
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin' || site === 'none'
}
