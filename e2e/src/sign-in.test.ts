import { expect, onTestFinished, test } from 'vitest'
import { admin, button, openTeam, screens, sees, shot, signInThrough } from './harness/index.ts'

const { platform, visitors, owner } = await openTeam()
const { login } = screens

/** A visitor who was asked for the password of bob. */
async function askedForPassword() {
  const { page } = await visitors.open(platform())
  await page.goto('/')
  await login.username(page).fill('bob')
  await login.button(page).click()
  await login.password(page).waitFor()
  return page
}

test('[LOGIN-02] [LOGIN-06] [LOGIN-07] Sign-in asks for the password in a second step, and for neither in vain', async () => {
  const { page } = await visitors.open(platform())
  const calls: string[] = []
  page.on('request', (call) => call.url().endsWith('/account/login') && calls.push(call.method()))
  await page.goto('/')
  await login.button(page).click()
  await sees(page.getByText('Required field'))
  expect(calls).toEqual([])
  await login.username(page).fill('bob')
  expect(await login.password(page).count()).toBe(0)
  await shot(page, 'login')
  await login.button(page).click()
  await login.password(page).waitFor()
  await login.button(page).click()
  await sees(page.getByText('Required field'))
  await login.password(page).fill('flour')
  await button(page, 'Show password').click()
  expect(await login.password(page).getAttribute('type')).toBe('text')
  await button(page, 'Hide password').click()
  expect(await login.password(page).getAttribute('type')).toBe('password')
})

test('[LOGIN-05] Where passwords are not reset by mail, an administrator is asked', async () => {
  const page = await askedForPassword()
  expect(await page.getByRole('link', { name: 'Forgot your password' }).count()).toBe(0)
  await sees(page.getByText('Forgot your password? Ask an administrator.'))
  await shot(page, 'login-password')
})

test.each(['bob', 'bob@example.com'])(
  '[LOGIN-01] [LOGIN-03] [SHELL-16] A page of a team asks who is there, and opens for %s',
  async (name) => {
    const { page } = await visitors.open(platform())
    await page.goto('/team/example-bakery/members/general')
    await sees(login.button(page))
    expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
    await signInThrough(page, name, admin.password)
    await sees(screens.heading(page, 'Members'))
  },
)

test('[LOGIN-08] [LOGIN-12] A wrong password is "Login failed"; an endless one is "Too long"', async () => {
  const page = await askedForPassword()
  await login.password(page).fill('x'.repeat(1025))
  await login.button(page).click()
  await sees(page.getByText('Too long'))
  await login.password(page).fill('x'.repeat(1024))
  await login.button(page).click()
  await sees(page.getByText('Login failed'))
  expect(await page.getByText('Too long').count()).toBe(0)
  await login.password(page).fill('wrong horse battery')
  await login.button(page).click()
  await sees(page.getByText('Login failed'))
  await shot(page, 'login-failed')
})

test('[SHELL-32] [LOGIN-12] The right password leads to the current team', async () => {
  const page = await askedForPassword()
  await login.password(page).fill(admin.password)
  await login.button(page).click()
  await page.waitForURL('**/team/example-bakery/applications')
})

test('[SHELL-11] [SHELL-28] [SHELL-32] [LOGIN-14] Signing out leads to the login; a deep link survives the next sign-in', async () => {
  // Signing out ends the session, so it has one of its own.
  const visitor = await visitors.open(platform(), await platform().people.signIn('bob', admin.password))
  const { page } = visitor
  await page.goto('/')
  await screens.menu.choose(page, /Bob Example/, 'Sign Out')
  await login.button(page).waitFor()
  expect(new URL(page.url()).pathname).toBe('/')
  expect((await visitor.context.request.get('/api/v1/user')).status()).toBe(401)

  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/api/v1/user', (route) => answered.then(() => route.continue()))
  await page.goto('/team/example-bakery/audit-log')
  await sees(page.getByText('Loading...'))
  expect(await page.getByRole('textbox').count()).toBe(0)
  answer()
  await signInThrough(page, 'bob', admin.password)
  await page.waitForURL('**/team/example-bakery/audit-log')
  await sees(screens.heading(page, 'Audit Log'))
})

test('[SHELL-37] [TEAM-18] Unknown addresses and unknown teams are "Page Not Found"', async () => {
  const { page } = await visitors.open(platform(), owner)
  for (const path of ['/no/such/page', '/team/nobodys-team/applications']) {
    await page.goto(path)
    await sees(page.getByText('Page Not Found').first())
  }
  await shot(page, 'not-found')
})

test('[SHELL-33] [SHELL-34] Somebody without a team is led to create one', async () => {
  platform().people.add('carol')
  const person = await platform().people.signIn('carol', admin.password)
  const { page } = await visitors.open(platform(), person)
  await page.goto('/')
  await sees(
    page.getByText('You need to be in a team to create projects.'),
    page.getByRole('link', { name: /create a new team/i }),
  )
  await shot(page, 'no-team')
})

/** Somebody whose password has expired, before the page that asks for another. */
async function expired(username: string) {
  const { people } = platform()
  people.add(username)
  people.change(username, 'password_expired', 1)
  const { page } = await visitors.open(platform(), await people.signIn(username, admin.password))
  const change = async (current: string, next: string, again = next) => {
    await page.getByLabel('Current password').fill(current)
    await page.getByLabel('New password', { exact: true }).fill(next)
    await page.getByLabel('Confirm the new password').fill(again)
    await button(page, 'Change Password').click()
  }
  return { page, change }
}

test('[ACCT-25] [ACCT-26] [ACCT-27] [ACCT-29] [ACCT-30] An expired password is replaced by who knows it', async () => {
  const { page, change } = await expired('emil')
  await page.goto('/account/settings')
  await sees(screens.heading(page, 'Your password has expired'))
  await shot(page, 'gate-password')
  await button(page, 'Change Password').click()
  await sees(page.getByText('Enter your current password'), page.getByText('Enter a new password'))
  await change(admin.password, '1234567')
  await sees(page.getByText('Password too short', { exact: true }))
  await change(admin.password, 'a fresh horse battery', 'another horse battery')
  await sees(page.getByText('Passwords do not match'))
  await change(admin.password, 'a fresh horse battery')
  await sees(page.getByRole('heading', { name: 'Settings', level: 1 }))
})

test('[SHELL-12] [SHELL-13] [SHELL-15] [SHELL-17] What a user has to do first is asked in its order, one after the other', async () => {
  const { people } = platform()
  people.set('user:tcs-required', true)
  people.set('user:tcs-url', 'https://example.com/terms')
  people.set('user:tcs-date', new Date().toISOString())
  // Terms stand before every page of everybody, those of the other tests too.
  onTestFinished(() => people.set('user:tcs-required', false))
  const { page, change } = await expired('dave')
  people.change('dave', 'email_verified', 0)

  await page.goto('/')
  await sees(screens.heading(page, 'Your password has expired'))
  await change(admin.password, 'a fresh horse battery')
  await sees(screens.heading(page, 'Verify your e-mail address'), page.getByText('This platform cannot send mail.'))
  await shot(page, 'gate-email')
  people.change('dave', 'email_verified', 1)
  // The link was followed in another tab: whoever comes back to this one finds the address verified.
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
  await sees(screens.heading(page, 'Terms and Conditions'))
  await shot(page, 'gate-terms')
  await page.getByRole('checkbox').click()
  await page.getByRole('button', { name: 'Accept and continue' }).click()
  await sees(page.getByText('You need to be in a team to create projects.'))
})

test('When the server goes away an open page stays, under a bar, and goes on by itself', async () => {
  const { page, expectProblem } = await visitors.open(platform(), owner)
  expectProblem(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE|ERR_NETWORK|Failed to load resource/)
  await page.goto('/team/example-bakery/applications')
  await sees(screens.heading(page, 'Applications'))
  await platform().server.end('SIGTERM')
  const bar = page.getByRole('status').filter({ hasText: 'Reconnecting...' })
  await sees(bar, screens.heading(page, 'Applications'))
  await shot(page, 'reconnecting')
  await platform().start()
  await bar.waitFor({ state: 'detached' })
  await sees(screens.heading(page, 'Applications'))
})

test('[SHELL-08] [SHELL-09] [SHELL-10] [API-04] Where nothing was loaded yet, "Oh Dear" offers to try again', async () => {
  const { page, expectProblem } = await visitors.open(platform(), owner)
  expectProblem(/ERR_FAILED|Failed to load resource/)
  await page.route('**/api/v1/**', (route) => route.abort())
  await page.goto('/team/example-bakery/applications')
  await sees(page.getByText('Oh Dear'), page.getByText('We tried phoning the server, but no-one answered.'))
  await shot(page, 'offline')
  // A page in the background asks for nothing by itself, so this one goes on by the button alone.
  const inBackground = (hidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', {
      value: '${hidden ? 'hidden' : 'visible'}',
      configurable: true,
    })
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
  await inBackground(true)
  const again = page.getByRole('button', { name: 'Try again' })
  await expect.poll(() => again.getAttribute('aria-busy')).not.toBe('true')
  await page.unroute('**/api/v1/**')
  await Promise.all([page.waitForResponse('**/api/v1/settings'), again.click()])
  await inBackground(false)
  await sees(screens.heading(page, 'Applications'))
})
