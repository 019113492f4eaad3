import { expect, test } from 'vitest'
import { openServer, send } from '../../../../testing/index.ts'
import { type AnswerParts, createSamlIdp } from '../../../../testing/saml.idp.ts'
import { openSaml } from '../../../../testing/saml.steps.ts'

const server = await openServer()
const saml = await openSaml(server, await server.build.user({ admin: true }))
const provider = await saml.provider({ idpInitiated: true })
await provider.signIn('victim')

const outcome = async (answer: Awaited<ReturnType<typeof provider.post>>) => ({
  status: answer.status,
  location: answer.headers.get('location'),
  user: await saml.whoIs(answer),
})
const refused = (reason: string) => ({ status: 303, location: `/?sso=${reason}`, user: undefined })
/** A sign-in of the attacker, who has an account at the provider, with one thing changed. */
const attack = async (changes: Partial<AnswerParts>) => outcome(await provider.signIn('mallory', changes))

/** An attacker can change an answer of their own, and cannot sign another one. */
const forged = (assertion: string): string =>
  assertion
    .replace(/<ds:Signature.*<\/ds:Signature>|<Signature .*<\/Signature>/s, '')
    .replaceAll('mallory', 'victim')
    .replace(/ID="[^"]+"/, 'ID="_forged"')
const assertionIn = (xml: string): string => /<saml:Assertion.*<\/saml:Assertion>/s.exec(xml)![0]

test('an answer as it should be is taken', async () => {
  expect(await attack({})).toMatchObject({ status: 303, location: '/', user: { username: 'mallory' } })
})

test.each<[string, string, Partial<AnswerParts>]>([
  ['nothing is signed', 'bad_signature', { sign: 'nothing' }],
  ['a signed name was changed', 'bad_signature', { tamper: (xml) => xml.replaceAll('mallory', 'victim') }],
  [
    'the signature was taken off',
    'bad_signature',
    { tamper: (xml) => xml.replace(/<Signature .*<\/Signature>/s, '').replaceAll('mallory', 'victim') },
  ],
  [
    'the answer was signed and its assertion changed',
    'bad_signature',
    { sign: 'response', tamper: (xml) => xml.replaceAll('mallory', 'victim') },
  ],
  ['it is for another application', 'wrong_audience', { audience: 'https://other.example.com' }],
  ['it is for another address', 'wrong_audience', { recipient: 'https://other.example.com/acs' }],
  ['it is from another issuer', 'wrong_issuer', { issuer: 'https://other.example.com/entity' }],
  ['its time is over', 'expired', { notBefore: -900_000, notOnOrAfter: -600_000 }],
  ['its time has not come', 'expired', { notBefore: 600_000, notOnOrAfter: 900_000 }],
  [
    'it is signed, and a document type stands before it',
    'invalid_response',
    { tamper: (xml) => `<!DOCTYPE a [<!ENTITY b "c">]>${xml}` },
  ],
  ['it is signed with SHA-1', 'invalid_response', { signatureAlgorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }],
  ['its digest is of SHA-1', 'invalid_response', { digestAlgorithm: 'http://www.w3.org/2000/09/xmldsig#sha1' }],
  [
    'the name of SHA-1 is written in another way',
    'invalid_response',
    {
      signatureAlgorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
      tamper: (xml) => xml.replace('#rsa-sha1', '&#35;rsa-sha1'),
    },
  ],
])('refused when %s', async (_what, reason, changes) => {
  expect(await attack(changes)).toEqual(refused(reason))
})

test('refused when an encrypted assertion is signed by nobody, or with SHA-1', async () => {
  const { text } = await send(server.address, 'GET', `/ee/sso/entity/${provider.id}`)
  const body = /<ds:X509Certificate>([^<]+)</.exec(text)![1]!.replace(/\s/g, '')
  const encryptFor = `-----BEGIN CERTIFICATE-----\n${body.replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`
  expect(await attack({ encryptFor })).toMatchObject({ location: '/' })
  // Anybody who reads our metadata can encrypt for us: that alone proves nothing.
  expect(await attack({ encryptFor, sign: 'nothing' })).toEqual(refused('bad_signature'))
  const signatureAlgorithm = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'
  expect(await attack({ encryptFor, signatureAlgorithm })).toEqual(refused('invalid_response'))
})

test('clocks may differ by three minutes', async () => {
  expect(await attack({ notBefore: 120_000 })).toMatchObject({ location: '/' })
  expect(await attack({ notBefore: -600_000, notOnOrAfter: -120_000 })).toMatchObject({ location: '/' })
})

/** Signature wrapping (XSW): the signed assertion is kept somewhere, and a forged one stands where it is read. */
test.each<[string, (xml: string) => string]>([
  ['before the signed one', (xml) => xml.replace('<saml:Assertion', `${forged(assertionIn(xml))}<saml:Assertion`)],
  ['after the signed one', (xml) => xml.replace('</samlp:Response>', `${forged(assertionIn(xml))}</samlp:Response>`)],
  [
    'around the signed one',
    (xml) => {
      const own = assertionIn(xml)
      return xml.replace(own, forged(own).replace('</saml:Assertion>', `${own}</saml:Assertion>`))
    },
  ],
  [
    'with the signed one within its extensions',
    (xml) => {
      const own = assertionIn(xml)
      const apart = `<samlp:Extensions>${own}</samlp:Extensions>`
      return xml
        .replace(own, '')
        .replace('<samlp:Status>', `${apart}<samlp:Status>`)
        .replace('</samlp:Response>', `${forged(own)}</samlp:Response>`)
    },
  ],
  [
    'with the signature of the signed one, which stands within an object of it',
    (xml) => {
      const own = assertionIn(xml)
      const signature = /<Signature .*<\/Signature>/s.exec(own)![0]
      const within = signature.replace('</Signature>', `<Object>${own.replace(signature, '')}</Object></Signature>`)
      return xml.replace(own, forged(own).replace('</saml:Issuer>', `</saml:Issuer>${within}`))
    },
  ],
  [
    'with the id of the signed one',
    (xml) => {
      const own = assertionIn(xml)
      const id = /ID="([^"]+)"/.exec(own)![1]!
      return xml.replace(own, `${forged(own).replace('_forged', id)}${own}`)
    },
  ],
])('a forged assertion %s signs nobody in as somebody else', async (_where, tamper) => {
  const { user, location } = await attack({ tamper })
  expect(user).toBeUndefined()
  expect(location).toMatch(/^\/\?sso=(bad_signature|invalid_response)$/)
})

test('a comment within a name does not cut it off', async () => {
  const email = `victim@${provider.domain}<!-- -->.attacker.example.com`
  const { user, location } = await attack({ nameId: 'victim<!-- -->-of-mallory', attributes: { email } })
  expect([user, location]).toEqual([undefined, '/?sso=foreign_address'])
  const [last] = await provider.signIns()
  expect(last).toMatchObject({ subject: 'victim-of-mallory', email: `victim@${provider.domain}.attacker.example.com` })
})

test('an answer counts once, also when it is brought twice at the same time', async () => {
  const { request, browser } = await provider.begin()
  const attributes = { email: `mallory@${provider.domain}` }
  const answer = await saml.idp.answer(provider.parts({ inResponseTo: request.id, nameId: 'mallory', attributes }))
  const both = await Promise.all([provider.post(answer, { browser }), provider.post(answer, { browser })])
  const places = both.map(({ headers }) => headers.get('location'))
  expect(places.filter((one) => one === '/')).toHaveLength(1)
  const unsolicited = await saml.idp.answer(provider.parts({ nameId: 'mallory', attributes }))
  expect(await outcome(await provider.post(unsolicited))).toMatchObject({ location: '/' })
  expect(await outcome(await provider.post(unsolicited))).toEqual(refused('replayed'))
})

test('an answer that somebody else asked for signs nobody in, in another browser', async () => {
  const { request } = await provider.begin()
  const attributes = { email: `mallory@${provider.domain}` }
  const answer = await saml.idp.answer(provider.parts({ inResponseTo: request.id, nameId: 'mallory', attributes }))
  expect(await outcome(await provider.post(answer))).toEqual(refused('wrong_browser'))
  const other = await provider.begin()
  expect(await outcome(await provider.post(answer, { browser: other.browser }))).toEqual(refused('wrong_browser'))
})

test('an assertion cannot be moved to another request', async () => {
  const [first, second] = [await provider.begin(), await provider.begin()]
  const attributes = { email: `mallory@${provider.domain}` }
  const tamper = (xml: string) =>
    xml.replace(`InResponseTo="${first.request.id}"`, `InResponseTo="${second.request.id}"`)
  const parts = provider.parts({ inResponseTo: first.request.id, nameId: 'mallory', attributes, tamper })
  const answer = await saml.idp.answer(parts)
  expect(await outcome(await provider.post(answer, { browser: second.browser }))).toEqual(refused('wrong_browser'))
})

test('the key of another provider signs nobody in', async () => {
  const other = await createSamlIdp()
  const attributes = { email: `victim@${provider.domain}` }
  const { request, browser } = await provider.begin()
  const answer = await other.answer(provider.parts({ inResponseTo: request.id, nameId: 'victim', attributes }))
  expect(await outcome(await provider.post(answer, { browser }))).toEqual(refused('bad_signature'))
})

test.each([
  ['https://evil.example.com/'],
  ['//evil.example.com'],
  ['/\\evil.example.com'],
  ['\\\\evil.example.com'],
  ['/\t/evil.example.com'],
  ['javascript:alert(1)'],
])('no browser is sent to %s', async (path) => {
  const attributes = { email: `mallory@${provider.domain}` }
  const unsolicited = await saml.idp.answer(provider.parts({ nameId: 'mallory', attributes }))
  expect((await provider.post(unsolicited, { RelayState: path })).headers.get('location')).toBe('/')
  const answer = await provider.signIn('mallory', {}, path)
  expect(answer.headers.get('location')).toBe('/')
})

/** The refused sign-ins in the log of the platform, oldest first. */
const kept = async () => {
  const entries = server.app.database.read.selectFrom('audit_log').select('body').where('event', '=', 'account.login')
  return (await entries.orderBy('id').execute()).map(
    ({ body }) => JSON.parse(body) as { info?: object; error?: object },
  )
}

const bomb = `<!DOCTYPE a [<!ENTITY a "ha">${Array.from({ length: 30 }, (_, n) => `<!ENTITY a${n} "&a${n - 1};&a${n - 1};">`).join('')}]>`
test.each([
  ['entities that grow without end', `${bomb}<samlp:Response>&a29;</samlp:Response>`],
  ['an entity that reads a file', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><Response>&b;</Response>'],
  ['no XML', 'nonsense'],
  ['an unfinished element', '<samlp:Response'],
  ['a thousand levels', `<Response>${'<a>'.repeat(1000)}${'</a>'.repeat(1000)}</Response>`],
])('an answer with %s is refused at once, and administrators read why', async (_what, xml) => {
  const before = (await kept()).length
  const answer = await provider.post(Buffer.from(xml).toString('base64'))
  expect(await outcome(answer)).toMatchObject({ status: 303, user: undefined })
  expect(answer.headers.get('location')).toMatch(/^\/\?sso=(invalid_response|wrong_issuer)$/)
  const [last, ...more] = (await kept()).slice(before)
  expect(last).toMatchObject({ error: { code: expect.stringMatching(/^(invalid_response|wrong_issuer)$/) } })
  expect([more, JSON.stringify(last).includes(xml)]).toEqual([[], false])
})

test('answers of an issuer that nobody knows are told to administrators, and cannot fill their log', async () => {
  const issuer = 'https://stray.example.com/entity'
  const xml = `<samlp:Response ID="_1"><saml:Issuer>${issuer}</saml:Issuer></samlp:Response>`
  const stray = async () => outcome(await provider.post(Buffer.from(xml).toString('base64')))
  expect(await stray()).toEqual(refused('wrong_issuer'))
  const ofIssuer = async () => (await kept()).filter(({ info }) => JSON.stringify(info ?? {}).includes(issuer))
  expect(await ofIssuer()).toMatchObject([{ info: { issuer }, error: { code: 'wrong_issuer' } }])
  for (let sent = 0; sent < 40; sent += 1) await stray()
  expect((await ofIssuer()).length).toBeLessThan(25)
})

test('a secret of a sign-in stands neither in the list nor in the log', async () => {
  const [last] = await provider.signIns()
  const texts = JSON.stringify(last)
  for (const secret of ['SAMLResponse', 'BEGIN CERTIFICATE', '<saml', 'SignatureValue'])
    expect(texts).not.toContain(secret)
})
