import type { Profile, SAML } from '@node-saml/node-saml'
import { SsoRefusal } from '../sso.refusal.ts'

/** Clocks of provider and platform may differ by so much, in milliseconds. */
const clockSkew = 3 * 60_000

/** The claims of an answer before anything of it is believed: enough to find the provider it claims to be from. */
export interface Claims {
  inResponseTo: string | undefined
  issuer: string | undefined
}

/**
 * Looks into an answer without believing it. A document type could define entities that grow without end, or read files,
 * and no answer needs one.
 * @throws SsoRefusal invalid_response
 */
export function claimsOf(samlResponse: string): Claims {
  const xml = Buffer.from(samlResponse, 'base64').toString('utf8')
  if (/<!\s*(DOCTYPE|ENTITY)/i.test(xml)) throw new SsoRefusal('invalid_response', 'The answer has a document type')
  const response = /<(?:[\w.-]+:)?Response\b[^>]*>/.exec(xml)?.[0]
  if (response === undefined) throw new SsoRefusal('invalid_response', 'This is not a SAML response')
  return {
    inResponseTo: /\sInResponseTo\s*=\s*["']([^"']{1,256})["']/.exec(response)?.[1],
    issuer: /<(?:[\w.-]+:)?Issuer\b[^>]*>\s*([^<]{1,1024}?)\s*</.exec(xml)?.[1],
  }
}

/** The settings of one provider, as answers are judged by them. */
export interface Expected {
  entityId: string
  acsUrl: string
  issuer: string
  certificates: string[]
  key: string
}

/** The contents of a judged answer. All of it was signed by the provider. */
export interface Judged {
  id: string
  nameId: string
  nameIdFormat: string | undefined
  attributes: Record<string, unknown>
  inResponseTo: string | undefined
  /** From then on the answer would be refused as too old, in milliseconds. */
  until: number
}

/**
 * The library with the settings of one provider, loaded by the first sign-in that needs it. `entryPoint` is needed for
 * requests alone.
 */
export async function libraryFor(
  expected: Expected,
  entryPoint?: string,
  generateUniqueId?: () => string,
): Promise<SAML> {
  const library = await import('@node-saml/node-saml')
  return new library.SAML({
    callbackUrl: expected.acsUrl,
    issuer: expected.entityId,
    audience: expected.entityId,
    idpCert: expected.certificates,
    decryptionPvk: expected.key,
    // Either the whole answer is signed or the assertion within it; the library refuses one without both.
    wantAuthnResponseSigned: false,
    wantAssertionsSigned: false,
    acceptedClockSkewMs: clockSkew,
    // Providers choose the name and the kind of sign-in themselves; several refuse a wish.
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    ...(entryPoint === undefined ? {} : { entryPoint }),
    ...(generateUniqueId === undefined ? {} : { generateUniqueId }),
  })
}

/** The words of the library, by the reason that they mean. */
const reasons: [RegExp, ConstructorParameters<typeof SsoRefusal>[0]][] = [
  [/audience/i, 'wrong_audience'],
  [/expired|not yet valid|clocks/i, 'expired'],
  [/signature|Cannot obtain assertion from signed data/i, 'bad_signature'],
  [/SAML provider returned/, 'provider_refused'],
]

/**
 * Judges an answer: signature, audience, times, issuer and recipient. Only what was signed is read.
 * @throws SsoRefusal
 */
export async function judge(samlResponse: string, expected: Expected): Promise<Judged> {
  const profile = await profileOf(samlResponse, expected)
  if (profile.issuer !== expected.issuer)
    throw new SsoRefusal('wrong_issuer', `The answer is from ${profile.issuer ?? 'nobody'}`)
  const assertion = (profile.getAssertion?.() as { Assertion?: Assertion } | undefined)?.Assertion
  const id = assertion?.$?.ID
  if (assertion === undefined || !id || !profile.nameID)
    throw new SsoRefusal('invalid_response', 'The assertion has no id or no name')
  const confirmed = confirmationOf(assertion, expected.acsUrl)
  return {
    id,
    nameId: profile.nameID,
    nameIdFormat: profile.nameIDFormat,
    attributes: (profile.attributes ?? {}) as Record<string, unknown>,
    ...confirmed,
  }
}

async function profileOf(SAMLResponse: string, expected: Expected): Promise<Profile> {
  try {
    const { profile } = await (await libraryFor(expected)).validatePostResponseAsync({ SAMLResponse })
    if (profile && (await isSignedWithSha1(SAMLResponse, expected.key)))
      throw new SsoRefusal('invalid_response', 'The answer is signed with SHA-1. Use SHA-256 at the provider')
    if (profile) return profile
  } catch (error) {
    if (error instanceof SsoRefusal) throw error
    const words = error instanceof Error ? error.message : String(error)
    const reason = reasons.find(([pattern]) => pattern.test(words))?.[1] ?? 'invalid_response'
    throw new SsoRefusal(reason, words)
  }
  throw new SsoRefusal('invalid_response', 'The answer signs nobody in')
}

/** All algorithms of signatures; encryption may use SHA-1, which is not for signing there. */
const algorithms =
  "//*[local-name()='SignatureMethod' or (local-name()='DigestMethod' and parent::*[local-name()='Reference'])]/@Algorithm"

/**
 * Is a signature of a valid answer made with SHA-1, whose digests can be forged? An encrypted assertion is opened for
 * it: its signature stands within.
 */
async function isSignedWithSha1(samlResponse: string, key: string): Promise<boolean> {
  const { decryptXml, parseDomFromString, xpath } = await import('@node-saml/node-saml/lib/xml.js')
  const answer = await parseDomFromString(Buffer.from(samlResponse, 'base64').toString('utf8'))
  const encrypted = xpath.selectElements(answer, "/*/*[local-name()='EncryptedAssertion']")
  const opened = await Promise.all(
    encrypted.map(async (element) => parseDomFromString(await decryptXml(element.toString(), key))),
  )
  return [answer, ...opened]
    .flatMap((document) => xpath.selectAttributes(document, algorithms))
    .some(({ value }) => /xmldsig#(\w+-)?sha1$/.test(value))
}

/** The parts of an assertion that the library does not judge, as xml2js reads them. */
interface Assertion {
  $?: { ID?: string }
  Subject?: { SubjectConfirmation?: Confirmation[] }[]
}
interface Confirmation {
  $?: { Method?: string }
  SubjectConfirmationData?: { $?: { InResponseTo?: string; Recipient?: string; NotOnOrAfter?: string } }[]
}

/**
 * The bearer of an assertion: it must have been made for our address, for now, and it names the request it answers.
 * @throws SsoRefusal
 */
function confirmationOf(assertion: Assertion, acsUrl: string): { inResponseTo: string | undefined; until: number } {
  const all = (assertion.Subject ?? []).flatMap(({ SubjectConfirmation = [] }) => SubjectConfirmation)
  const bearers = all
    .filter(({ $ }) => $?.Method === 'urn:oasis:names:tc:SAML:2.0:cm:bearer')
    .map(({ SubjectConfirmationData: [data] = [] }) => data?.$ ?? {})
  const ours = bearers.filter(({ Recipient }) => Recipient === acsUrl)
  if (ours.length === 0) {
    const named = bearers[0]?.Recipient ?? 'no address'
    throw new SsoRefusal('wrong_audience', `The answer is for ${named}, and the ACS URL is ${acsUrl}`)
  }
  const times = ours.map((data) => ({ ...data, until: Date.parse(data.NotOnOrAfter ?? '') + clockSkew }))
  const valid = times.find(({ until }) => until > Date.now())
  if (!valid) throw new SsoRefusal('expired', 'The confirmation of the subject is not valid any more')
  return { inResponseTo: valid.InResponseTo, until: valid.until }
}
