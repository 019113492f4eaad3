import { isIP } from 'node:net'
import { connect, type DetailedPeerCertificate } from 'node:tls'
import type { Certificates, CertificateStatus } from '../../platform/tls/certificate.ts'
import { broken, fine, type Finding, off, warning } from '../../platform/health/check.ts'
import { isHere } from './address.checks.ts'

const waitMs = 10_000
const dayMs = 86_400_000

/** The certificate that browsers are shown, for the console and for instances. `own`: of this server itself. */
export async function checkCertificate(
  baseUrl: string,
  domain?: string,
  own?: Pick<Certificates, 'status' | 'authority' | 'find'>,
): Promise<Finding> {
  // Where each name has a certificate of its own, this one is for the console alone.
  const instanceDomain = own?.find ? undefined : domain
  const seen = own && judgeOwn(own.status(), { baseUrl, instanceDomain }, Date.now())
  if (seen && seen.state !== 'ok') return seen
  if (own?.authority)
    return fine(`Signed by the authority of this platform, with the fingerprint ${own.authority.fingerprint}.`)
  const { protocol, hostname } = new URL(baseUrl)
  if (protocol === 'http:')
    return isHere(hostname)
      ? off('Only this machine uses the address.')
      : warning('TLS01', `${baseUrl} is not encrypted.`)
  const { shown, isAway } = await readCertificate(baseUrl)
  if (isAway) return seen ?? off('The public address does not answer, so no certificate was seen.')
  if (!shown) return broken('TLS03', `${baseUrl} shows no certificate.`)
  const outside = judgeCertificate(shown, Date.now())
  if (outside.state !== 'ok' || instanceDomain === undefined) return outside
  const name = `health-check-${process.pid}.${instanceDomain}`
  const below = (await readCertificate(`https://${name}`)).shown
  return below?.fault === wrongName
    ? broken('TLS03', `The certificate is not for names below ${instanceDomain}.`)
    : outside
}

export interface ShownCertificate {
  /** Why it is not to be trusted; empty when it is. */
  fault: string
  validFrom: number
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

const lifeOf = (from: string, to: string) => ({ validFrom: Date.parse(from), expiresAt: Date.parse(to) })

/**
 * Judges the remaining validity. Certificates that live for less than 90 days are renewed later, and warned of later in
 * proportion.
 */
function judgeExpiry(
  { validFrom, expiresAt }: Pick<ShownCertificate, 'validFrom' | 'expiresAt'>,
  now: number,
): Finding {
  const until = `until ${new Date(expiresAt).toISOString().slice(0, 10)}`
  const left = (expiresAt - now) / dayMs
  const part = Math.min(1, (expiresAt - validFrom) / (90 * dayMs))
  const days = Math.floor(left)
  const seen = `The certificate is valid ${until}, for ${days === 1 ? 'one more day' : `${days} more days`}.`
  if (left < 3 * part) return broken('TLS02', seen)
  if (left < 14 * part) return warning('TLS02', `${seen} It should have been renewed by now.`)
  return left < 30 * part ? warning('TLS02', seen) : fine(`Valid ${until}.`)
}

/** The certificate that this server itself shows, for the names of the platform. */
export function judgeOwn(
  { certificate, fault, isPlaceholder }: CertificateStatus,
  /** Without a domain instances answer at the host of the console. */
  { baseUrl, instanceDomain }: { baseUrl: string; instanceDomain?: string | undefined },
  now: number,
): Finding {
  if (isPlaceholder)
    return broken('TLS12', `There is no certificate for ${hostnameOf(baseUrl)} yet, so browsers show a warning.`)
  const until = new Date(certificate.expiresAt).toISOString().slice(0, 10)
  if (certificate.expiresAt < now)
    return broken('TLS03', `The certificate was valid until ${until}. ${fault ?? ''}`.trimEnd())
  if (fault !== undefined) return warning('TLS06', `The certificate valid until ${until} stays in use. ${fault}`)
  const host = hostnameOf(baseUrl)
  if (!certificate.covers(host)) return broken('TLS07', `The certificate is not for ${host}.`)
  const below = instanceDomain && hostnameOf(`https://${instanceDomain}`)
  if (below && !certificate.covers(`health-check.${below}`))
    return broken('TLS07', `The certificate is not for *.${below}.`)
  return judgeExpiry(certificate, now)
}

const hostnameOf = (address: string) => new URL(address).hostname.replace(/[[\]]/g, '')

export function judgeCertificate({ fault, validFrom, expiresAt }: ShownCertificate, now: number): Finding {
  const until = `until ${new Date(expiresAt).toISOString().slice(0, 10)}`
  if (expiresAt < now) return broken('TLS03', `The certificate was valid ${until}.`)
  if (unknownAuthority.has(fault))
    return warning('TLS05', `This machine does not trust whoever signed the certificate, valid ${until} (${fault}).`)
  if (fault === wrongName) return broken('TLS03', 'The certificate is for other names.')
  if (fault) return broken('TLS03', `The certificate is not trusted: ${fault}.`)
  return judgeExpiry({ validFrom, expiresAt }, now)
}

/** `isAway`: nobody is at the address, or its name is not known. */
export async function readCertificate(address: string): Promise<{ shown?: ShownCertificate; isAway: boolean }> {
  return certificateOf(hostnameOf(address), Number(new URL(address).port || 443))
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
        certificate.valid_from && certificate.valid_to
          ? { shown: { fault, ...lifeOf(certificate.valid_from, certificate.valid_to) }, isAway: false }
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
