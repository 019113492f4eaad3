import { isIP } from 'node:net'
import { connect, type DetailedPeerCertificate } from 'node:tls'
import { unknownHost } from '../../platform/proxy/index.ts'
import { ask, opensSocket } from './ask.ts'
import { broken, fine, type Finding, off, warning } from '../../platform/health/check.ts'

const waitMs = 10_000
const soonMs = 21 * 86_400_000

const isHere = (host: string) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|.*\.localhost)$/.test(host)

const unknownName = (host: string): Finding => broken('ADDR05', `This machine does not know the name ${host}.`)

/** Asks the platform under its public address, as a browser would: HTTP, then a WebSocket. */
export async function checkAddress(baseUrl: string): Promise<Finding> {
  const http = await ask(`${baseUrl}/livez`)
  if (http.status === 0 && http.isUnknown) return unknownName(new URL(baseUrl).hostname)
  if (http.status !== 200 || (http.json as { status?: string } | undefined)?.status !== 'ok')
    return broken(
      'ADDR01',
      `${baseUrl} ${http.status > 0 ? `answers ${http.status}, and not as this platform` : 'does not answer'}.`,
    )
  if (!(await opensSocket(`${baseUrl}/livez`))) return broken('ADDR02', `${baseUrl} answers, and takes no WebSocket.`)
  return fine(`${baseUrl} answers, also by WebSocket.`)
}

/** Asks for an instance that cannot be: the platform itself must answer that there is none. */
export async function checkNames(baseUrl: string, domain: string): Promise<Finding> {
  if (isHere(new URL(`http://${domain}`).hostname)) return fine('Browsers resolve all names below localhost.')
  const name = `health-check-${process.pid}.${domain}`
  const answer = await ask(`${new URL(baseUrl).protocol}//${name}/`)
  if (answer.status === 0)
    return broken('ADDR03', `Names below ${domain} ${answer.isUnknown ? 'are not known here' : 'do not lead here'}.`)
  const { code, message } = (answer.json ?? {}) as { code?: string; message?: string }
  if (answer.status !== 404 || code !== 'not_found') return broken('ADDR03', `Names below ${domain} do not lead here.`)
  // The console says so too, of its own pages, when a proxy has changed the Host header.
  return message?.includes(unknownHost.text)
    ? fine(`Names below ${domain} lead here.`)
    : broken('ADDR03', `Names below ${domain} lead to the console: the Host header was changed on the way.`)
}

/** The certificate that browsers are shown, for the console and for instances. */
export async function checkCertificate(baseUrl: string, domain?: string): Promise<Finding> {
  const { protocol, hostname } = new URL(baseUrl)
  if (protocol === 'http:')
    return isHere(hostname)
      ? off('Only this machine uses the address.')
      : warning('TLS01', `${baseUrl} is not encrypted.`)
  const { shown, isAway } = await readCertificate(baseUrl)
  if (isAway) return off('The public address does not answer, so no certificate was seen.')
  if (!shown) return broken('TLS03', `${baseUrl} shows no certificate.`)
  const own = judgeCertificate(shown, Date.now())
  if (own.state !== 'ok' || domain === undefined) return own
  const name = `health-check-${process.pid}.${domain}`
  const below = (await readCertificate(`https://${name}`)).shown
  return below?.fault === wrongName ? broken('TLS03', `The certificate is not for names below ${domain}.`) : own
}

/**
 * Can a page of an instance set cookies that browsers send to the console? Under TLS the console's cannot be set from
 * below; on plain HTTP they can wherever both are below one domain.
 */
export async function checkCookies(baseUrl: string, domain: string): Promise<Finding> {
  const { protocol, hostname } = new URL(baseUrl)
  if (protocol === 'https:') return fine('Pages of instances cannot set the cookies of the console.')
  if (isHere(hostname)) return off('Only this machine uses the address.')
  const instances = new URL(`http://x.${domain}`).hostname
  const shared = sharedDomain(hostname, instances)
  return shared === undefined
    ? fine('The console and the instances are below different domains.')
    : warning('TLS04', `The console and the instances are both below ${shared}, without encryption.`)
}

/** The domain that two hosts have in common, if cookies can be set for it: one of two labels at least. */
function sharedDomain(one: string, other: string): string | undefined {
  if (isIP(one.replace(/[[\]]/g, ''))) return undefined
  const [a, b] = [one, other].map((name) => name.split('.').toReversed())
  const end = a!.findIndex((label, i) => label !== b![i])
  const labels = end === -1 ? a! : a!.slice(0, end)
  return labels.length < 2 ? undefined : labels.toReversed().join('.')
}

export interface ShownCertificate {
  /** Why it is not to be trusted; empty when it is. */
  fault: string
  expiresAt: number
}

const wrongName = 'ERR_TLS_CERT_ALTNAME_INVALID'
/** Nothing that this machine trusts has signed it. */
const unknownAuthority = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

export function judgeCertificate({ fault, expiresAt }: ShownCertificate, now: number): Finding {
  const until = `until ${new Date(expiresAt).toISOString().slice(0, 10)}`
  if (expiresAt < now) return broken('TLS03', `The certificate was valid ${until}.`)
  if (unknownAuthority.has(fault))
    return warning('TLS05', `This machine does not trust whoever signed the certificate, valid ${until} (${fault}).`)
  if (fault === wrongName) return broken('TLS03', 'The certificate is for other names.')
  if (fault) return broken('TLS03', `The certificate is not trusted: ${fault}.`)
  return expiresAt - now < soonMs ? warning('TLS02', `The certificate is valid ${until}.`) : fine(`Valid ${until}.`)
}

/** `isAway`: nobody is at the address, or its name is not known. */
export async function readCertificate(address: string): Promise<{ shown?: ShownCertificate; isAway: boolean }> {
  const { hostname, port } = new URL(address)
  return certificateOf(hostname.replace(/[[\]]/g, ''), Number(port || 443))
}

function certificateOf(host: string, port: number): Promise<{ shown?: ShownCertificate; isAway: boolean }> {
  return new Promise((resolve) => {
    let isAway = true
    // It is looked at, not relied on; browsers are those who trust it.
    const servername = isIP(host) ? '' : host
    const socket = connect({ host, port, servername, rejectUnauthorized: false, timeout: waitMs }, () => {
      const certificate: Partial<DetailedPeerCertificate> = socket.getPeerCertificate()
      const { authorizationError: error } = socket as { authorizationError: Error | string | undefined }
      const fault = socket.authorized ? '' : ((error as NodeJS.ErrnoException).code ?? String(error))
      socket.destroy()
      resolve(
        certificate.valid_to
          ? { shown: { fault, expiresAt: Date.parse(certificate.valid_to) }, isAway: false }
          : { isAway: false },
      )
    })
    const fail = () => {
      socket.destroy()
      resolve({ isAway })
    }
    socket.once('connect', () => (isAway = false))
    socket.once('error', fail)
    socket.once('timeout', fail)
  })
}
