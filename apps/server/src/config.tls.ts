import { isIP } from 'node:net'
import * as z from 'zod'
import { type AcmeConfig, acmeOf, acmeProblems, acmeSettings, type AcmeValues, isAcme } from './config.acme.ts'
import { always, optionally } from './config.setting.ts'
import { isHost, wholeNumber } from './config.values.ts'

/** Where the certificate comes from: files, the authority of the platform itself, or an ACME server. */
export type CertificateSource =
  | { kind: 'files'; certFile: string; keyFile: string }
  | { kind: 'local' }
  | ({ kind: 'acme' } & AcmeConfig)

/** Settings of the server's own TLS listener. */
export interface TlsConfig {
  source: CertificateSource
  port: number
  /** Absent: every address of the machine. */
  host?: string
  /** Port on which plain HTTP is answered with a redirect. */
  redirectPort?: number
}

/** The settings of TLS. */
export const tlsSettings = {
  FORGE_TLS_CERT_FILE: optionally(z.string(), {
    about:
      'TLS certificate chain in PEM format, server certificate first. The server then serves HTTPS on FORGE_TLS_PORT, besides plain HTTP on FORGE_PORT. A changed file is reloaded within seconds, or at once on SIGHUP, without dropping connections.',
    expected: 'the path of a file',
    example: '/etc/letsencrypt/live/forge.example.com/fullchain.pem',
  }),
  FORGE_TLS_KEY_FILE: optionally(z.string(), {
    about: 'Private key of the TLS certificate: a PEM file without a passphrase.',
    expected: 'the path of a file',
    example: '/etc/letsencrypt/live/forge.example.com/privkey.pem',
  }),
  FORGE_TLS_LOCAL_CA: always(
    z.enum(['true', 'false']).transform((text) => text === 'true'),
    {
      about:
        'With true the server creates its own certificate authority and serves HTTPS, for networks without public names. Browsers have to trust the authority once: see docs/local-ca.md. Cannot be combined with FORGE_TLS_CERT_FILE or FORGE_TLS_ACME.',
      expected: 'the word true or false',
      fallback: 'false',
      example: 'true',
    },
  ),
  ...acmeSettings,
  FORGE_TLS_PORT: optionally(wholeNumber(1, 65_535), {
    about: 'Port of the console and the instances over HTTPS.',
    expected: 'a whole number from 1 to 65535',
    fallback: 'the port of FORGE_BASE_URL',
    example: '8443',
  }),
  FORGE_TLS_HOST: optionally(z.string().refine(isHost), {
    about: 'Address to listen on for HTTPS and the redirect.',
    expected: 'an IP address or a host name, without a port',
    fallback: 'every address of the machine',
    example: '192.0.2.10',
  }),
  FORGE_HTTP_REDIRECT_PORT: optionally(wholeNumber(1, 65_535), {
    about: 'Port that redirects plain HTTP to HTTPS. Without it there is no redirect.',
    expected: 'a whole number from 1 to 65535',
    fallback: '`80` with FORGE_TLS_ACME, otherwise not set',
    example: '80',
  }),
}

interface Values extends AcmeValues {
  FORGE_PORT: number
  FORGE_TLS_CERT_FILE?: string | undefined
  FORGE_TLS_KEY_FILE?: string | undefined
  FORGE_TLS_LOCAL_CA: boolean
  FORGE_TLS_PORT?: number | undefined
  FORGE_TLS_HOST?: string | undefined
  FORGE_HTTP_REDIRECT_PORT?: number | undefined
}

const portOf = (values: Values, baseUrl: string) => values.FORGE_TLS_PORT ?? Number(new URL(baseUrl).port || 443)

/** An ACME server asks port 80 for proof, so that listening there is the default with one. */
const redirectPortOf = (values: Values) => values.FORGE_HTTP_REDIRECT_PORT ?? (values.FORGE_TLS_ACME ? 80 : undefined)

function sourceOf(values: Values): CertificateSource | undefined {
  const { FORGE_TLS_CERT_FILE: certFile, FORGE_TLS_KEY_FILE: keyFile } = values
  if (certFile && keyFile) return { kind: 'files', certFile, keyFile }
  if (values.FORGE_TLS_LOCAL_CA) return { kind: 'local' }
  const acme = acmeOf(values)
  return acme && { kind: 'acme', ...acme }
}

/** The part of the configuration, unless there is no certificate. */
export function tlsOf(values: Values, baseUrl: string): { tls?: TlsConfig } {
  const source = sourceOf(values)
  if (!source) return {}
  const { FORGE_TLS_HOST: host } = values
  const redirectPort = redirectPortOf(values)
  const port = portOf(values, baseUrl)
  return { tls: { source, port, ...(host && { host }), ...(redirectPort && { redirectPort }) } }
}

/** The settings that do not fit together, a sentence each. */
export function tlsProblems(values: Values, baseUrl: string): string[] {
  const { FORGE_TLS_CERT_FILE: certFile, FORGE_TLS_KEY_FILE: keyFile, FORGE_TLS_LOCAL_CA: isLocal } = values
  const given = certFile ? 'FORGE_TLS_CERT_FILE' : keyFile ? 'FORGE_TLS_KEY_FILE' : undefined
  const sources = [given, isLocal && 'FORGE_TLS_LOCAL_CA', isAcme(values) && 'FORGE_TLS_ACME'].filter(
    (name): name is string => typeof name === 'string',
  )
  const [source, other] = sources
  if (!source) return [...lonely(values), ...acmeProblems(values, baseUrl)]
  if (other) return [`${source} and ${other} are both set; set one of them.`]
  if (given && (!certFile || !keyFile)) {
    const missing = certFile ? 'FORGE_TLS_KEY_FILE' : 'FORGE_TLS_CERT_FILE'
    return [`${missing} is not set; it must be the path of a file, because ${given} is set.`]
  }
  const because = `because ${source} is set.`
  if (!baseUrl.startsWith('https:')) return [`FORGE_BASE_URL is "${baseUrl}"; it must begin with https://, ${because}`]
  if (isLocal && isIP(new URL(baseUrl).hostname.replace(/[[\]]/g, '')) === 6)
    return [`FORGE_BASE_URL is "${baseUrl}"; it must have a host name or an IPv4 address, ${because}`]
  return [...acmeProblems(values, baseUrl), ...samePorts(values, baseUrl)]
}

/** Settings that do nothing without a certificate. */
function lonely(values: Values): string[] {
  const names = ['FORGE_TLS_PORT', 'FORGE_TLS_HOST', 'FORGE_HTTP_REDIRECT_PORT'] as const
  return names
    .filter((name) => values[name] !== undefined)
    .map(
      (name) =>
        `${name} is set without a certificate; set FORGE_TLS_CERT_FILE, FORGE_TLS_LOCAL_CA or FORGE_TLS_ACME as well.`,
    )
}

function samePorts(values: Values, baseUrl: string): string[] {
  const { FORGE_PORT: plain } = values
  const redirect = redirectPortOf(values)
  const tls = portOf(values, baseUrl)
  const same = [
    tls === plain && 'FORGE_TLS_PORT and FORGE_PORT',
    redirect === plain && 'FORGE_HTTP_REDIRECT_PORT and FORGE_PORT',
    redirect === tls && 'FORGE_HTTP_REDIRECT_PORT and FORGE_TLS_PORT',
  ]
  return same.flatMap((names) => (names ? [`${names} are the same port; set them to different ones.`] : []))
}
