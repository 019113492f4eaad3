import { execFileSync } from 'node:child_process'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import {
  admin,
  button,
  field,
  type Person,
  screens,
  sees,
  shot,
  useMailbox,
  usePlatform,
  useVisitors,
  type Visitor,
} from './harness/index.ts'

const domain = 'bakery.example.com'
const mailbox = useMailbox()
const platform = usePlatform({ claimed: true, settings: () => mailbox.settings() })
const visitors = useVisitors()
let boss: Person
let visitor: Visitor

beforeAll(async () => {
  const { people } = platform()
  for (const name of ['user:signup', 'user:sso']) people.set(name, true)
  boss = await people.signIn(admin.username, admin.password)
  const { id: providerId } = await boss.client.call('sso.create', { body: { name: 'Bakery', domainFilter: domain } })
  const openssl = 'req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=idp -keyout /dev/null'.split(' ')
  const cert = execFileSync('openssl', openssl, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const options = { entryPoint: 'https://idp.invalid/sso', idpIssuer: 'https://idp.invalid/entity', cert }
  await boss.client.call('sso.update', { params: { providerId }, body: { active: true, options } })
})
beforeEach(async () => {
  await boss.client.call('settings.update', { body: { 'user:sso': true } })
  visitor = await visitors.open(platform(), boss)
})

/** Somebody of the domain, who signed up through the form. */
async function signUp(username: string) {
  const { page } = await visitors.open(platform())
  await page.goto('/account/create')
  await field(page, 'Username').fill(username)
  await field(page, 'Email').fill(`${username}@${domain}`)
  await field(page, 'Password').fill('a fresh horse battery')
  await button(page, 'Sign Up').click()
  return page
}
const path = () => new URL(visitor.page.url()).pathname

test('[SIGNUP-11] who signs up with an address of the domain is sent to the provider', async () => {
  const page = await signUp('nina')
  await sees(page.getByText('You can now login using your SSO Provider.'))
  await shot(page, 'sso-signed-up')
  // Others get a link by mail, and read nothing of a provider.
  const { page: other } = await visitors.open(platform())
  await other.goto('/account/create')
  await field(other, 'Username').fill('otto')
  await field(other, 'Email').fill('otto@example.com')
  await field(other, 'Password').fill('a fresh horse battery')
  await button(other, 'Sign Up').click()
  await sees(other.getByText('We have sent a link to'))
  expect(await other.getByText('SSO Provider').count()).toBe(0)
})

test('[LOGIN-11] who types a user name and has to come by their address is told so on the field', async () => {
  await signUp('olga')
  const { page } = await visitors.open(platform())
  await page.goto('/')
  const username = screens.login.username(page)
  await username.fill('olga')
  await screens.login.button(page).click()
  await expect.poll(() => username.getAttribute('aria-invalid')).toBe('true')
  const description = await page.locator(`#${await username.getAttribute('aria-describedby')}`).innerText()
  expect(description).toBe('Sign in with your e-mail address: it signs in through your company')
})

test('[AUSER-02] [AUSER-09] [AUSER-15] administrators see who signs in by single sign-on, and cannot change their address', async () => {
  await signUp('paula')
  const { page } = visitor
  const headers = async () => (await page.getByRole('columnheader').allInnerTexts()).map((text) => text.trim())
  await page.goto('/admin/users')
  await sees(page.getByRole('row', { name: /paula/ }))
  expect(await headers()).toContain('SSO Enabled')
  await boss.client.call('settings.update', { body: { 'user:sso': false } })
  await page.reload()
  await sees(page.getByRole('row', { name: /paula/ }))
  expect(await headers()).not.toContain('SSO Enabled')

  await boss.client.call('settings.update', { body: { 'user:sso': true } })
  const { users } = await boss.client.call('user.list', { query: {} })
  const paula = users.find(({ username }) => username === 'paula')!
  await page.goto(`/admin/users/${paula.id}`)
  const main = page.locator('main')
  await sees(
    main.getByText(paula.email),
    main.getByText('SSO enabled', { exact: true }),
    main.getByText('Verified', { exact: true }),
  )
  const year = new Date(paula.createdAt).getFullYear()
  await sees(main.getByText(new RegExp(`^[A-Z][a-z]+ \\d{1,2}, ${year}`)).first())
  await button(page, 'Edit').click()
  expect(await field(page, 'Email').isDisabled()).toBe(true)
  await sees(page.getByText('Cannot modify email for SSO enabled user'))

  // Somebody else is neither marked, nor kept from another address.
  platform().people.add('quinn')
  const quinn = (await boss.client.call('user.list', { query: {} })).users.find(({ username }) => username === 'quinn')!
  await page.goto(`/admin/users/${quinn.id}`)
  await sees(main.getByText('Verified', { exact: true }))
  expect(await main.getByText('SSO enabled', { exact: true }).count()).toBe(0)
  await button(page, 'Edit').click()
  await button(page, 'Unlock').click()
  expect(await field(page, 'Email').isDisabled()).toBe(false)
  await page.keyboard.press('Escape')

  await boss.client.call('user.update', { params: { userId: quinn.id }, body: { email_verified: false } })
  await page.reload()
  await sees(main.getByText('Unverified', { exact: true }))
})

test('[ADM-06] [ASET-01] the settings open with the general ones, and have a tab for each of the others', async () => {
  const { page } = visitor
  await page.goto('/admin/settings')
  await page.waitForURL((url) => url.pathname === '/admin/settings/general')
  await sees(page.getByRole('heading', { level: 1, name: 'Settings' }))
  for (const [label, address] of [
    ['License', 'license'],
    ['Email', 'email'],
    ['SSO', 'sso'],
    ['General', 'general'],
  ] as const) {
    const tab = page.getByRole('link', { name: label, exact: true })
    await tab.click()
    await page.waitForURL((url) => url.pathname === `/admin/settings/${address}`)
    await expect.poll(() => tab.getAttribute('aria-current')).toBe('page')
    expect(path()).toBe(`/admin/settings/${address}`)
    await sees(page.getByRole('heading', { level: 1, name: 'Settings' }))
  }
})
