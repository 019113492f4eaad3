import { roles, type TeamRole } from '@app/contract'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
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
  watchText,
} from './harness/index.ts'

const mailbox = useMailbox()
const platform = usePlatform({ claimed: true, settings: mailbox.settings })
const visitors = useVisitors()
const password = 'a fresh horse battery'
let bob: Person
const teams: string[] = []

beforeAll(async () => {
  const { people } = platform()
  people.set('user:signup', true)
  people.set('user:tcs-required', true)
  people.set('user:tcs-url', 'https://example.com/terms')
  people.set('user:tcs-date', new Date(Date.now() - 60_000).toISOString())
  people.set('branding:account:signUpTopBanner', '<b>Flour to the people</b><script>alert(1)</script>')
  people.set('branding:account:signUpLeftBanner', '<h2>Bakery of the future</h2><p onclick="x()">Ovens and flows.</p>')
  people.add('bob')
  bob = await people.signIn('bob', admin.password)
  for (const name of ['Example Bakery', 'Cold Store']) teams.push((await createTeam(bob.client, name)).team.id)
  people.set('team:create', false)
})

/** Somebody of this name who has accepted the terms, in a browser of theirs. */
async function arrive(username: string, membership?: { teamId: string; role: TeamRole }) {
  const { people } = platform()
  people.add(username, membership)
  const person = await people.signIn(username, admin.password)
  await person.client.call('account.update', { body: { tcs_accepted: true } })
  return { person, ...(await visitors.open(platform(), person)) }
}

/** A team of the administrator, with somebody in it who is in no other. */
async function arriveInTeam(username: string, teamName: string) {
  const alice = await platform().people.signIn(admin.username, admin.password)
  const { team } = await createTeam(alice.client, teamName)
  return { team, ...(await arrive(username, { teamId: team.id, role: roles.member })) }
}

/** Signs up as the form does; the mail that confirms the address is on its way then. */
async function register(username: string): Promise<string> {
  const email = `${username}@example.com`
  const reply = await fetch(`${platform().url}/account/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, name: username, email, password, tcs_accepted: true }),
  })
  expect(reply.status).toBe(200)
  return email
}

const untilEnabled = (control: Locator, enabled = true) =>
  until(
    () => control.isEnabled(),
    (is) => is === enabled,
  )

/** The body the page sends with this call while `act` runs. */
async function bodyOf(page: Page, method: string, path: string, act: () => Promise<void>): Promise<unknown> {
  const matches = (request: { method(): string; url(): string }) =>
    request.method() === method && new URL(request.url()).pathname === path
  const [request] = await Promise.all([page.waitForRequest(matches), act()])
  return request.postDataJSON()
}

/** Values with which the form of the sign-up is valid, besides the terms. */
const good = { Username: 'dora', Email: 'dora@example.com', Password: password }
async function openSignUp(query = '') {
  const visitor = await visitors.open(platform())
  await visitor.page.goto(`/account/create${query}`)
  await sees(button(visitor.page, 'Sign Up'))
  return visitor
}

test('[SIGNUP-01] [SIGNUP-02] [SIGNUP-03] [SIGNUP-09] The sign-up asks for four things, tells what is wrong with each, and works once all are well', async () => {
  const { page } = await openSignUp(`?email=${encodeURIComponent(good.Email)}`)
  expect(await field(page, 'Email').inputValue()).toBe(good.Email)
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
  await page.getByRole('checkbox').click()
  for (const [label, value] of Object.entries({ 'Full name': '', ...good })) {
    expect([label, await submit.isDisabled()]).toEqual([label, true])
    await field(page, label).fill(value)
  }
  await untilEnabled(submit)
})

test('[SIGNUP-07] [SIGNUP-17] [TCS-05] Terms that are required are linked to, and must be accepted to sign up', async () => {
  const { page } = await openSignUp()
  const terms = page.getByRole('link', { name: 'Terms and Conditions' })
  expect(await terms.getAttribute('href')).toBe('https://example.com/terms')
  for (const [label, value] of Object.entries(good)) await field(page, label).fill(value)
  const [accept, submit] = [page.getByRole('checkbox'), button(page, 'Sign Up')]
  await accept.click()
  await untilEnabled(submit)
  await accept.click()
  await untilEnabled(submit, false)

  platform().people.set('user:tcs-required', false)
  onTestFinished(() => platform().people.set('user:tcs-required', true))
  await page.reload()
  await sees(submit)
  expect([await accept.count(), await terms.count()]).toEqual([0, 0])
})

test('[SIGNUP-08] [LAYOUT-01] The banners of the platform stand over the sign-up and, where there is room, beside it', async () => {
  const { page } = await openSignUp()
  const [top, left] = [page.getByText('Flour to the people'), page.getByText('Bakery of the future')]
  await sees(top, left)
  await page.setViewportSize({ width: 400, height: 800 })
  expect([await top.isVisible(), await left.isVisible()]).toEqual([true, false])
  await page.setViewportSize({ width: 1024, height: 800 })
  expect(await left.isVisible()).toBe(true)
})

test('[SIGNUP-10] [SIGNUP-18] [SIGNUP-19] [SIGNUP-20] The sign-up sends what was filled in with the code of its link, and points to the mail', async () => {
  const { page } = await openSignUp('?code=SPRING')
  for (const [label, value] of Object.entries(good)) await field(page, label).fill(value)
  await page.getByRole('checkbox').click()
  expect(await bodyOf(page, 'POST', '/account/register', () => button(page, 'Sign Up').click())).toEqual({
    username: 'dora',
    name: 'dora',
    email: good.Email,
    password,
    tcs_accepted: true,
    code: 'SPRING',
  })
  await sees(screens.heading(page, 'Confirm your e-mail address'), page.getByText(good.Email))
  await shot(page, 'sign-up-done')
  await mailbox.take(good.Email, /confirm/i)
})

test('[SIGNUP-21] [SIGNUP-25] [SIGNUP-22] [SIGNUP-23] A taken name, a taken address and a common password are told at their fields', async () => {
  const { page } = await visitors.open(platform())
  platform().people.add('taken')
  await page.goto('/account/create')
  const submit = async (values: Record<string, string>) => {
    for (const [label, value] of Object.entries(values)) await field(page, label).fill(value)
    if (!(await page.getByRole('checkbox').isChecked())) await page.getByRole('checkbox').click()
    await button(page, 'Sign Up').click()
  }
  await submit({ Username: 'TAKEN', Email: 'other@example.com', Password: password })
  await sees(page.getByText('Username unavailable'))
  await submit({ Username: 'taken-two', Email: 'taken@example.com' })
  await sees(page.getByText('Email unavailable'))
  await submit({ Email: 'other@example.com', Password: 'password1' })
  await sees(page.getByText('Invalid password', { exact: true }))
})

/** A browser in which nobody is signed in, and an account whose address nobody confirmed. */
async function openUnverified(username: string) {
  const { people } = platform()
  people.add(username)
  const person = await people.signIn(username, admin.password)
  await person.client.call('account.update', { body: { tcs_accepted: true } })
  people.change(username, 'email_verified', 0)
  return visitors.open(platform())
}

test('[LOGIN-01] [LOGIN-04] [SHELL-13] Before the address is verified nothing opens but the page that verifies', async () => {
  const { page } = await openUnverified('early')
  await page.goto('/account/teams')
  expect(await page.getByRole('link', { name: 'Sign Up' }).getAttribute('href')).toBe('/account/create')
  await signInThrough(page, 'early@example.com', admin.password)
  await sees(screens.heading(page, 'Verify your e-mail address'))
  await button(page, 'Send the link again').click()
  await sees(screens.toast(page, 'The link is on its way.'))
})

test('[SHELL-14] [ACCT-40] [CONST-04] A link that does not verify says why, for four seconds', async () => {
  const { page } = await openUnverified('earlier')
  await page.goto('/')
  await signInThrough(page, 'earlier', admin.password)
  await sees(screens.heading(page, 'Verify your e-mail address'))
  const lifeOf = await watchText(page, 'Unable to verify email.')
  await page.goto('/account/verify/ffve_not-a-token')
  const toast = screens.toast(page, 'Unable to verify email. This link to confirm an address is wrong or has expired')
  await sees(toast, screens.heading(page, 'This link did not work'))
  const life = await lifeOf()
  expect(life).toBeGreaterThan(3_900)
  expect(life).toBeLessThan(7_000)
  await shot(page, 'verify-failed')
})

test('[SHELL-02] [ACCT-39] [SHELL-36] [SHELL-23] The mailed link verifies, and says how to come to a team', async () => {
  const address = await register('felix')
  const { page } = await visitors.open(platform(), await platform().people.signIn('felix', password))
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
  await field(phone.page, 'Password').fill(password)
  await button(phone.page, 'Confirm').click()
  await sees(screens.heading(phone.page, 'Your e-mail address is verified'))
  await phone.page.getByRole('link', { name: 'Continue' }).click()
  await sees(button(phone.page, 'Login'))

  await page.goto('/')
  await sees(page.getByText('Ask an Admin or Team Owner to add you to a team.'))
  expect(await page.getByRole('link', { name: /create/i }).count()).toBe(0)
  expect(await page.getByRole('button', { name: /^Team: / }).count()).toBe(0)
})

test('[TCS-02] [TCS-04] [TCS-05] [SHELL-43] GATE-TCS and GATE-USER: newer terms stand before every page until they are accepted', async () => {
  const { page } = await arrive('gustav')
  platform().people.set('user:tcs-date', new Date().toISOString())
  await page.goto('/account/settings')
  await sees(screens.heading(page, 'Terms and Conditions'))
  const link = page.getByRole('link', { name: 'Read the Terms and Conditions' })
  expect(await link.getAttribute('href')).toBe('https://example.com/terms')
  // The server goes on answering: only the console asks for the terms.
  expect(await page.evaluate(async () => (await fetch('/api/v1/user/teams')).status)).toBe(200)
  await page.getByRole('checkbox').click()
  const sent = await bodyOf(page, 'PUT', '/api/v1/user', () => button(page, 'Accept and continue').click())
  expect(sent).toEqual({ tcs_accepted: true })
  await sees(page.getByRole('heading', { name: 'Settings', level: 1 }))
})

test('[SHELL-24] [SHELL-35] [SHELL-36] [ATEAM-08] Invitations are counted where one looks, and wait in a table', async () => {
  const { page } = await arrive('hanna')
  for (const teamId of teams)
    await bob.client.call('invitation.create', { params: { teamId }, body: { user: 'hanna' } })
  await page.goto('/')
  await page.getByRole('button', { name: /Hanna Example.*2/ }).click()
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

test('[ATEAM-08] [ATEAM-09] [ATEAM-10] [SHELL-20] Rejecting ends an invitation, accepting leads into the team', async () => {
  const { page } = await arrive('igor')
  for (const teamId of teams) await bob.client.call('invitation.create', { params: { teamId }, body: { user: 'igor' } })
  await page.goto('/account/teams/invitations')
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
  const { page, person } = await arriveInTeam('julia', 'Corner Mill')
  await page.goto('/account/teams')
  const bakery = page.getByRole('row').filter({ hasText: 'Corner Mill' })
  await sees(bakery)
  expect((await page.getByRole('columnheader').allInnerTexts()).slice(0, 4)).toEqual([
    'Name',
    'Application Instances',
    'Members',
    'Role',
  ])
  expect(await bakery.getByRole('cell').allInnerTexts()).toEqual(['Corner Mill', '0', '2', 'Member', 'Leave Team'])
  expect(await page.getByRole('link', { name: 'Create Team' }).count()).toBe(0)

  platform().people.set('team:create', true)
  onTestFinished(() => platform().people.set('team:create', false))
  await createTeam(person.client, 'Alone')
  await page.reload()
  await sees(page.getByRole('link', { name: 'Create Team' }))
  await button(page, 'Leave Team Alone').click()
  await sees(page.getByRole('alertdialog').getByText('You cannot leave a team you are the only member of.'))
  expect(await button(page, 'Leave Team').isDisabled()).toBe(true)
  await shot(page, 'my-teams')
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 390, height: 844 })
  const leave = await button(page, 'Leave Team Corner Mill').boundingBox()
  const name = await page.getByRole('table').getByText('Corner Mill', { exact: true }).boundingBox()
  expect(name!.x + name!.width <= leave!.x || name!.y + name!.height <= leave!.y).toBe(true)
})

test('[ATEAM-02] [ATEAM-05] [ATEAM-06] [ATEAM-07] [SHELL-31] Leaving asks first and says how it went', async () => {
  const { page, person } = await arriveInTeam('karl', 'Old Mill')
  await page.goto('/account/teams')
  await button(page, 'Leave Team Old Mill').click()
  await button(page, 'Cancel').click()
  await sees(button(page, 'Leave Team Old Mill'))
  await button(page, 'Leave Team Old Mill').click()
  await button(page, 'Leave Team').click()
  await sees(screens.toast(page, 'karl successfully removed from Old Mill'))
  await page.getByRole('row').filter({ hasText: 'Old Mill' }).waitFor({ state: 'detached' })

  platform().people.set('team:create', true)
  onTestFinished(() => platform().people.set('team:create', false))
  const params = { teamId: (await createTeam(person.client, 'Solo')).team.id }
  await person.client.call('invitation.create', { params, body: { user: 'bob' } })
  const { invitations } = await bob.client.call('invitation.mine')
  await bob.client.call('invitation.accept', { params: { invitationId: invitations[0]?.id ?? '' } })
  await page.reload()
  await button(page, 'Leave Team Solo').click()
  await button(page, 'Leave Team').click()
  const why = 'The only owner of a team cannot be removed'
  await sees(screens.toast(page, `Failed to remove karl from Solo: ${why}`), button(page, 'Leave Team Solo'))
})

/** The settings of an account, opened by its owner. */
async function openProfile(username: string) {
  const visitor = await arrive(username)
  await visitor.page.goto('/account/settings')
  const save = button(visitor.page, 'Save changes')
  await sees(save)
  return { ...visitor, save }
}

test('[ACCT-05] [ACCT-06] The account opens with the profile, beside a menu of its three parts', async () => {
  const { page } = await arrive('lina')
  await page.goto('/account')
  await page.waitForURL('**/account/settings')
  await expect.poll(() => page.title()).toBe('Settings - User Settings - FlowForge')
  const menu = page.getByRole('navigation', { name: 'Main' })
  for (const name of ['Settings', 'Teams', 'Security']) await sees(menu.getByRole('link', { name }))
})

test('[ACCT-07] [ACCT-09] [ACCT-10] The profile saves what changed, and keeps it', async () => {
  const { page, save } = await openProfile('lena')
  expect(await save.isDisabled()).toBe(true)
  await field(page, 'Full name').fill('Lena Doe')
  await untilEnabled(save)
  await field(page, 'Full name').fill('Lena Example')
  await untilEnabled(save, false)
  await field(page, 'Full name').fill('Nobody')
  await button(page, 'Discard').click()
  expect(await field(page, 'Full name').inputValue()).toBe('Lena Example')
  for (const [label, key, value] of [
    ['Full name', 'name', 'Lena Doe'],
    ['Username', 'username', 'lena-doe'],
  ] as const) {
    await field(page, label).fill(value)
    expect(await bodyOf(page, 'PUT', '/api/v1/user', () => save.click())).toEqual({ [key]: value })
    await untilEnabled(save, false)
  }
  await sees(page.getByRole('button', { name: /Lena Doe/ }))
  await page.reload()
  await expect.poll(() => field(page, 'Full name').inputValue()).toBe('Lena Doe')
  expect(await field(page, 'Username').inputValue()).toBe('lena-doe')
})

test('[ACCT-13] [ACCT-14] [ACCT-16] The profile refuses what is missing, malformed or taken', async () => {
  const { page, save } = await openProfile('lara')
  for (const [label, bad, sentence] of [
    ['Username', '', 'Required field'],
    ['Full name', '', 'Required field'],
    ['Username', 'lara d.', 'Must only contain a-z 0-9 - _'],
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
})

test('[ACCT-20] [SHELL-30] [CONST-01] A toast says that the profile is saved, and is gone after three seconds', async () => {
  const { page, save } = await openProfile('lola')
  await field(page, 'Full name').fill('Lola Doe')
  const updated = 'User successfully updated.'
  const lifeOf = await watchText(page, updated)
  await save.click()
  await sees(screens.toast(page, updated))
  const life = await lifeOf()
  expect(life).toBeGreaterThan(2_900)
  expect(life).toBeLessThan(6_000)
})

test('[ACCT-18] An address that somebody else has is refused', async () => {
  const { page, save } = await openProfile('mara')
  await field(page, 'Email').fill('bob@example.com')
  await save.click()
  await sees(page.getByText('Email already registered'))
})

test('[ACCT-11] [ACCT-12] [ACCT-41] [ACCT-44] [SHELL-19] A new address counts once its mailed link is followed', async () => {
  const { page, save } = await openProfile('mona')
  const [address, newAddress] = ['mona@example.com', 'mona.new@example.com']
  await field(page, 'Email').fill(newAddress)
  await save.click()
  await sees(
    screens.toast(page, 'Check your inbox for a link to verify your new Email Address.'),
    page.getByText('is not confirmed yet'),
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

test('[ACCT-08] [ACCT-21] [ACCT-22] The account is deleted once no team needs its owner', async () => {
  const { page, person } = await arrive('quentin')
  platform().people.set('team:create', true)
  onTestFinished(() => platform().people.set('team:create', false))
  const params = { teamId: (await createTeam(person.client, 'Left behind')).team.id }
  await person.client.call('invitation.create', { params, body: { user: 'bob' } })
  const { invitations } = await bob.client.call('invitation.mine')
  await bob.client.call('invitation.accept', { params: { invitationId: invitations[0]?.id ?? '' } })
  await page.goto('/account/settings')
  await sees(page.getByRole('heading', { name: 'Settings', level: 1 }))
  const remove = async () => {
    await button(page, 'Delete Account').first().click()
    const question = page.getByRole('alertdialog')
    expect(await question.getByRole('button', { name: 'Delete Account' }).isDisabled()).toBe(true)
    await question.getByLabel(/to confirm/).fill('quentin')
    await question.getByRole('button', { name: 'Delete Account' }).click()
  }
  await remove()
  await page
    .getByRole('listitem')
    .filter({ hasText: /Warning: / })
    .waitFor()
  await person.client.call('team.changeRole', { params: { ...params, userId: bob.id }, body: { role: roles.owner } })
  await remove()
  await sees(screens.toast(page, 'Your account is deleted.'), screens.login.button(page))
  await signInThrough(page, 'quentin', admin.password)
  await sees(page.getByText('Login failed'))
})
