import { randomBytes, type webcrypto } from 'node:crypto'
import { isIP } from 'node:net'

const dayMs = 86_400_000
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const authorityDays = 3_650
/** Browsers take certificates of private authorities for no more than 825 days; a year has room for a renewal. */
const certificateDays = 397
/** Clocks of clients may be behind. */
const earlyMs = dayMs

/** A certificate and its key, in PEM. */
export interface Pair {
  cert: string
  key: string
}

/** Loaded when it is needed: few platforms sign anything. */
async function library() {
  await import('reflect-metadata')
  return import('@peculiar/x509')
}

/** The names of the platform that a certificate is for, and below which its authority may sign. */
export interface PlatformNames {
  /** The host name or IPv4 address of the console. */
  console: string
  /** Instances answer below it; undefined: at the host of the console. */
  domain: string | undefined
}

/**
 * Makes a certificate authority that is good for these names alone: whoever steals its key cannot pose as other sites
 * to those who trust it.
 */
export async function makeAuthority(names: PlatformNames, now: number): Promise<Pair> {
  const x509 = await library()
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const { keyCertSign, cRLSign } = x509.KeyUsageFlags
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ O: ['FlowForge'] }, { CN: [commonName(`FlowForge authority of ${names.console}`)] }],
    notBefore: new Date(now - earlyMs),
    notAfter: new Date(now + authorityDays * dayMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(keyCertSign | cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      new x509.Extension('2.5.29.30', true, nameConstraints(names)),
    ],
  })
  return { cert: `${certificate.toString('pem')}\n`, key: await pemOf(keys.privateKey) }
}

/** Signs a certificate for these names. */
export async function signCertificate(authority: Pair, names: PlatformNames, now: number): Promise<Pair> {
  const x509 = await library()
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const signer = new x509.X509Certificate(authority.cert)
  const [pkcs8] = x509.PemConverter.decode(authority.key)
  const { console } = names
  const own = isIP(console) ? { type: 'ip' as const, value: console } : { type: 'dns' as const, value: console }
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    // Clients may judge one that reads as a host name by the constraints for host names.
    subject: [{ CN: [commonName(isIP(console) ? `FlowForge at ${console}` : console)] }],
    issuer: signer.subjectName,
    notBefore: new Date(now - earlyMs),
    notAfter: new Date(Math.min(now + certificateDays * dayMs, signer.notAfter.getTime())),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: await crypto.subtle.importKey('pkcs8', pkcs8!, algorithm, false, ['sign']),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        own,
        ...below(names).map((value) => ({ type: 'dns' as const, value })),
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(signer.publicKey),
    ],
  })
  return { cert: `${certificate.toString('pem')}\n`, key: await pemOf(keys.privateKey) }
}

const below = ({ domain }: PlatformNames) => (domain === undefined ? [] : [`*.${domain}`])

/** The format has room for 64 characters. */
const commonName = (text: string) => text.slice(0, 64)

/** Positive, as the format demands. */
const serialNumber = () => `00${randomBytes(16).toString('hex')}`

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const text = Buffer.from(await crypto.subtle.exportKey('pkcs8', key)).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${text.replace(/.{64}(?=.)/g, '$&\n')}\n-----END PRIVATE KEY-----\n`
}

/** The DER of RFC 5280, 4.2.1.10: host names below the two, and no IP address but that of the console. */
function nameConstraints({ console, domain }: PlatformNames): Buffer {
  const hosts = new Set([...(isIP(console) ? [] : [console]), ...(domain === undefined ? [] : [domain])])
  const dns = [...hosts].map((host) => value(0x82, Buffer.from(host)))
  const address = Buffer.from(isIP(console) ? console.split('.').map(Number) : [])
  const own = address.length > 0 ? [value(0x87, address, Buffer.alloc(4, 255))] : []
  const everyAddress = [value(0x87, Buffer.alloc(8)), value(0x87, Buffer.alloc(32))]
  const subtrees = (tag: number, names: Buffer[]) => value(tag, ...names.map((name) => value(0x30, name)))
  // Kinds of names without a permitted one are free unless they are forbidden; the empty name stands for every host.
  const forbidden = [...(own.length > 0 ? [] : everyAddress), ...(dns.length > 0 ? [] : [value(0x82)])]
  return value(0x30, subtrees(0xa0, [...dns, ...own]), ...(forbidden.length > 0 ? [subtrees(0xa1, forbidden)] : []))
}

/** One value of DER with its tag and its length. */
function value(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
