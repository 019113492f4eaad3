import { hasSimpleSaml, type SamlFilters, startSimpleSaml } from '@app/server/testing/providers'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  admin,
  button,
  field,
  type Person,
  screens,
  sees,
  shot,
  usePlatform,
  useVisitors,
  type Visitor,
} from './harness/index.ts'

const domain = 'oven.example.com'
const list = '/admin/settings/sso'
const callback = '/ee/sso/login/callback'
const asked = '/account/security/sessions'
const password = (name: string) => `password of ${name}`
const formats = 'urn:oasis:names:tc:SAML:2.0:nameid-format'
/** Attributes as a directory has them, which the provider names by their OIDs. */
const person = (name: string, groups: string[] = []) => ({
  uid: [name],
  mail: [`${name}@${domain}`],
  displayName: [`${name} of the oven`],
  isMemberOf: groups,
})
const authproc = {
  // Made from the name of a person and the application, and never changes.
  10: { class: 'saml:PersistentNameID', attribute: 'uid' },
  20: { class: 'core:AttributeMap', 0: 'name2oid' },
}

/** Settings of the provider's answers, unless a test says otherwise. */
const usual = {
  'saml20.sign.response': true,
  'saml20.sign.assertion': true,
  'assertion.encryption': false,
  NameIDFormat: `${formats}:persistent`,
  authproc,
}

// Where SimpleSAMLphp is not installed this is left out, and the list of tests says so; `npm test` installs it.
describe.runIf(hasSimpleSaml)('with SimpleSAMLphp', () => {
  const platform = usePlatform({ claimed: true })
  const visitors = useVisitors()
  let boss: Person
  let idp: Awaited<ReturnType<typeof startSimpleSaml>>

  beforeAll(async () => {
    boss = await platform().people.signIn(admin.username, admin.password)
    await boss.client.call('settings.update', { body: { 'user:sso': true } })
    idp = await startSimpleSaml()
  })
  afterAll(() => idp.stop())
  beforeEach(async () => {
    const { providers } = await boss.client.call('sso.list', { query: {} })
    for (const { id } of providers) await boss.client.call('sso.delete', { params: { providerId: id }, query: {} })
    idp.answer(usual)
  })

  /** An active provider with the metadata of SimpleSAMLphp, which trusts us by ours. */
  async function open(options: object = {}): Promise<string> {
    const body = { name: 'Oven', domainFilter: domain }
    const { id, entityID } = await boss.client.call('sso.create', { body })
    const params = { providerId: id }
    const { options: read } = await boss.client.call('sso.metadata', { params, body: { xml: await idp.metadata() } })
    const { entryPoint, idpIssuer, cert, nextCert } = read
    const all = { entryPoint, idpIssuer, cert, nextCert, createAccounts: true, ...options }
    await boss.client.call('sso.update', { params, body: { active: true, options: all } })
    idp.trust(await (await fetch(entityID)).text())
    return id
  }
  const signIns = async (id: string) => (await boss.client.call('sso.signIns', { params: { providerId: id } })).signIns
  const lastSignIn = async (id: string) => (await signIns(id))[0]

  /** Opens a page of the console in a browser of their own, and comes to the form of the provider. */
  async function comeTo(name: string): Promise<Visitor> {
    const visitor = await visitors.open(platform())
    visitor.expectProblem(/401/)
    const { page } = visitor
    await page.goto(asked)
    await screens.login.username(page).fill(`${name}@${domain}`)
    await screens.login.button(page).click()
    await page.waitForURL((url) => url.href.startsWith(idp.url))
    return visitor
  }
  async function fill(page: Page, name: string): Promise<void> {
    await page.locator('input[name=username]').fill(name)
    await page.locator('input[name=password]').fill(password(name))
    await page.locator('#submit_button, button[type=submit]').first().click()
  }
  const isHere = (page: Page, path = asked) =>
    page.waitForURL((url) => url.origin === platform().url && url.pathname === path)
  async function signIn(name: string): Promise<Page> {
    const { page } = await comeTo(name)
    await fill(page, name)
    await isHere(page)
    return page
  }
  /** Comes to the provider again, which remembers the person, and back to the console. */
  async function again(page: Page, name: string): Promise<void> {
    await page.goto(`/ee/sso/login?u=${name}@${domain}&r=${encodeURIComponent(asked)}`)
    await isHere(page)
  }
  /** The form with the answer that the browser brings from the provider. */
  const brought = async (page: Page): Promise<URLSearchParams> => {
    const request = await page.waitForRequest((one) => one.url().endsWith(callback))
    return new URLSearchParams(request.postData() ?? '')
  }
  const xmlOf = (form: URLSearchParams) => Buffer.from(form.get('SAMLResponse') ?? '', 'base64').toString('utf8')

  test('an administrator imports the metadata, the provider trusts ours, and a person signs in at it', async () => {
    idp.person('ada', password('ada'), person('ada', ['bakers', 'night shift']))
    const { page } = await visitors.open(platform(), boss)
    await page.goto(`${list}/create`)
    await field(page, 'Configuration Name').fill('Oven')
    await field(page, 'Email Domain').fill(domain)
    await button(page, 'Create configuration').click()
    await page.waitForURL((url) => !url.pathname.endsWith('/create'))
    const id = new URL(page.url()).pathname.split('/').at(-1)!
    await button(page, 'Import Metadata').click()
    await field(page, 'Metadata of the provider').fill(idp.metadataUrl)
    await page.getByRole('checkbox', { name: 'The address is in a private network' }).click()
    await button(page, 'Read Metadata').click()
    await sees(page.getByText('The metadata is read.').first())
    expect(await field(page, 'Identity Provider Issuer ID/URL').inputValue()).toBe(idp.metadataUrl)
    expect((await field(page, 'X.509 certificate').inputValue()).trim()).toBe(idp.certificate.trim())
    await page.getByRole('checkbox', { name: 'Create accounts at the first sign-in' }).click()
    await page.getByRole('checkbox', { name: 'Active' }).click()
    const { acsURL, entityID } = await boss.client.call('sso.get', { params: { providerId: id } })
    await sees(page.getByText(acsURL), page.getByText(entityID))
    await button(page, 'Update configuration').click()
    await page.waitForURL((url) => url.pathname === list)
    const metadata = await (await fetch(entityID)).text()
    expect(metadata).toContain(`Location="${acsURL}"`)
    idp.trust(metadata)

    await sees(screens.heading(await signIn('ada'), 'Security'))

    await page.goto(`${list}/${id}`)
    await page.getByRole('row', { name: /ada.*Signed in/ }).click()
    const dialog = page.getByRole('dialog')
    await sees(
      dialog.getByText('ada, created'),
      dialog.getByText('bakers, night shift').first(),
      dialog.getByText('urn:oid:1.3.6.1.4.1.5923.1.5.1.1'),
      dialog.getByText(`${formats}:persistent`),
    )
    // Names of attributes are long, and stay beside their values.
    const wide = dialog
      .locator('dt')
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length)
    expect(await wide).toBe(0)
    await shot(page, 'saml-sign-in')
    expect(await lastSignIn(id)).toMatchObject({
      result: 'signed-in',
      email: `ada@${domain}`,
      groups: ['bakers', 'night shift'],
    })
  })

  test('the metadata file of the provider fills the form', async () => {
    const { id } = await boss.client.call('sso.create', { body: { name: 'Oven', domainFilter: domain } })
    const { page } = await visitors.open(platform(), boss)
    await page.goto(`${list}/${id}`)
    await button(page, 'Import Metadata').click()
    const file = { name: 'idp.xml', mimeType: 'text/xml', buffer: Buffer.from(await idp.metadata()) }
    await page.getByLabel('Metadata file').setInputFiles(file)
    await expect.poll(() => field(page, 'Metadata of the provider').inputValue()).toContain('<md:EntityDescriptor')
    await shot(page, 'saml-metadata-file')
    await button(page, 'Read Metadata').click()
    await sees(page.getByText('The metadata is read.').first())
    expect(await field(page, 'Identity Provider Issuer ID/URL').inputValue()).toBe(idp.metadataUrl)
    expect((await field(page, 'X.509 certificate').inputValue()).trim()).toBe(idp.certificate.trim())
  })

  test.each([
    ['the answer', { 'saml20.sign.response': true, 'saml20.sign.assertion': false }, ['Response']],
    ['the assertion', { 'saml20.sign.response': false, 'saml20.sign.assertion': true }, ['Assertion']],
    ['both', { 'saml20.sign.response': true, 'saml20.sign.assertion': true }, ['Response', 'Assertion']],
  ])('a person signs in when %s is signed, also encrypted', async (_what, answers, signed) => {
    idp.answer(answers)
    const id = await open()
    idp.person('bob', password('bob'), person('bob'))
    const { page } = await comeTo('bob')
    const plain = brought(page)
    await fill(page, 'bob')
    await isHere(page)
    const xml = xmlOf(await plain)
    const signatures = [
      ...xml.matchAll(/<saml(p?):(Response|Assertion)[^>]*><saml:Issuer>[^<]*<\/saml:Issuer><ds:Signature /g),
    ]
    expect(signatures.map(([, , element]) => element)).toEqual(signed)
    idp.answer({ 'assertion.encryption': true })
    const encrypted = brought(page)
    await again(page, 'bob')
    const hidden = xmlOf(await encrypted)
    expect(hidden).toContain('<saml:EncryptedAssertion')
    expect(hidden).not.toContain(`bob@${domain}`)
    expect((await signIns(id)).map(({ result, user }) => [result, user?.username])).toEqual([
      ['signed-in', 'bob'],
      ['signed-in', 'bob'],
    ])
  })

  const email = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
  test('people are known by names that change each time, and by addresses; attributes by any usual name', async () => {
    idp.person('cleo', password('cleo'), person('cleo', ['bakers']))
    const id = await open()
    const filters: SamlFilters[] = [
      {},
      { 10: { class: 'core:AttributeMap', 0: 'name2claim' } },
      {
        10: { class: 'saml:AttributeNameID', attribute: 'mail', Format: email },
        20: { class: 'core:AttributeLimit', 0: 'uid' },
      },
    ]
    for (const authproc of filters) {
      idp.answer({ NameIDFormat: authproc[20] ? email : `${formats}:transient`, authproc })
      await signIn('cleo')
    }
    const all = await signIns(id)
    expect(all.map(({ groups }) => groups)).toEqual([null, ['bakers'], ['bakers']])
    expect(all.map(({ sent }) => sent['NameID format'])).toEqual([
      email,
      `${formats}:transient`,
      `${formats}:transient`,
    ])
    expect(new Set(all.map(({ result, user }) => `${result} ${user?.username}`))).toEqual(new Set(['signed-in cleo']))
  })

  test('an account that was there is asked for its password once, then the provider signs it in', async () => {
    const userId = platform().people.add('lena')
    const body = { email: `lena@${domain}`, email_verified: true }
    await boss.client.call('user.update', { params: { userId }, body })
    const id = await open()
    idp.person('lena', password('lena'), person('lena'))
    const { page } = await comeTo('lena')
    await fill(page, 'lena')
    await sees(page.getByText('Oven has signed you in.', { exact: false }))
    await field(page, 'Password').fill(admin.password)
    await button(page, 'Link and Login').click()
    await isHere(page)
    await again(page, 'lena')
    expect((await signIns(id)).map(({ result, user }) => [result, user?.id])).toEqual([
      ['signed-in', userId],
      ['signed-in', userId],
      ['linking', userId],
    ])
  })

  test('who is deactivated at the provider does not come in', async () => {
    const id = await open()
    idp.person('dan', password('dan'), person('dan'))
    await signIn('dan')
    idp.person('dan', password('dan'))
    const { page } = await comeTo('dan')
    await fill(page, 'dan')
    await sees(page.getByText('Incorrect username or password').first())
    await page.goto(`${platform().url}${asked}`)
    await sees(screens.login.button(page))
    expect(await signIns(id)).toHaveLength(1)
  })

  test('a certificate that is not that of the provider refuses everybody, and says so to both', async () => {
    idp.person('eva', password('eva'), person('eva'))
    const id = await open({ cert: idp.makeKey('other').pem })
    const { page } = await comeTo('eva')
    await fill(page, 'eva')
    await isHere(page, '/')
    await sees(page.getByText('The answer of your sign-in provider has an unknown signature.', { exact: false }))
    await shot(page, 'saml-refused')
    const visitor = await visitors.open(platform(), boss)
    await visitor.page.goto(`${list}/${id}`)
    await sees(visitor.page.getByText('The answer is not signed by the certificate of this provider.'))
  })

  test('while the provider exchanges its certificate people sign in with both', async () => {
    idp.person('finn', password('finn'), person('finn'))
    const { pem, certificate, privatekey } = idp.makeKey('next')
    idp.answer({ new_certificate: certificate, new_privatekey: privatekey })
    const id = await open()
    const { options } = await boss.client.call('sso.get', { params: { providerId: id } })
    expect(new Set([options.cert, options.nextCert])).toEqual(new Set([pem.trim(), idp.certificate.trim()]))
    const page = await signIn('finn')
    const former = idp.answer({ certificate, privatekey, new_certificate: undefined, new_privatekey: undefined })
    await again(page, 'finn')
    expect((await signIns(id)).map(({ result }) => result)).toEqual(['signed-in', 'signed-in'])
    idp.answer(former)
  })

  test('an answer with an altered attribute, and one that was brought before, sign nobody in', async () => {
    idp.person('gus', password('gus'), person('gus'))
    const id = await open()
    const { page, context } = await comeTo('gus')
    await page.route(`**${callback}`, async (route) => {
      const form = new URLSearchParams(route.request().postData() ?? '')
      const xml = xmlOf(form).replaceAll(`gus@${domain}`, `ada@${domain}`)
      form.set('SAMLResponse', Buffer.from(xml).toString('base64'))
      await route.continue({ postData: form.toString() })
    })
    await fill(page, 'gus')
    await isHere(page, '/')
    expect(await lastSignIn(id)).toMatchObject({ result: 'refused', reason: 'bad_signature', sent: {} })

    await page.unrouteAll()
    const whole = brought(page)
    await again(page, 'gus')
    await sees(screens.heading(page, 'Security'))
    const form = Object.fromEntries(await whole)
    const bring = async (visitor: Visitor['context']) => {
      const reply = await visitor.request.post(`${platform().url}${callback}`, { form, maxRedirects: 0 })
      const cookies = reply.headersArray().filter(({ name }) => name.toLowerCase() === 'set-cookie')
      return { location: reply.headers().location, cookies: cookies.map(({ value }) => value) }
    }
    const thief = await visitors.open(platform())
    for (const browser of [context, thief.context])
      expect(await bring(browser)).toEqual({ location: '/?sso=wrong_browser', cookies: [] })
  })

  test('a tile in the portal of the provider works where the provider may begin a sign-in, and its answer counts once', async () => {
    idp.person('hal', password('hal'), person('hal'))
    const id = await open()
    const { entityID } = await boss.client.call('sso.get', { params: { providerId: id } })
    const tile = `${idp.url}saml2/idp/SSOService.php?spentityid=${encodeURIComponent(entityID)}&RelayState=${asked}`
    const { page, context } = await visitors.open(platform())
    await page.goto(tile)
    await fill(page, 'hal')
    await isHere(page, '/')
    expect(await lastSignIn(id)).toMatchObject({ result: 'refused', reason: 'unsolicited' })

    const options = { idpInitiated: true }
    await boss.client.call('sso.update', { params: { providerId: id }, body: { options } })
    const answer = brought(page)
    await page.goto(tile)
    await isHere(page)
    await sees(screens.heading(page, 'Security'))
    const form = Object.fromEntries(await answer)
    const reply = await context.request.post(`${platform().url}${callback}`, { form, maxRedirects: 0 })
    expect(reply.headers().location).toBe('/?sso=replayed')
  })
})
