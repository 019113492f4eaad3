import type { RequestListener } from 'node:http'
import type { FindAnswer } from './certificate.ts'
import { answersChallenge } from './challenge.ts'
import { badRequest, hostOf, sendNotice, targetOf, wrongHost } from '../proxy/index.ts'

/** Where the certificate of the authority is, for those who do not trust it yet. */
export const authorityPath = '/ca.crt'
export const authorityHeaders = {
  'content-type': 'application/x-x509-ca-cert',
  'content-disposition': 'attachment; filename="flowforge-ca.crt"',
  'cache-control': 'no-cache',
}

const withoutPort = (host: string) => host.replace(/:\d+$/, '')

/**
 * Sends requests by plain HTTP to the same address by HTTPS. Names that are not ours are sent nowhere. `authority`: the
 * certificate that people have to trust before they can come by HTTPS. `challenge`: what ACME servers are answered.
 */
export function redirectTo(
  { baseUrl, upstreamDomain }: { baseUrl: string; upstreamDomain: string },
  { authority, challenge }: { authority?: string | undefined; challenge?: FindAnswer | undefined } = {},
): RequestListener {
  const console = new URL(baseUrl)
  const [domain, port = ''] = upstreamDomain.split(/(?=:\d+$)/)
  return (request, response) => {
    const host = hostOf(request)
    const target = host === undefined ? undefined : targetOf(request, host)
    if (host === undefined || target === undefined) return sendNotice(request, response, badRequest)
    if (authority !== undefined && target === authorityPath)
      return void response.writeHead(200, authorityHeaders).end(authority)
    if (answersChallenge(challenge, { host, target }, { request, response }, redirect)) return
    redirect()

    function redirect(): void {
      const name = withoutPort(host!)
      const to = name === console.hostname ? console.host : name.endsWith(`.${domain}`) ? `${name}${port}` : undefined
      if (to === undefined) return sendNotice(request, response, wrongHost(baseUrl))
      // The method is kept, and nothing is remembered that would outlast the settings.
      response.writeHead(307, { location: `https://${to}${target}`, 'cache-control': 'no-store' }).end()
    }
  }
}
