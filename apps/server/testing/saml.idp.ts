import { inflateRawSync } from 'node:zlib'
import { SignedXml } from 'xml-crypto'
import { encrypt } from 'xml-encryption'
import { makeKey } from '../src/features/sso/saml/saml.certificates.ts'

/** The parts of an answer; a test changes one of them to make an answer that must be refused. */
export interface AnswerParts {
  acsUrl: string
  audience: string
  inResponseTo?: string | undefined
  nameId?: string
  nameIdFormat?: string
  issuer?: string
  attributes?: Record<string, string | readonly string[]>
  /** Milliseconds from now. */
  notBefore?: number
  notOnOrAfter?: number
  recipient?: string
  assertionId?: string
  /** The part that is signed: the assertion unless told. */
  sign?: 'assertion' | 'response' | 'nothing'
  signatureAlgorithm?: string
  digestAlgorithm?: string
  /** The certificate of the platform, to encrypt the assertion for it. */
  encryptFor?: string
  /** Changes the finished XML, after it was signed. */
  tamper?: (xml: string) => string
}

const algorithms = {
  digest: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sign: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  canonical: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  enveloped: 'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
}
const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'

/** The request that a redirect brings to an identity provider. */
export function requestIn(address: string): { id: string; issuer: string; acsUrl: string; relayState: string | null } {
  const url = new URL(address)
  const xml = inflateRawSync(Buffer.from(url.searchParams.get('SAMLRequest') ?? '', 'base64')).toString('utf8')
  return {
    id: /\sID="([^"]+)"/.exec(xml)?.[1] ?? '',
    issuer: /<saml:Issuer[^>]*>([^<]+)</.exec(xml)?.[1] ?? '',
    acsUrl: /AssertionConsumerServiceURL="([^"]+)"/.exec(xml)?.[1] ?? '',
    relayState: url.searchParams.get('RelayState'),
  }
}

/**
 * A stand-in for an identity provider, of the tests' own: it signs whatever a test asks for, also what no real provider
 * would. It keeps the rules of SAML 2.0 for its answers, and has no page, no users and no sessions.
 */
export async function createSamlIdp(issuer = 'https://idp.example.com/entity') {
  const { key, cert } = await makeKey(Date.now())

  function signed(xml: string, id: string, { signatureAlgorithm, digestAlgorithm }: Partial<AnswerParts> = {}): string {
    const signature = new SignedXml({ privateKey: key, publicCert: cert })
    signature.addReference({
      xpath: `//*[@ID="${id}"]`,
      transforms: [algorithms.enveloped, algorithms.canonical],
      digestAlgorithm: digestAlgorithm ?? algorithms.digest,
    })
    signature.canonicalizationAlgorithm = algorithms.canonical
    signature.signatureAlgorithm = signatureAlgorithm ?? algorithms.sign
    const reference = `//*[@ID="${id}"]/*[local-name(.)="Issuer"]`
    signature.computeSignature(xml, { location: { reference, action: 'after' } })
    return signature.getSignedXml()
  }

  /** An answer as base64, as a form of the provider brings it. */
  async function answer(parts: AnswerParts): Promise<string> {
    const time = (ms: number) => new Date(Date.now() + ms).toISOString()
    const { acsUrl, audience, inResponseTo, nameId = 'subject-1' } = parts
    const assertionId = parts.assertionId ?? `_${crypto.randomUUID()}`
    const responseId = `_${crypto.randomUUID()}`
    const from = time(parts.notBefore ?? -60_000)
    const until = time(parts.notOnOrAfter ?? 300_000)
    const asked = inResponseTo === undefined ? '' : ` InResponseTo="${inResponseTo}"`
    const format = parts.nameIdFormat === undefined ? '' : ` Format="${parts.nameIdFormat}"`
    const attributes = Object.entries(parts.attributes ?? {}).map(
      ([name, value]) =>
        `<saml:Attribute Name="${name === 'email' ? `${claims}/emailaddress` : name}">${[value]
          .flat()
          .map((one) => `<saml:AttributeValue>${one}</saml:AttributeValue>`)
          .join('')}</saml:Attribute>`,
    )
    const issuedBy = `<saml:Issuer>${parts.issuer ?? issuer}</saml:Issuer>`
    let assertion = `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${assertionId}" Version="2.0" IssueInstant="${time(0)}">${issuedBy}<saml:Subject><saml:NameID${format}>${nameId}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData Recipient="${parts.recipient ?? acsUrl}" NotOnOrAfter="${until}"${asked}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${from}" NotOnOrAfter="${until}"><saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${time(0)}" SessionIndex="session-1"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>${attributes.length > 0 ? `<saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement>` : ''}</saml:Assertion>`
    const { sign = 'assertion' } = parts
    if (sign === 'assertion') assertion = signed(assertion, assertionId, parts)
    if (parts.encryptFor !== undefined) assertion = await encrypted(assertion, parts.encryptFor)
    let xml = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${responseId}" Version="2.0" IssueInstant="${time(0)}" Destination="${acsUrl}"${asked}>${issuedBy}<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${assertion}</samlp:Response>`
    if (sign === 'response') xml = signed(xml, responseId, parts)
    return Buffer.from(parts.tamper ? parts.tamper(xml) : xml).toString('base64')
  }

  /** Its metadata, as administrators paste it. */
  const metadata = (entryPoint: string, more: readonly string[] = []) =>
    `<?xml version="1.0"?><md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${issuer}"><md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${[
      cert,
      ...more,
    ]
      .map(
        (one) =>
          `<md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${one.replace(/-----[^-]+-----|\n/g, '')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
      )
      .join(
        '',
      )}<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${entryPoint}/post"/><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${entryPoint}"/></md:IDPSSODescriptor></md:EntityDescriptor>`

  return { issuer, cert, answer, metadata, signed }
}
export type SamlIdp = Awaited<ReturnType<typeof createSamlIdp>>

async function encrypted(assertion: string, cert: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const options = {
    rsa_pub: cert,
    pem: cert,
    encryptionAlgorithm: 'http://www.w3.org/2009/xmlenc11#aes256-gcm' as const,
    keyEncryptionAlgorithm: 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p' as const,
  }
  encrypt(assertion, options, (error: Error | null, xml?: string) => (error ? reject(error) : resolve(xml ?? '')))
  return `<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${await promise}</saml:EncryptedAssertion>`
}
