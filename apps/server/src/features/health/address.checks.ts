import { isIP } from 'node:net'
import { connect, type DetailedPeerCertificate } from 'node:tls'
import { broken, fine, type Finding, off, warning } from './check.ts'

const waitMs = 10_000
const soonMs = 21 * 86_400_000

const isHere = (host: string) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|.*\.localhost)$/.test(host)

/** Asks the platform under its public address, as a browser would: HTTP, then a WebSocket. */
export async function checkAddress(baseUrl: string): Promise<Finding> {
  const http = await ask(`${baseUrl}/livez`)
  if (http?.status !== 200 || (http.json as { status?: string } | undefined)?.status !== 'ok')
    return broken(
      'ADDR01',
      `${baseUrl} ${http ? `answers ${http.status}, and not as this platform` : 'does not answer'}.`,
    )
  if (!(await opensSocket(`${baseUrl.replace(/^http/, 'ws')}/livez`)))
    return broken('ADDR02', `${baseUrl} answers, and takes no WebSocket.`)
  return fine(`${baseUrl} answers, also by WebSocket.`)
}

/** Asks for an instance that cannot be: the platform itself must answer that there is none. */
export async function checkNames(baseUrl: string, domain: string): Promise<Finding> {
  if (isHere(new URL(`http://${domain}`).hostname)) return fine('Browsers resolve all names below localhost.')
  const answer = await ask(`${new URL(baseUrl).protocol}//health-check-${process.pid}.${domain}/`)
  const ours = answer?.status === 404 && (answer.json as { code?: string } | undefined)?.code === 'not_found'
  return ours ? fine(`Names below ${domain} lead here.`) : broken('ADDR03', `Names below ${domain} do not lead here.`)
}

/** The certificate that browsers are shown. */
export async function checkCertificate(baseUrl: string): Promise<Finding> {
  const { protocol, hostname, port } = new URL(baseUrl)
  if (protocol === 'http:')
    return isHere(hostname)
      ? off('Only this machine uses the address.')
      : warning('TLS01', `${baseUrl} is not encrypted.`)
  const shown = await certificateOf(hostname.replace(/[[\]]/g, ''), Number(port || 443))
  return shown ? judgeCertificate(shown, Date.now()) : broken('TLS03', `${baseUrl} shows no certificate.`)
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

export function judgeCertificate({ fault, expiresAt }: ShownCertificate, now: number): Finding {
  const until = `until ${new Date(expiresAt).toISOString().slice(0, 10)}`
  if (expiresAt < now) return broken('TLS03', `The certificate was valid ${until}.`)
  if (fault) return broken('TLS03', `The certificate is not trusted: ${fault}.`)
  return expiresAt - now < soonMs ? warning('TLS02', `The certificate is valid ${until}.`) : fine(`Valid ${until}.`)
}

function certificateOf(host: string, port: number): Promise<ShownCertificate | undefined> {
  return new Promise((resolve) => {
    // It is looked at, not relied on; browsers are those who trust it.
    const socket = connect({ host, port, servername: host, rejectUnauthorized: false, timeout: waitMs }, () => {
      const certificate: Partial<DetailedPeerCertificate> = socket.getPeerCertificate()
      const fault = socket.authorized ? '' : String(socket.authorizationError)
      socket.destroy()
      resolve(certificate.valid_to ? { fault, expiresAt: Date.parse(certificate.valid_to) } : undefined)
    })
    const fail = () => {
      socket.destroy()
      resolve(undefined)
    }
    socket.once('error', fail)
    socket.once('timeout', fail)
  })
}

async function ask(url: string): Promise<{ status: number; json: unknown } | undefined> {
  try {
    const signal = AbortSignal.timeout(waitMs)
    const answer = await fetch(url, { redirect: 'manual', signal, headers: { accept: 'application/json' } })
    const json: unknown = await answer.json().catch(() => undefined)
    return { status: answer.status, json }
  } catch {
    return undefined
  }
}

function opensSocket(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url)
    const end = (result: boolean) => {
      clearTimeout(timer)
      resolve(result)
      socket.close()
    }
    const timer = setTimeout(() => end(false), waitMs)
    socket.addEventListener('open', () => end(true), { once: true })
    socket.addEventListener('error', () => end(false), { once: true })
  })
}
