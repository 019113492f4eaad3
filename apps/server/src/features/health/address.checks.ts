import { isIP } from 'node:net'
import { unknownHost } from '../instance-proxy/index.ts'
import { ask, opensSocket } from './ask.ts'
import { broken, fine, type Finding, off, warning } from '../../platform/health/check.ts'

/** Only the machine itself reaches such a host. */
export const isHere = (host: string) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|.*\.localhost)$/.test(host)

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
