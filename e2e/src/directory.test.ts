import {
  baseDn,
  bindDn,
  bindPassword,
  clientSecret,
  hasSlapd,
  startOidcIdp,
  startSlapd,
} from '@app/server/testing/providers'
import type { Page } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  admin,
  button,
  createTeam,
  field,
  openConsole,
  screens,
  sees,
  shot,
  signInThrough,
  until,
} from './harness/index.ts'

// Signing in through real providers: oidc-provider in this process, and slapd of Debian.
const { platform, visitors } = await openConsole()
/** bob, who owns the teams of these tests and is no administrator. */
const boss = await platform().people.signIn(admin.username, admin.password)
platform().people.add('bob')
const owner = await platform().people.signIn('bob', admin.password)
const idp = await startOidcIdp()

afterAll(() => idp.close())
beforeEach(async () => {
  await boss.client.call('settings.update', { body: { 'user:sso': true } })
  // Providers of the test before would have buttons on the login page as well.
  const { providers } = await boss.client.call('sso.list', { query: {} })
  for (const { id } of providers) await boss.client.call('sso.delete', { params: { providerId: id }, query: {} })
})

const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()')
const choices = (page: Page) => page.getByRole('navigation', { name: 'Sign-in providers' })
const pathOf = (page: Page) => {
  const { pathname, search } = new URL(page.url())
  return pathname + search
}

/** An active provider of OpenID Connect without a domain. */
async function openIdProvider(name: string, options: object = {}): Promise<string> {
  const { id } = await boss.client.call('sso.create', { body: { name, type: 'oidc' } })
  idp.provide(`${platform().url}/ee/sso/oidc/${id}/callback`)
  const all = { issuer: idp.issuer, clientId: idp.clientId, clientSecret, createAccounts: true, ...options }
  await boss.client.call('sso.update', { params: { providerId: id }, body: { active: true, options: all } })
  return id
}
const ada = { sub: 'ada-1', email: 'ada@example.com', email_verified: true, name: 'Ada Lovelace' }

/** Speaks as a directory with this token. */
async function directory(token: string, method: string, path: string, body: object): Promise<Record<string, unknown>> {
  const reply = await fetch(`http://127.0.0.1:${platform().port}/scim/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify(body),
  })
  const text = await reply.text()
  if (!reply.ok) throw new Error(text)
  return JSON.parse(text) as Record<string, unknown>
}

test('a person signs in by the button of a provider, and comes to the page first asked for', async () => {
  await openIdProvider('Example Login')
  idp.expectPerson(ada)
  const { page } = await visitors.open(platform())
  await page.goto('/account/security/sessions')
  await shot(page, 'login-provider')
  // By keyboard: name, login, then the provider.
  await screens.login.username(page).focus()
  for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key)
  await page.waitForURL((url) => url.pathname === '/account/security/sessions' && url.origin === platform().url)
  await sees(screens.heading(page, 'Security'))
})

test('whoever refuses at the provider is told so once, and can try again from there', async () => {
  await openIdProvider('Refused Login')
  idp.expectPerson(undefined)
  const { page } = await visitors.open(platform())
  await page.goto('/account/security/sessions')
  const continues = page.getByRole('link', { name: 'Continue with Refused Login' })
  await continues.click()
  await sees(page.getByText(/Your sign-in provider did not sign you in. Try again./))
  await expect.poll(() => pathOf(page)).toBe('/')
  await shot(page, 'login-provider-refused')
  expect(await continues.getAttribute('href')).toMatch(/^\/ee\/sso\/login\?provider=\w+$/)
  await page.reload()
  await sees(continues)
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('of many providers the first are shown, long names in lines enough, and none while single sign-on is off', async () => {
  const endless = 'A bakery with the longest name of all the bakeries that ever signed anybody in'
  for (let serial = 1; serial <= 7; serial += 1) await openIdProvider(serial === 2 ? endless : `Bakery ${serial}`)
  const { page } = await visitors.open(platform())
  await page.goto('/')
  await sees(choices(page).getByText(endless))
  expect(await choices(page).getByRole('link').count()).toBe(5)
  await shot(page, 'login-providers')
  await button(page, 'Show all 7').click()
  expect(await choices(page).getByRole('link').count()).toBe(7)
  await boss.client.call('settings.update', { body: { 'user:sso': false } })
  await page.reload()
  await sees(screens.login.button(page))
  expect(await choices(page).count()).toBe(0)
})

test('a token of SCIM is made and shown once; with it a directory ends the session of a person at once', async () => {
  await openIdProvider('Directory Login')
  const bakery = { name: 'Bakery Login', type: 'oidc' as const, domainFilter: '@bakery.example' }
  await boss.client.call('sso.create', { body: bakery })
  const visitor = await visitors.open(platform(), boss)
  const { page } = visitor
  await page.goto('/admin/settings/sso')
  await page.getByRole('navigation', { name: 'Single sign-on' }).getByRole('link', { name: 'SCIM' }).click()
  await sees(page.getByText('No SCIM tokens'), page.getByText('No groups'))
  await sees(page.getByText(`${platform().url}/scim/v2`))
  await shot(page, 'scim-empty')
  await button(page, 'Create Token').click()
  await button(page, 'Create Token').last().click()
  await sees(page.getByText('Required field').first())
  await field(page, 'Name').fill('Entra 2026')
  await field(page, 'Directory').fill('Entra ID')
  await page.getByRole('checkbox', { name: /Take over accounts/ }).click()
  // The only provider with a domain is chosen, and one without a domain is none to choose.
  await sees(field(page, 'Provider').getByText('Bakery Login'))
  await field(page, 'Provider').click()
  expect(await page.getByRole('option').allInnerTexts()).toEqual([expect.stringContaining('Bakery Login'), 'None'])
  await page.keyboard.press('Escape')
  await shot(page, 'scim-create')
  await button(page, 'Create Token').last().click()
  await button(page, 'Copy SCIM token').click()
  const token = await clipboard(page)
  expect(token).toMatch(/^ffscim_/)
  await shot(page, 'scim-token')
  await button(page, 'I have saved it').click()
  const row = page.getByRole('row', { name: /Entra 2026/ })
  await sees(row.getByText('never'), row.getByText('Entra ID, for @bakery.example, may take over accounts'))
  expect(await page.getByText(token).count()).toBe(0)

  const person = { sub: 'eve-1', email: 'eve@example.com', email_verified: true, name: 'Eve Example' }
  idp.expectPerson(person)
  const eve = await visitors.open(platform())
  eve.expectProblem(/401|ERR_INCOMPLETE|ERR_ABORTED/)
  await eve.page.goto('/account/security/sessions')
  await eve.page.getByRole('link', { name: 'Continue with Directory Login' }).click()
  await sees(screens.heading(eve.page, 'Security'))

  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
  const { id } = await directory(token, 'POST', '/Users', {
    schemas,
    userName: person.email,
    displayName: person.name,
    emails: [{ value: person.email, primary: true, type: 'work' }],
    active: true,
  })
  await directory(token, 'POST', '/Groups', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: 'Night shift',
    members: [{ value: id }],
  })
  await page.reload()
  await sees(page.getByRole('row', { name: /Night shift.*Entra ID.*1/ }))
  expect(await row.getByText('never').count()).toBe(0)
  await shot(page, 'scim')

  await directory(token, 'PUT', `/Users/${String(id)}`, { schemas, userName: person.email, active: false })
  await eve.page.reload()
  await sees(screens.login.button(eve.page))
  await eve.page.getByRole('link', { name: 'Continue with Directory Login' }).click()
  await sees(eve.page.getByText('Your account is suspended. Ask your administrator.'))

  await button(page, 'Revoke Entra 2026').click()
  await button(page, 'Revoke').click()
  await sees(page.getByText('No SCIM tokens'))
  const refused = await fetch(`http://127.0.0.1:${platform().port}/scim/v2/Users`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(refused.status).toBe(401)
})

test('a group rule is tried on a past sign-in, saved, and gives the role at the next one', async () => {
  const { team } = await createTeam(owner.client, 'Example Bakery')
  const id = await openIdProvider('Group Login')
  const gina = { sub: 'gina-1', email: 'gina@example.com', email_verified: true, groups: ['bakers', 'night shift'] }
  idp.expectPerson(gina)
  const signIn = async () => {
    const { page } = await visitors.open(platform())
    await page.goto('/account/teams')
    await page.getByRole('link', { name: 'Continue with Group Login' }).click()
    await sees(screens.heading(page, 'Teams'))
    return page
  }
  await signIn()
  const { page } = await visitors.open(platform(), boss)
  await page.goto(`/admin/settings/sso/${id}`)
  await sees(page.getByText('No group rules'))
  await button(page, 'Add Rule').click()
  await button(page, 'Save Rules').click()
  await sees(page.getByText('Rule 1 needs a group and what the group gets'))
  const rule = page.getByRole('group', { name: 'Rule 1' })
  await sees(rule.getByLabel('Group').and(page.locator('[aria-invalid=true]:focus')))
  // By keyboard: a new rule begins with the focus, and a removed one leaves it at the button that adds another.
  await button(page, 'Add Rule').press('Enter')
  await sees(page.getByRole('group', { name: 'Rule 2' }).getByLabel('Group').and(page.locator(':focus')))
  await button(page, 'Remove Rule 2').press('Enter')
  await sees(button(page, 'Add Rule').and(page.locator(':focus')))
  await rule.getByLabel('Group').fill('bakers')
  await rule.getByLabel('Team').click()
  await page.getByRole('option', { name: team.name }).click()
  await button(page, 'Try Rules').click()
  await sees(page.getByText(`Joins “${team.name}” as Member, by the group “bakers”.`))
  await shot(page, 'sso-rules')
  await page.getByRole('link', { name: 'SSO Configurations' }).click()
  await sees(page.getByText('You have unsaved changes.', { exact: false }))
  await button(page, 'Cancel').click()
  await button(page, 'Save Rules').click()
  await sees(screens.toast(page, 'The rules are saved.'))
  await sees((await signIn()).getByRole('link', { name: team.name }).first())
})

test('[PERM-79] a contractor signs in, sees the one application of their group, and loses it with the group', async () => {
  await boss.client.call('settings.update', { body: { 'team:application-roles': true } })
  const { team, application } = await createTeam(owner.client, 'Corner Bakery')
  await owner.client.call('application.create', { body: { name: 'Mixing', teamId: team.id } })
  const id = await openIdProvider('Contractor Login')
  const cora = { sub: 'cora-1', email: 'cora@example.com', email_verified: true, name: 'Cora Contractor' }
  const groups = { ...cora, groups: ['oven fitters'] }
  idp.expectPerson(groups)
  const signIn = async (path = '/account/teams') => {
    const visitor = await visitors.open(platform())
    await visitor.page.goto(path)
    await visitor.page.getByRole('link', { name: 'Continue with Contractor Login' }).click()
    return visitor
  }
  await sees(screens.heading((await signIn()).page, 'Teams'))

  const { page } = await visitors.open(platform(), boss)
  await page.goto(`/admin/settings/sso/${id}`)
  await button(page, 'Add Rule').click()
  const rule = page.getByRole('group', { name: 'Rule 1' })
  const field = (name: string) => rule.getByRole('combobox', { name })
  await rule.getByLabel('Group').fill('oven fitters')
  await rule.getByLabel('Team').click()
  await page.getByRole('option', { name: team.name }).click()
  await sees(field('Application').getByText('Whole team'))
  // By keyboard: the list is opened, searched and closed without the mouse.
  await field('Application').focus()
  await page.keyboard.press('Enter')
  await sees(page.getByRole('option', { name: 'Mixing' }))
  expect(await page.getByRole('option').first().textContent()).toBe('Whole team')
  await page.keyboard.type('oven')
  await page.keyboard.press('Enter')
  await sees(field('Application').getByText('Oven line'))
  await sees(field('Application').and(page.locator(':focus')))
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await sees(page.getByRole('option', { name: 'Viewer' }))
  expect(await page.getByRole('option', { name: 'Dashboard Only' }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await button(page, 'Try Rules').click()
  const joins = `Joins “${team.name}” as Limited, by the group “oven fitters”.`
  await sees(page.getByText(joins))
  await sees(page.getByText(`Becomes Member in “Oven line” of “${team.name}”, by the group “oven fitters”.`))
  await shot(page, 'sso-rule-of-an-application')
  await button(page, 'Save Rules').click()
  await sees(screens.toast(page, 'The rules are saved.'))

  const contractor = await signIn(`/team/${team.slug}/applications`)
  const applications = contractor.page.getByRole('main')
  await sees(applications.getByText('Oven line'))
  expect(await contractor.page.getByText('Mixing').count()).toBe(0)
  await contractor.page.goto(`/team/${team.slug}/library`)
  await sees(contractor.page.getByText('You have access to single applications of this team.'))
  await contractor.page.goto(`/application/${application.id}/instances`)
  await sees(applications.getByRole('heading', { name: 'Oven line' }))

  contractor.expectProblem(/404/)
  idp.expectPerson({ ...cora, groups: [] })
  await sees(screens.heading((await signIn()).page, 'Teams'))
  await contractor.page.reload()
  await sees(contractor.page.getByRole('heading', { name: 'Page Not Found' }))
  await page.reload()
  await page.getByRole('row', { name: /cora/ }).first().click()
  const shown = page.getByRole('dialog')
  await sees(shown.getByText(`Leaves “${team.name}”: no group gives a role there any more.`))
  // An attribute without a value is told from one that was left out.
  await sees(
    shown
      .locator('dt', { hasText: /^groups$/ })
      .locator('+ dd')
      .getByText('No Value'),
  )
  await shot(page, 'sso-sign-in-of-a-contractor')
  await page.keyboard.press('Escape')

  await boss.client.call('settings.update', { body: { 'team:application-roles': false } })
  await page.reload()
  const off = page.getByText('Roles in single applications are off, so rules for an application change nothing.')
  await sees(off)
  await off.scrollIntoViewIfNeeded()
  await sees(field('Application').getByText('Oven line'))
  await shot(page, 'sso-rule-of-an-application-off')
})

// Where slapd is not installed this is left out, and the list of tests says so; `npm test` installs it.
describe.runIf(hasSlapd)('with slapd', () => {
  test('a person signs in with the name and the password of a directory', async () => {
    const slapd = await startSlapd()
    onTestFinished(() => slapd.stop())
    const body = { name: 'Ovens', type: 'ldap' as const, domainFilter: '@ovens.example.com' }
    const { id } = await boss.client.call('sso.create', { body })
    const options = { ldapUrl: slapd.url, baseDn, bindDn, bindPassword, createAccounts: true }
    await boss.client.call('sso.update', { params: { providerId: id }, body: { active: true, options } })

    const visitor = await visitors.open(platform())
    visitor.expectProblem(/401/)
    const { page } = visitor
    await page.goto('/account/settings')
    await signInThrough(page, 'carl', 'password of bob')
    await sees(page.getByText('Login failed'))
    await screens.login.password(page).fill('password of carl')
    await screens.login.button(page).click()
    await sees(screens.heading(page, 'Settings'))
    const { signIns } = await boss.client.call('sso.signIns', { params: { providerId: id } })
    expect(signIns.map(({ result }) => result)).toEqual(['signed-in', 'refused'])

    const boss2 = await visitors.open(platform(), boss)
    await boss2.page.goto(`/admin/settings/sso/${id}`)
    const help = boss2.page.getByRole('link', { name: /Learn more/ })
    await until(
      async () => help.getAttribute('href'),
      (href) => href === '/docs/ldap',
    )
  })
})
