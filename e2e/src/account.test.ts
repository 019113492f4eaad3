import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import {
  admin,
  button,
  createTeam,
  field,
  linkIn,
  type Person,
  screens,
  sees,
  shot,
  signInThrough,
  until,
  useMailbox,
  usePlatform,
  useVisitors,
  type Visitor,
} from './harness/index.ts'

const mailbox = useMailbox()
const platform = usePlatform({ claimed: true, settings: mailbox.settings })
const visitors = useVisitors()
const address = 'dora@example.com'
const newAddress = 'dora.new@example.com'
const passwords = ['a fresh horse battery', 'another horse battery', 'yet another horse battery'] as const
let visitor: Visitor
let bob: Person
const teams: string[] = []

/** One person from the mail of the sign-up to the end of the account, in one browser. */
beforeAll(async () => {
  const { people } = platform()
  people.set('user:signup', true)
  people.set('user:reset-password', true)
  people.set('user:tcs-required', true)
  people.set('user:tcs-url', 'https://example.com/terms')
  people.set('user:tcs-date', new Date(Date.now() - 60_000).toISOString())
  people.set('branding:account:signUpTopBanner', '<b>Flour to the people</b><script>alert(1)</script>')
  people.set('branding:account:signUpLeftBanner', '<h2>Bakery of the future</h2><p onclick="x()">Ovens and flows.</p>')
  people.add('bob')
  bob = await people.signIn('bob', admin.password)
  for (const name of ['Example Bakery', 'Cold Store']) teams.push((await createTeam(bob.client, name)).team.id)
  people.set('team:create', false)
  visitor = await visitors.open(platform())
})

const untilEnabled = (control: Locator, enabled = true) =>
  until(
    () => control.isEnabled(),
    (is) => is === enabled,
  )

/** What the page sends with this call while `act` runs. */
async function bodyOf(page: Page, method: string, path: string, act: () => Promise<void>): Promise<unknown> {
  const matches = (request: { method(): string; url(): string }) =>
    request.method() === method && new URL(request.url()).pathname === path
  const [request] = await Promise.all([page.waitForRequest(matches), act()])
  return request.postDataJSON()
}

test('[SIGNUP-01] [SIGNUP-02] [SIGNUP-03] [SIGNUP-07] [SIGNUP-08] [SIGNUP-09] [SIGNUP-17] [TCS-05] [LAYOUT-01] The sign-up asks for what it needs and works once all is well', async () => {
  const { page } = visitor
  await page.goto(`/account/create?email=${encodeURIComponent(address)}&code=SPRING`)
  expect(await field(page, 'Email').inputValue()).toBe(address)
  await sees(page.getByText('Flour to the people'), page.getByText('Bakery of the future'))
  const terms = page.getByRole('link', { name: 'Terms and Conditions' })
  expect(await terms.getAttribute('href')).toBe('https://example.com/terms')
  expect(await page.getByText('What brings you here?').count()).toBe(0)

  const submit = button(page, 'Sign Up')
  expect(await submit.isDisabled()).toBe(true)
  for (const [label, bad, sentence] of [
    ['Username', 'dora d.', 'Must only contain a-z 0-9 - _'],
    ['Full name', 'http://x', 'Names can not be URLs'],
    ['Email', 'abc', 'Enter a valid email address'],
    ['Password', '1234567', 'Password must be at least 8 characters'],
  ] as const) {
    await field(page, label).fill(bad)
    await field(page, label).blur()
    await sees(page.getByText(sentence))
  }
  await shot(page, 'sign-up')
  await page.setViewportSize({ width: 400, height: 800 })
  expect(await page.getByText('Bakery of the future').isVisible()).toBe(false)
  await page.setViewportSize({ width: 1024, height: 800 })
  expect(await page.getByText('Bakery of the future').isVisible()).toBe(true)

  for (const [label, good] of [
    ['Username', 'dora'],
    ['Full name', ''],
    ['Email', address],
    ['Password', passwords[0]],
  ] as const) {
    await field(page, label).fill(good)
    expect(await submit.isDisabled()).toBe(true)
  }
  await page.getByRole('checkbox').click()
  await untilEnabled(submit)
})

test('[SIGNUP-10] [SIGNUP-18] [SIGNUP-19] [SIGNUP-20] Signing up sends what was asked and points to the mail', async () => {
  const { page } = visitor
  const sent = await bodyOf(page, 'POST', '/account/register', () => button(page, 'Sign Up').click())
  expect(sent).toEqual({
    username: 'dora',
    name: 'dora',
    email: address,
    password: passwords[0],
    tcs_accepted: true,
    code: 'SPRING',
  })
  await sees(screens.heading(page, 'Confirm your e-mail address'), page.getByText(address))
  await shot(page, 'sign-up-done')
  await mailbox.take(address, /confirm/i)
})

test('[SIGNUP-21] [SIGNUP-25] [SIGNUP-22] [SIGNUP-23] A taken name, a taken address and a common password are told at their fields', async () => {
  const { page } = visitor
  await page.goto('/account/create')
  const submit = async (values: Record<string, string>) => {
    for (const [label, value] of Object.entries(values)) await field(page, label).fill(value)
    if (!(await page.getByRole('checkbox').isChecked())) await page.getByRole('checkbox').click()
    await button(page, 'Sign Up').click()
  }
  await submit({ Username: 'DORA', Email: 'other@example.com', Password: passwords[0] })
  await sees(page.getByText('Username unavailable'))
  await submit({ Username: 'dora-two', Email: address })
  await sees(page.getByText('Email unavailable'))
  await submit({ Email: 'other@example.com', Password: 'password1' })
  await sees(page.getByText('Invalid password', { exact: true }))
})

test('[LOGIN-01] [LOGIN-04] [SHELL-13] [SHELL-14] [ACCT-40] [CONST-04] Before the address is verified nothing opens but the page that verifies', async () => {
  const { page } = visitor
  await page.goto('/account/teams')
  await sees(page.getByRole('link', { name: 'Sign Up' }))
  await signInThrough(page, address, passwords[0])
  await sees(screens.heading(page, 'Verify your e-mail address'))
  await button(page, 'Send the link again').click()
  await sees(screens.toast(page, 'The link is on its way.'))

  await page.clock.install()
  await page.goto('/account/verify/ffve_not-a-token')
  const toast = screens.toast(page, 'Unable to verify email. This link to confirm an address is wrong or has expired')
  await sees(toast, screens.heading(page, 'This link did not work'))
  await page.clock.fastForward(3_000)
  expect(await toast.isVisible()).toBe(true)
  await page.clock.fastForward(1_500)
  await toast.waitFor({ state: 'detached' })
  await shot(page, 'verify-failed')
})

test('[SHELL-02] [ACCT-39] [SHELL-36] [SHELL-23] The mailed link verifies, and says how to come to a team', async () => {
  const { page } = visitor
  const letter = await mailbox.take(address, /confirm/i)
  expect(letter.html).toContain('</a>')
  const scanner = await fetch(platform().url + linkIn(letter, platform()), { headers: { accept: 'text/html' } })
  expect(scanner.status).toBe(200)
  // The mail is read on another device, where nobody is signed in: only who signed up knows the password.
  const phone = await visitors.open(platform())
  await phone.page.goto(linkIn(letter, platform()))
  await sees(screens.heading(phone.page, 'Confirm your e-mail address'))
  await shot(phone.page, 'verify-password')
  await field(phone.page, 'Password').fill('the guess of somebody else')
  await button(phone.page, 'Confirm').click()
  await sees(phone.page.getByText('This is not your password'))
  await field(phone.page, 'Password').fill(passwords[0])
  await button(phone.page, 'Confirm').click()
  await sees(screens.heading(phone.page, 'Your e-mail address is verified'))
  await phone.page.getByRole('link', { name: 'Continue' }).click()
  await sees(button(phone.page, 'Login'))

  await page.goto('/')
  await sees(page.getByText('Ask an Admin or Team Owner to add you to a team.'))
  expect(await page.getByRole('link', { name: /create/i }).count()).toBe(0)
  expect(await page.getByRole('button', { name: /^Team: / }).count()).toBe(0)
})

test('[TCS-02] [TCS-04] [TCS-05] Newer terms stand before every page until they are accepted', async () => {
  const { page } = visitor
  platform().people.set('user:tcs-date', new Date().toISOString())
  await page.goto('/account/settings')
  await sees(screens.heading(page, 'Terms and Conditions'))
  const link = page.getByRole('link', { name: 'Read the Terms and Conditions' })
  expect(await link.getAttribute('href')).toBe('https://example.com/terms')
  await page.getByRole('checkbox').click()
  const sent = await bodyOf(page, 'PUT', '/api/v1/user', () => button(page, 'Accept and continue').click())
  expect(sent).toEqual({ tcs_accepted: true })
  await sees(page.getByRole('heading', { name: 'Settings', level: 1 }))
})

test('[SHELL-24] [SHELL-35] [SHELL-36] [ATEAM-08] Invitations are counted where one looks, and wait in a table', async () => {
  const { page } = visitor
  for (const teamId of teams) await bob.client.call('invitation.create', { params: { teamId }, body: { user: 'dora' } })
  await page.goto('/')
  await page.getByRole('button', { name: /dora.*2/ }).click()
  await page.getByRole('menuitem', { name: /User Settings.*2/ }).click()
  await page.waitForURL('**/account/settings')
  await page.goto('/')
  await sees(page.getByRole('link', { name: '2 invitations' }))
  expect(await page.getByText('Ask an Admin or Team Owner').count()).toBe(0)
  await page.getByRole('link', { name: '2 invitations' }).click()
  await page.waitForURL('**/account/teams/invitations')
  for (const name of ['Example Bakery', 'Cold Store']) {
    const row = page.getByRole('row').filter({ hasText: name })
    await sees(row.getByText('Bob Example'), row.getByText('Member'), row.getByText('in 6 days'))
  }
  await shot(page, 'invitations')
})

test('[ATEAM-09] [ATEAM-10] [SHELL-20] Rejecting ends an invitation, accepting leads into the team', async () => {
  const { page } = visitor
  await page.getByRole('button', { name: 'Reject invitation to Cold Store' }).click()
  await page.getByRole('row').filter({ hasText: 'Cold Store' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Accept invitation to Example Bakery' }).click()
  await page.waitForURL('**/team/example-bakery/applications')
  await sees(page.getByRole('button', { name: 'Team: Example Bakery' }))
  await page.goto('/account/teams/invitations')
  await sees(page.getByText('No invitations'))
  await page.getByRole('link', { name: 'FlowForge, Example Bakery' }).click()
  await page.waitForURL('**/team/example-bakery/applications')
})

test('[ATEAM-01] [ATEAM-03] [ATEAM-04] The own teams stand in a table; who is alone in one cannot leave it', async () => {
  const { page } = visitor
  await page.goto('/account/teams')
  const bakery = page.getByRole('row').filter({ hasText: 'Example Bakery' })
  await sees(bakery)
  expect((await page.getByRole('columnheader').allInnerTexts()).slice(0, 4)).toEqual([
    'Name',
    'Application Instances',
    'Members',
    'Role',
  ])
  expect(await bakery.getByRole('cell').allInnerTexts()).toEqual(['Example Bakery', '0', '2', 'Member', 'Leave Team'])
  expect(await page.getByRole('link', { name: 'Create Team' }).count()).toBe(0)

  platform().people.set('team:create', true)
  const dora = await platform().people.signIn('dora', passwords[0])
  await createTeam(dora.client, 'Solo')
  await page.reload()
  await sees(page.getByRole('link', { name: 'Create Team' }))
  await button(page, 'Leave Team Solo').click()
  await sees(page.getByRole('alertdialog').getByText('You cannot leave a team you are the only member of.'))
  expect(await button(page, 'Leave Team').isDisabled()).toBe(true)
  await shot(page, 'my-teams')
  await page.keyboard.press('Escape')
})

test('[ATEAM-02] [ATEAM-05] [ATEAM-06] [ATEAM-07] [SHELL-31] Leaving asks first and says how it went', async () => {
  const { page } = visitor
  await button(page, 'Leave Team Example Bakery').click()
  await button(page, 'Cancel').click()
  await sees(button(page, 'Leave Team Example Bakery'))
  await button(page, 'Leave Team Example Bakery').click()
  await button(page, 'Leave Team').click()
  await sees(screens.toast(page, 'dora successfully removed from Example Bakery'))
  await page.getByRole('row').filter({ hasText: 'Example Bakery' }).waitFor({ state: 'detached' })

  const dora = await platform().people.signIn('dora', passwords[0])
  const mine = await dora.client.call('team.mine')
  const solo = { teamId: mine.teams[0]?.id ?? '' }
  await dora.client.call('invitation.create', { params: solo, body: { user: 'bob' } })
  const { invitations } = await bob.client.call('invitation.mine')
  await bob.client.call('invitation.accept', { params: { invitationId: invitations[0]?.id ?? '' } })
  await page.reload()
  await button(page, 'Leave Team Solo').click()
  await button(page, 'Leave Team').click()
  const why = 'The only owner of a team cannot be removed'
  await sees(screens.toast(page, `Failed to remove dora from Solo: ${why}`), button(page, 'Leave Team Solo'))
})

test('[ACCT-05] [ACCT-06] [ACCT-07] [ACCT-09] [ACCT-10] [ACCT-13] [ACCT-14] [ACCT-16] [ACCT-20] [SHELL-30] [CONST-01] The profile saves what changed and refuses what is taken', async () => {
  const { page } = visitor
  await page.goto('/account')
  await page.waitForURL('**/account/settings')
  await expect.poll(() => page.title()).toBe('Settings - User Settings - FlowForge')
  const menu = page.getByRole('navigation', { name: 'Main' })
  for (const name of ['Settings', 'Teams', 'Security']) await sees(menu.getByRole('link', { name }))
  const save = button(page, 'Save changes')
  expect(await save.isDisabled()).toBe(true)
  await field(page, 'Full name').fill('Dora Doe')
  await untilEnabled(save)
  await field(page, 'Full name').fill('dora')
  await untilEnabled(save, false)
  await field(page, 'Full name').fill('Nobody')
  await button(page, 'Discard').click()
  expect(await field(page, 'Full name').inputValue()).toBe('dora')
  for (const [label, bad, sentence] of [
    ['Username', '', 'Required field'],
    ['Username', 'dora d.', 'Must only contain a-z 0-9 - _'],
    ['Full name', 'http://x', 'Names can not be URLs'],
    ['Email', 'abc', 'Enter a valid email address'],
  ] as const) {
    await field(page, label).fill(bad)
    await save.click()
    await sees(page.getByText(sentence))
    await button(page, 'Discard').click()
  }
  await field(page, 'Username').fill('bob')
  await save.click()
  await sees(page.getByText('Username unavailable'))
  await shot(page, 'account-settings')
  await field(page, 'Username').fill('dora')
  await field(page, 'Full name').fill('Dora Doe')
  const sent = await bodyOf(page, 'PUT', '/api/v1/user', () => save.click())
  expect(sent).toEqual({ name: 'Dora Doe' })
  const toast = screens.toast(page, 'User successfully updated.')
  await sees(toast, page.getByRole('button', { name: /Dora Doe/ }))
  await page.clock.fastForward(2_000)
  expect(await toast.isVisible()).toBe(true)
  await page.clock.fastForward(1_500)
  await toast.waitFor({ state: 'detached' })
  await page.reload()
  await expect.poll(() => field(page, 'Full name').inputValue()).toBe('Dora Doe')
})

test('[ACCT-11] [ACCT-12] [ACCT-18] [ACCT-41] [ACCT-44] [SHELL-19] A new address counts once its mailed link is followed', async () => {
  const { page } = visitor
  await field(page, 'Email').fill('bob@example.com')
  await button(page, 'Save changes').click()
  await sees(page.getByText('Email already registered'))
  await field(page, 'Email').fill(newAddress)
  await button(page, 'Save changes').click()
  await sees(
    screens.toast(page, 'Check your inbox for a link to verify your new Email Address.'),
    page.getByText('waits to be confirmed'),
  )
  expect(await field(page, 'Email').inputValue()).toBe(address)
  const link = linkIn(await mailbox.take(newAddress, /confirm/i), platform())
  await page.goto(link)
  await sees(screens.heading(page, 'Your e-mail address is changed'), page.getByText(newAddress))
  await sees(page.getByRole('complementary', { name: 'About FlowForge' }))
  expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
  await page.getByRole('link', { name: 'Continue' }).click()
  await expect.poll(() => field(page, 'Email').inputValue()).toBe(newAddress)
  await mailbox.take(address, /changed/i)

  await page.goto(link)
  const reason = 'This link to confirm a new address is wrong or has expired'
  await sees(
    screens.toast(page, `Unable to confirm new email. ${reason}`),
    screens.heading(page, 'This link did not work'),
  )
  expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
})

test('[ACCT-23] [ACCT-24] [ACCT-26] [ACCT-27] [ACCT-28] [ACCT-30] [ACCT-31] A password is changed by who knows it', async () => {
  const { page } = visitor
  await page.goto('/account/security')
  await page.waitForURL('**/account/security/password')
  const change = async (current: string, next: string, again = next) => {
    await field(page, 'Current password').fill(current)
    await field(page, 'New password').fill(next)
    await field(page, 'Confirm the new password').fill(again)
    await button(page, 'Change password').click()
  }
  await button(page, 'Change password').click()
  await sees(page.getByText('Enter your current password'), page.getByText('Enter a new password'))
  await change(passwords[0], '1234567')
  await sees(page.getByText('Password too short (min. 8 characters)'))
  await change(passwords[0], passwords[1], 'something else')
  await sees(page.getByText('Passwords do not match'))
  await change('wrong horse', passwords[1])
  await sees(page.getByText('Password change failed'))
  await shot(page, 'change-password')
  await change(passwords[0], passwords[1])
  await sees(screens.toast(page, 'Password successfully updated.'))
})

test('Sessions are named by their device and address, and end one by one or all others at once', async () => {
  const { page } = visitor
  await platform().people.signIn('dora', passwords[1])
  const other = await visitors.open(platform(), await platform().people.signIn('dora', passwords[1]))
  await other.page.goto('/account/settings')
  await sees(other.page.getByRole('heading', { name: 'Settings', level: 1 }))
  await page.getByRole('link', { name: 'Sessions' }).click()
  const rows = page.getByRole('row').filter({ has: page.getByRole('cell') })
  await sees(rows.filter({ hasText: 'This session' }), rows.filter({ hasText: 'Chrome on Linux' }).first())
  await shot(page, 'sessions')
  const before = await rows.count()
  await rows
    .getByRole('button', { name: /^End session/ })
    .first()
    .click()
  await expect.poll(() => rows.count()).toBe(before - 1)
  platform().people.age('dora')
  await button(page, 'End all other sessions').click()
  await button(page, 'End sessions').click()
  await sees(screens.heading(page, 'Is it you?'))
  await shot(page, 'proof')
  await field(page, 'Your password').fill('not this one')
  await button(page, 'Continue').click()
  await sees(page.getByText('This is not your password'))
  await field(page, 'Your password').fill(passwords[1])
  await button(page, 'Continue').click()
  await expect.poll(() => rows.count()).toBe(1)
  // Nobody touches the other browser: it hears of it.
  await sees(screens.login.button(other.page))
  expect(new URL(other.page.url()).pathname).toBe('/account/settings')
})

test('[LOGIN-05] [ACCT-29] [ACCT-32] [ACCT-33] [ACCT-34] [ACCT-35] [ACCT-36] [ACCT-38] [ACCT-46] A forgotten password is replaced through a mail', async () => {
  const { page } = visitor
  await Promise.all([
    page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/account/logout')),
    page.goto('/account/logout'),
  ])
  await sees(screens.login.button(page))
  expect(new URL(page.url()).pathname).toBe('/')
  const forgotten = page.getByRole('link', { name: 'Forgot your password' })
  expect(await forgotten.count()).toBe(0)
  await screens.login.username(page).fill('dora')
  await screens.login.button(page).click()
  await forgotten.click()
  await page.waitForURL('**/account/forgot-password')
  await button(page, 'Send the link').click()
  await sees(page.getByText('Enter email address'))
  await shot(page, 'forgot-password')
  await field(page, 'Email').fill(newAddress)
  await button(page, 'Send the link').click()
  await sees(page.getByText('We have sent you an email with instructions to reset your password'))

  await page.goto(linkIn(await mailbox.take(newAddress, /new password/i), platform()))
  const change = async (next: string, again = next) => {
    await field(page, 'New password').fill(next)
    await field(page, 'Confirm the new password').fill(again)
    await button(page, 'Change password').click()
  }
  await change('1234567')
  await sees(page.getByText('Password too short', { exact: true }))
  await change(passwords[2], passwords[1])
  await sees(page.getByText('Passwords do not match'))
  await shot(page, 'reset-password')
  await change(passwords[2])
  await sees(screens.toast(page, 'Password successfully updated.'), screens.login.button(page))
})

test('[ACCT-08] [ACCT-21] [ACCT-22] [SHELL-32] The account is deleted once no team needs its owner', async () => {
  const { page } = visitor
  await page.goto('/account/settings')
  await signInThrough(page, 'dora', passwords[2])
  await sees(page.getByRole('heading', { name: 'Settings', level: 1 }))
  const remove = async () => {
    await button(page, 'Delete account').first().click()
    const question = page.getByRole('alertdialog')
    expect(await question.getByRole('button', { name: 'Delete account' }).isDisabled()).toBe(true)
    await question.getByLabel(/to confirm/).fill('dora')
    await question.getByRole('button', { name: 'Delete account' }).click()
  }
  await remove()
  await page
    .getByRole('listitem')
    .filter({ hasText: /Warning: / })
    .waitFor()
  const bobs = await bob.client.call('team.mine')
  const solo = bobs.teams.find(({ name }) => name === 'Solo')?.id ?? ''
  const { members } = await bob.client.call('team.members', { params: { teamId: solo } })
  expect(members.map(({ username }) => username).toSorted()).toEqual(['bob', 'dora'])
  const dora = await platform().people.signIn('dora', passwords[2])
  await dora.client.call('team.changeRole', { params: { teamId: solo, userId: bob.id }, body: { role: 50 } })
  await remove()
  await sees(screens.toast(page, 'Your account is deleted.'), screens.login.button(page))
  await signInThrough(page, 'dora', passwords[2])
  await sees(page.getByText('Login failed'))
})
