import { execFileSync } from 'node:child_process'
import { beforeEach, expect, test } from 'vitest'
import { admin, answer, button, field, openConsole, screens, sees, shot, type Visitor } from './harness/index.ts'

const { platform, visitors } = await openConsole()
let visitor: Visitor
const boss = await platform().people.signIn(admin.username, admin.password)

beforeEach(async () => {
  await boss.client.call('settings.update', { body: { 'user:sso': true } })
  visitor = await visitors.open(platform(), boss)
})

const list = '/admin/settings/sso'
const openssl = 'req -x509 -newkey rsa:2048 -nodes -subj /CN=idp -keyout /dev/null'.split(' ')
const path = () => new URL(visitor.page.url()).pathname
let serial = 0
const make = (name = `Company ${(serial += 1)}`) =>
  boss.client.call('sso.create', {
    body: { name, domainFilter: `${name.toLowerCase().replaceAll(' ', '')}.example.com` },
  })

test('[ASSO-04] [ASSO-06] [ASSO-10] [ASSO-11] [ASSO-12] a configuration is created by its name and domain, and the rest follows', async () => {
  const { page } = visitor
  await page.goto(list)
  await page.getByRole('link', { name: 'Create SSO SAML Configuration' }).click()
  await sees(page.getByRole('heading', { name: 'Create new SSO Configuration' }))
  expect(path()).toBe(`${list}/create`)
  await field(page, 'Configuration Name').fill('Example Bakery')
  expect(await field(page, 'Email Domain').getAttribute('placeholder')).toBe('@example.com')
  for (const rest of ['Identity Provider Single Sign-On URL', 'Identity Provider Issuer ID/URL', 'X.509 certificate'])
    expect(await field(page, rest).count()).toBe(0)
  const posts: string[] = []
  page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()))
  await button(page, 'Create configuration').click()
  await sees(page.getByText('Required field'))
  expect(posts).toEqual([])
  await field(page, 'Email Domain').fill('bakery.example.com')
  await button(page, 'Create configuration').click()
  await sees(page.getByRole('heading', { name: 'Edit SSO Configuration' }))
  await page.waitForURL((url) => !url.pathname.endsWith('/create'))
  expect(await field(page, 'Email Domain').inputValue()).toBe('@bakery.example.com')
  await sees(button(page, 'Update configuration'))
})

test('[ADM-11] [ASSO-07] [ASSO-08] [ASSO-09] [ASSO-13] the form has the fields of a provider and saves only a change', async () => {
  const { page } = visitor
  const { id, acsURL, entityID } = await make()
  // The addresses are those of a provider that is there.
  await page.goto(`${list}/create`)
  await sees(button(page, 'Create configuration'))
  for (const label of ['ACS URL', 'Entity ID/Issuer']) expect(await page.getByText(label).count()).toBe(0)
  await page.goto(`${list}/${id}`)
  await sees(page.getByText('ACS URL', { exact: true }), page.getByText('Entity ID/Issuer', { exact: true }))
  const labels = [
    'Configuration Name',
    'Email Domain',
    'Identity Provider Single Sign-On URL',
    'Identity Provider Issuer ID/URL',
    'X.509 certificate',
  ]
  for (const label of labels) await sees(field(page, label))
  await sees(page.getByRole('checkbox', { name: 'Active' }))
  await sees(page.getByText(acsURL))
  await sees(page.getByText(entityID))
  await sees(page.getByText('No sign-ins yet'))
  const update = button(page, 'Update configuration')
  visitor.expectProblem(/400/)
  expect(await update.isDisabled()).toBe(true)
  await shot(page, 'sso-edit')
  await page.getByRole('checkbox', { name: 'Active' }).click()
  await update.click()
  // An active provider needs more than a name.
  const needed = page.getByText('An active provider needs this')
  await sees(needed.first())
  expect(await needed.count()).toBe(3)
  await page.getByRole('checkbox', { name: 'Active' }).click()
  await field(page, 'Configuration Name').fill('Renamed Company')
  await page.getByRole('link', { name: 'SSO Configurations' }).click()
  await sees(page.getByText('You have unsaved changes.', { exact: false }))
  await button(page, 'Cancel').click()
  await update.click()
  await page.waitForURL((url) => url.pathname === list)
  await sees(page.getByRole('row', { name: /Renamed Company/ }))
  await page.goto(`${list}/${id}`)
  await page.getByRole('link', { name: 'SSO Configurations' }).click()
  await page.waitForURL((url) => url.pathname === list)
})

test('[ASSO-01] [ASSO-02] [ASSO-03] [ASSO-05] [ASSO-16] the list is searched, opened by its rows and its menu, and deleted from', async () => {
  const { page } = visitor
  const one = await make('Searchable Mill')
  const other = await make('Other Mill')
  const cert = execFileSync('openssl', openssl, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const options = { entryPoint: 'https://idp.invalid/sso', idpIssuer: 'https://idp.invalid/entity', cert }
  await boss.client.call('sso.update', { params: { providerId: other.id }, body: { active: true, options } })
  await page.goto(list)
  await sees(page.getByRole('heading', { name: 'SSO Configurations' }))
  const headers = (await page.getByRole('columnheader').allInnerTexts()).filter(
    (text) => !['', 'Actions'].includes(text.trim()),
  )
  expect(headers).toEqual(['Active', 'Configuration Name', 'Email Domain'])
  for (const [name, active] of [
    ['Searchable Mill', 'no'],
    ['Other Mill', 'yes'],
  ] as const)
    expect(await page.getByRole('row', { name }).getByRole('cell').first().innerText()).toContain(active)
  await page.getByLabel('Search configurations...').fill('searchable')
  await sees(page.getByRole('row', { name: /Searchable Mill/ }))
  await expect.poll(() => page.getByRole('row', { name: /Other Mill/ }).count()).toBe(0)
  await shot(page, 'sso-list')
  await page
    .getByRole('row', { name: /Searchable Mill/ })
    .getByText('@searchablemill.example.com')
    .click()
  await page.waitForURL((url) => url.pathname === `${list}/${one.id}`)
  await page.goto(list)
  const open = async (item: string) => {
    await page.getByRole('button', { name: 'Actions for Searchable Mill' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await open('Edit Properties')
  await page.waitForURL((url) => url.pathname === `${list}/${one.id}`)
  await page.goto(list)
  const error = 'The database is asleep'
  const refusal = { code: 'unexpected_error', error, message: error, statusCode: 400 }
  visitor.expectProblem(/400/)
  await answer(page, `DELETE /ee/sso/providers/${one.id}`, 400, refusal)
  await open('Delete SAML Configuration')
  await button(page, 'Delete').click()
  await sees(screens.toast(page, 'Warning: The database is asleep'))
  await page.unrouteAll()
  await open('Delete SAML Configuration')
  const question = page.getByRole('alertdialog', { name: 'Delete SAML Configuration' })
  const described = await question.getAttribute('aria-describedby')
  // The box is a control of its own, and no part of the description that is read aloud when the question opens.
  expect(await page.locator(`[id="${described}"]`).innerText()).toMatch(/have to reset it\.$/)
  await question.getByRole('checkbox', { name: 'Take back the roles that its rules gave' }).click()
  await shot(page, 'sso-delete')
  await button(page, 'Delete').click()
  await sees(screens.toast(page, 'Searchable Mill is deleted, and its roles are being taken back'))
  await expect.poll(() => page.getByRole('row', { name: /Searchable Mill/ }).count()).toBe(0)
})

test('a provider of OpenID Connect is created without a domain, and its secret is saved and never shown', async () => {
  const { page } = visitor
  visitor.expectProblem(/400/)
  await page.goto(list)
  await page.getByRole('link', { name: 'Create OpenID Connect or LDAP' }).click()
  await sees(page.getByRole('radio', { name: /OpenID Connect/, checked: true }))
  await shot(page, 'sso-create-oidc')
  await field(page, 'Configuration Name').fill('Open Oven')
  await button(page, 'Create configuration').click()
  await sees(page.getByRole('heading', { name: 'Edit SSO Configuration' }))
  await page.waitForURL((url) => !url.pathname.endsWith('/create'))
  const id = path().split('/').at(-1)!
  await sees(page.getByText(`${platform().url}/ee/sso/oidc/${id}/callback`))
  const update = button(page, 'Update configuration')
  await field(page, 'Issuer').fill('http://login.example.com')
  await update.click()
  await sees(page.getByText('The issuer must be an https address'))
  await field(page, 'Issuer').fill('https://login.example.com')
  await field(page, 'Client ID').fill('forge')
  await field(page, 'Client secret').fill('a secret of the oven')
  await page.getByRole('checkbox', { name: 'Active' }).click()
  await update.click()
  await page.waitForURL((url) => url.pathname === list)
  await sees(page.getByRole('row', { name: /Open Oven.*OpenID Connect.*Any verified address/ }))
  await shot(page, 'sso-list-types')
  const params = { providerId: id }
  const options = { issuer: 'https://login.example.com', clientId: 'forge', clientSecret: true }
  expect(await boss.client.call('sso.get', { params })).toMatchObject({ active: true, options })
  // A change of something else keeps the secret, and the checkbox alone removes it.
  await page.goto(`${list}/${id}`)
  expect(await field(page, 'Client secret').inputValue()).toBe('')
  await shot(page, 'sso-edit-oidc')
  await field(page, 'More scopes').fill('groups')
  await update.click()
  await page.waitForURL((url) => url.pathname === list)
  expect((await boss.client.call('sso.get', { params })).options).toMatchObject({ ...options, scopes: 'groups' })
  await page.goto(`${list}/${id}`)
  await page.getByRole('checkbox', { name: 'Remove the saved client secret' }).click()
  await update.click()
  await page.waitForURL((url) => url.pathname === list)
  expect((await boss.client.call('sso.get', { params })).options.clientSecret).toBe(false)
})

test('a directory is created with its domain, and a bad option is told beside its field', async () => {
  const { page } = visitor
  visitor.expectProblem(/400/)
  await page.goto(`${list}/create`)
  await page.getByRole('radio', { name: /LDAP/ }).click()
  await field(page, 'Configuration Name').fill('Oven Tree')
  await button(page, 'Create configuration').click()
  await sees(page.getByText('Required field'))
  await field(page, 'Email Domain').fill('tree.example.com')
  await button(page, 'Create configuration').click()
  await page.waitForURL((url) => !url.pathname.endsWith('/create'))
  const id = path().split('/').at(-1)!
  await field(page, 'Address of the directory').fill('ldap://ldap.example.com')
  await field(page, 'Base DN').fill('dc=example,dc=com')
  await field(page, 'Bind password').fill('a password of the tree')
  await button(page, 'Update configuration').click()
  await sees(page.getByText('Use ldaps, or STARTTLS: otherwise passwords travel in the clear'))
  await shot(page, 'sso-edit-ldap')
  await page.getByRole('checkbox', { name: 'Use STARTTLS' }).click()
  await button(page, 'Update configuration').click()
  await page.waitForURL((url) => url.pathname === list)
  const { options } = await boss.client.call('sso.get', { params: { providerId: id } })
  expect(options).toMatchObject({ ldapUrl: 'ldap://ldap.example.com', startTls: true, bindPassword: true })
  await page.getByRole('button', { name: 'Actions for Oven Tree' }).click()
  await page.getByRole('menuitem', { name: 'Delete Configuration' }).click()
  await button(page, 'Delete').click()
  await expect.poll(() => page.getByRole('row', { name: /Oven Tree/ }).count()).toBe(0)
})

test('the list and the page of a provider warn of a certificate that expires soon, until the next one is there', async () => {
  const { page } = visitor
  const { id } = await make('Expiring Mill')
  const certificate = (days: number) =>
    execFileSync('openssl', [...openssl, '-days', String(days)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  const save = async (options: object) =>
    boss.client.call('sso.update', { params: { providerId: id }, body: { options } })
  await save({ cert: certificate(12) })
  await page.goto(`${list}?q=expiring`)
  await sees(page.getByRole('row', { name: /Expiring Mill.*Certificate expires on/ }))
  await shot(page, 'sso-list-expiring')
  await page.goto(`${list}/${id}`)
  await sees(page.getByRole('status').filter({ hasText: /Certificate expires on .* Import the metadata again/ }))
  await sees(page.getByText(/It signs the answers of the provider. Expires on/))
  await shot(page, 'sso-edit-expiring')
  await save({ nextCert: certificate(400) })
  await page.reload()
  await sees(page.getByText(/Both count while one is exchanged. Expires on/))
  expect(await page.getByText('Certificate expires on').count()).toBe(0)
})

test('[ASSO-15] a configuration that does not exist leads to the list', async () => {
  visitor.expectProblem(/404/)
  await visitor.page.goto(`${list}/none`)
  await visitor.page.waitForURL((url) => url.pathname === list)
  expect(path()).toBe(list)
})

test('[ASET-02] [ASSO-14] the tab and its pages are there only while single sign-on is on', async () => {
  const { page } = visitor
  await page.goto('/admin/settings')
  await sees(page.getByRole('link', { name: 'SSO', exact: true }))
  const { id } = await make()
  await boss.client.call('settings.update', { body: { 'user:sso': false } })
  for (const address of [list, `${list}/create`, `${list}/${id}`]) {
    await page.goto(address)
    await page.waitForURL((url) => url.pathname === '/admin/settings/general')
  }
  expect(await page.getByRole('link', { name: 'SSO', exact: true }).count()).toBe(0)
})

test('[LOGIN-09] [LOGIN-10] the login page sends an address to its provider, and tells why somebody was refused', async () => {
  const provider = await make('Login Mill')
  const entryPoint = 'https://idp.invalid/sso'
  const cert = execFileSync('openssl', openssl, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const options = { entryPoint, idpIssuer: 'https://idp.invalid/entity', cert }
  await boss.client.call('sso.update', { params: { providerId: provider.id }, body: { active: true, options } })
  const stranger = await visitors.open(platform())
  stranger.expectProblem(/401/)
  const { page } = stranger
  const asked: string[] = []
  await page.route('**/ee/sso/login?*', async (route) => {
    asked.push(new URL(route.request().url()).search)
    await route.fulfill({ status: 200, contentType: 'text/html', body: 'the provider' })
  })
  for (const start of ['/account/teams?tab=1', '/']) {
    await page.goto(start)
    await field(page, 'Username or email').fill('ada@loginmill.example.com')
    await button(page, 'Login').click()
    await sees(page.getByText('the provider'))
  }
  const u = '?u=ada%40loginmill.example.com'
  expect(asked).toEqual([`${u}&r=%2Faccount%2Fteams%3Ftab%3D1`, u])
  await page.goto('/account/teams?tab=1&sso=user_suspended')
  await sees(page.getByText('Your account is suspended. Ask your administrator.'))
  // A reload does not tell it again, and the provider does not carry it along.
  await page.waitForURL((url) => url.search === '?tab=1')
  await shot(page, 'sso-refused')
  await field(page, 'Username or email').fill('ada@loginmill.example.com')
  await button(page, 'Login').click()
  await sees(page.getByText('the provider'))
  expect(asked.at(-1)).toBe(`${u}&r=%2Faccount%2Fteams%3Ftab%3D1`)
})
