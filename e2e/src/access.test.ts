import { beforeAll, expect, test } from 'vitest'
import { adjust, admin, answer, button, field, openConsole, screens, sees, type Visitor } from './harness/index.ts'

/*
 * What the console does with answers that this platform gives only with parts configured outside (single sign-on)
 * or when something breaks. The answers are put in on the way to the browser; all else is the platform's.
 */

const { platform, visitors } = await openConsole()
let guest: Visitor
let person: Visitor

beforeAll(async () => {
  platform().people.add('bob')
  guest = await visitors.open(platform())
  person = await visitors.open(platform(), await platform().people.signIn('bob', admin.password))
})

const refusal = (code: string, error: string, more = {}) => ({ code, error, message: error, statusCode: 400, ...more })

test('[LOGIN-04] [LOGIN-13] The login follows what the server asks for', async () => {
  const { page } = guest
  await page.goto('/team/x/applications')
  await sees(screens.login.button(page))
  expect(await page.getByRole('link', { name: 'Sign Up' }).count()).toBe(0)
  const submit = async (status: number, reply: ReturnType<typeof refusal>) => {
    await answer(page, 'POST /account/login', status, reply)
    await screens.login.username(page).fill('bob@example.com')
    await screens.login.button(page).click()
  }
  await submit(401, refusal('sso_required', 'Sign in with your company account'))
  await sees(page.getByText('Sign in with your company account'))
  expect(await screens.login.username(page).getAttribute('aria-invalid')).toBe('true')
  await submit(403, refusal('user_suspended', 'User suspended'))
  await sees(page.getByRole('alert').filter({ hasText: 'User suspended' }))

  const provider = `${platform().url}/ee/sso/login?u=bob`
  await page.route('**/ee/sso/login?*', (route) => route.fulfill({ contentType: 'text/html', body: 'The provider' }))
  const redirected = refusal('sso_required', 'SSO', { redirect: provider })
  await submit(401, redirected)
  await page.waitForURL(`${provider}&r=%2Fteam%2Fx%2Fapplications`)
  await page.goto('/')
  await submit(401, redirected)
  await page.waitForURL(provider)
})

test('Who has single sign-on is sent there after the sign-up; a refused address says why', async () => {
  const { page } = guest
  await page.unrouteAll()
  await page.goto('/account/create')
  await sees(button(page, 'Sign Up'))
  for (const [label, text] of [
    ['Username', 'dora'],
    ['Email', 'dora@example.com'],
    ['Password', 'a fresh horse battery'],
  ] as const)
    await field(page, label).fill(text)
  await answer(page, 'POST /account/register', 400, refusal('invalid_sso_email', 'Use the address without a plus'))
  await button(page, 'Sign Up').click()
  await sees(page.getByText('Use the address without a plus'))
  await answer(page, 'POST /account/register', 200, { username: 'dora', email: 'dora@example.com', sso_enabled: true })
  await button(page, 'Sign Up').click()
  await sees(page.getByText('You can now login using your SSO Provider.'))
})

test('[ACCT-15] [ACCT-17] [ACCT-19] [ACCT-22] The profile says what is wrong in its own words', async () => {
  const { page } = person
  await page.goto('/account/settings')
  const save = async (text: string) => {
    await field(page, 'Email').fill(text)
    await button(page, 'Save changes').click()
  }
  await answer(page, 'PUT /api/v1/user', 400, refusal('invalid_email', 'This will not do'))
  await save('other@example.com')
  await sees(page.getByText('Invalid email'))
  await answer(page, 'PUT /api/v1/user', 400)
  await save('third@example.com')
  await sees(screens.toast(page, 'Error updating user'))
  await button(page, 'Discard').click()

  const remove = async () => {
    await button(page, 'Delete Account').click()
    await page
      .getByRole('alertdialog')
      .getByLabel(/to confirm/)
      .fill('bob')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete Account' }).click()
  }
  await answer(page, 'DELETE /api/v1/user', 400, refusal('unexpected_error', 'You are the only administrator'))
  await remove()
  await sees(screens.toast(page, 'You are the only administrator'))
  await answer(page, 'DELETE /api/v1/user', 400)
  await remove()
  await sees(screens.toast(page, 'Error deleting account'))

  await page.unrouteAll()
  await adjust(page, '/api/v1/user', (user) => ({ ...user, sso_enabled: true }))
  await page.reload()
  await sees(page.getByText('Cannot modify email for SSO enabled user'))
  expect(await field(page, 'Email').isDisabled()).toBe(true)
})

test.each([
  ['[ACCT-05] [ACCT-07] [ACCT-23] the profile and the password', ['', '/settings', '/security', '/security/password']],
  ['[ATEAM-01] [ATEAM-08] teams and invitations', ['/teams', '/teams/invitations']],
  ['[ACCT-01] [ACCT-04] [ACCT-41] what is confirmed', ['/request/r2', '/request/r2/editor', '/email_change/ffec_x']],
])('Only who is signed in sees %s', async (_, paths) => {
  const { page } = guest
  for (const path of paths) {
    await page.goto(`/account${path}`)
    await sees(screens.login.button(page))
    expect([path, await page.getByRole('navigation', { name: 'Main' }).count()]).toEqual([path, 0])
  }
})

test('[SHELL-19] [ACCT-04] The way into an own editor asks nothing', async () => {
  const { page } = person
  // The browser leaves at once, so the page itself keeps what it showed.
  await page.addInitScript(`new MutationObserver(() => {
    if (document.body?.innerText.includes('Redirecting')) localStorage.shown = document.body.innerText
    localStorage.navigations = document.querySelectorAll('nav').length
  }).observe(document, { subtree: true, childList: true })`)
  await page.route('**/account/complete/r2', (route) => route.fulfill({ contentType: 'text/html', body: 'complete' }))
  await page.goto('/account/request/r2/editor')
  await page.waitForURL('**/account/complete/r2')
  expect(await page.evaluate('localStorage.shown')).toContain('Redirecting back to your instance editor')
  expect(await page.evaluate('localStorage.navigations')).toBe('0')
})
