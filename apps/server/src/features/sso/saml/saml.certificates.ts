import { randomBytes, X509Certificate } from 'node:crypto'

const dayMs = 86_400_000
const years = 20

/** A certificate as PEM, from PEM or the base64 alone; undefined when it is none. */
export function pemOf(text: string): string | undefined {
  const body = text.replace(/-----(BEGIN|END) CERTIFICATE-----/g, '').replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(body)) return undefined
  const pem = `-----BEGIN CERTIFICATE-----\n${body.replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`
  try {
    return new X509Certificate(pem).toString().trim()
  } catch {
    return undefined
  }
}

/** The sentence on a text that is no certificate. */
export const noCertificate = 'This is not an X.509 certificate. Paste it as PEM, with its first and last line'

/** A key with its certificate, in PEM. Providers encrypt assertions with it, and look at no chain and no name. */
export async function makeKey(now: number): Promise<{ key: string; cert: string }> {
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    publicExponent: new Uint8Array([1, 0, 1]),
    modulusLength: 3072,
  }
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: `00${randomBytes(16).toString('hex')}`,
    name: [{ CN: ['FlowForge single sign-on'] }],
    notBefore: new Date(now - dayMs),
    notAfter: new Date(now + years * 365 * dayMs),
    signingAlgorithm: algorithm,
    keys,
  })
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8.replace(/.{64}(?=.)/g, '$&\n')}\n-----END PRIVATE KEY-----\n`
  return { key, cert: certificate.toString('pem') }
}
