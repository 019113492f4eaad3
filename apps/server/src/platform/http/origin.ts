import type { IncomingHttpHeaders } from 'node:http'

/**
 * Did a write come from a page of this origin, such as the console? Browsers always send Origin (or at least Sec-Fetch-Site)
 * with a write; programs that send neither carry no victim's cookie.
 */
export function isOwnOrigin(headers: IncomingHttpHeaders, ownOrigin: string): boolean {
  if (headers.origin !== undefined) return headers.origin === ownOrigin
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin' || site === 'none'
}
