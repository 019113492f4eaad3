import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FindAnswer } from './certificate.ts'

const prefix = '/.well-known/acme-challenge/'

/**
 * Answers an ACME server that asks whether a host name leads here. A challenge that nobody knows goes on to `others`,
 * since an upstream may answer challenges of its own. @returns false for any other request.
 */
export function answersChallenge(
  find: FindAnswer | undefined,
  { host, target }: { host: string; target: string },
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  others: () => void,
): boolean {
  if (!find || request.method !== 'GET' || !target.startsWith(prefix)) return false
  const token = target.slice(prefix.length)
  if (!/^[\w-]{1,200}$/.test(token)) return false
  void answer(find(host.replace(/:\d+$/, ''), token), response, others)
  return true
}

async function answer(found: ReturnType<FindAnswer>, response: ServerResponse, others: () => void): Promise<void> {
  const text = await found.catch(() => undefined)
  if (text === undefined) return others()
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' }).end(text)
}
