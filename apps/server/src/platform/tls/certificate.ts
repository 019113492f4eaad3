import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'

/** A certificate with its key, as the server can show it. */
export interface Certificate {
  /** PEM: the certificate, then those of the authorities between. */
  cert: string
  key: string
  fingerprint: string
  validFrom: number
  expiresAt: number
  /** Whether it is for this host name or IP address. */
  covers(host: string): boolean
}

/** Finds the answer to the challenge that an ACME server made for a host name. */
export type FindAnswer = (name: string, token: string) => Promise<string | undefined>

/** The certificate that is shown, and why a newer one is not. */
export interface CertificateStatus {
  certificate: Certificate
  fault?: string
  /** No authority has signed it: it is shown until the first one is issued. */
  isPlaceholder?: true
}

/** Where the certificate of the server comes from. */
export interface Certificates {
  status(): CertificateStatus
  /** Looks for a newer one now. */
  reload(): void | Promise<void>
  /** Tells of every new certificate. @returns a function that ends it. */
  follow(listener: (certificate: Certificate) => void): () => void
  close(): void
  /** Finds the certificate of a host name; present where each name has one of its own. */
  find?(name: string): Promise<Certificate | undefined>
  /** Finds the answer for an ACME server that asks whether a host name leads here. */
  challenge?: FindAnswer
  /** The authority of the platform itself, if that signs: its certificate in PEM, which clients have to trust. */
  authority?: { cert: string; fingerprint: string }
}

/** A certificate that cannot be shown; the message says why, in a sentence. */
export class BadCertificate extends Error {}

/** Joins a certificate and its key. @throws BadCertificate when they cannot be read or do not belong together. */
export function certificateOf(cert: string, key: string): Certificate {
  const first = parsedCertificate(cert)
  if (!first.checkPrivateKey(parsedKey(key))) throw new BadCertificate('The key does not belong to the certificate.')
  try {
    // The authorities between are read here for the first time.
    createSecureContext({ cert, key })
  } catch (error) {
    throw new BadCertificate(`The certificate cannot be used: ${(error as Error).message}.`)
  }
  return {
    cert,
    key,
    fingerprint: first.fingerprint256,
    validFrom: Date.parse(first.validFrom),
    expiresAt: Date.parse(first.validTo),
    covers: (host) => (isIP(host) ? first.checkIP(host) : first.checkHost(host)) !== undefined,
  }
}

function parsedCertificate(text: string): X509Certificate {
  try {
    return new X509Certificate(text)
  } catch {
    throw new BadCertificate('The file of the certificate holds none in PEM format.')
  }
}

function parsedKey(text: string): KeyObject {
  if (/^-----BEGIN ENCRYPTED|^Proc-Type: .*ENCRYPTED/m.test(text))
    throw new BadCertificate('The key is protected by a passphrase; save it without one.')
  try {
    return createPrivateKey(text)
  } catch {
    throw new BadCertificate('The file of the key holds none in PEM format.')
  }
}
