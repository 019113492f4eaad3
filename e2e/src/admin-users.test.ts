import { type AdminUser, roles } from '@app/contract'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import {
  adjust,
  adjustSettings,
  admin,
  answer,
  button,
  createTeam,
  field,
  type Person,
  screens,
  sees,
  shot,
  signInThrough,
  usePlatform,
  useVisitors,
  type Visitor,
} from './harness/index.ts'

const platform = usePlatform({ claimed: true })
const visitors = useVisitors()
let boss: Person
let visitor: Visitor

beforeAll(async () => {
  boss = await platform().people.signIn(admin.username, admin.password)
})
beforeEach(async () => {
  visitor = await visitors.open(platform(), boss)
})

/** An account with a team of its own, as an administrator makes it. */
async function createUser(username: string): Promise<AdminUser> {
  const body = {
    username,
    name: username,
    email: `${username}@example.com`,
    password: 'battery staple 9',
    createDefaultTeam: true,
    password_expired: true,
  }
  return boss.client.call('user.create', { body })
}
const row = (page: Visitor['page'], text: string) => page.getByRole('row').filter({ hasText: text }).first()
const actions = (page: Visitor['page'], name: string) => page.getByRole('button', { name: `Actions for ${name}` })
const headers = async (page: Visitor['page']) =>
  (await page.getByRole('columnheader').allInnerTexts()).filter((text) => text !== '' && text !== 'Actions')
/** One key after the other, faster than the search waits however busy the machine is. */
const typeFast = (page: Visitor['page'], text: string) =>
  page.evaluate(`{
    const box = document.querySelector('main input[type=search]')
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
    for (const typed of ${JSON.stringify([...text].map((_, at) => text.slice(0, at + 1)))}) {
      set.call(box, typed)
      globalThis.lastTyped = performance.now()
      box.dispatchEvent(new Event('input', { bubbles: true }))
    }
  }`)
/** Milliseconds from the last key of `typeFast` to the call to this path. */
const waitedFor = (page: Visitor['page'], path: string) =>
  page.evaluate<number>(`performance.getEntriesByType('resource')
    .find(({ name, startTime }) => name.includes('${path}?') && startTime > lastTyped).startTime - lastTyped`)
const path = (page: Visitor['page']) => new URL(page.url()).pathname

test('[ADM-01] [ADM-12] [ADM-13] [ADM-14] [ADM-15] [ADM-16] [ADM-17] [ADM-19] [ADM-20] [ADM-05] The overview shows how much there is', async () => {
  const { people } = platform()
  // One who has no team yet.
  await boss.client.call('user.update', { params: { userId: people.add('anna') }, body: { admin: true } })
  const anna = await people.signIn('anna', admin.password)
  const { page } = await visitors.open(platform(), anna)
  const before = await boss.client.call('admin.stats')
  await page.goto('/admin/')
  await page.waitForURL('**/admin/overview')
  await sees(
    screens.heading(page, 'Admin Settings'),
    page.getByText('Community Edition'),
    page.getByText(process.version),
    page.getByText((await boss.client.call('settings.get'))['version:forge']!, { exact: true }),
  )
  const back = page.getByRole('navigation').getByRole('link', { name: 'Create Team' })
  expect(await back.first().getAttribute('href')).toBe('/team/create')
  const params = { teamId: (await createTeam(anna.client, 'Example Bakery')).team.id }
  people.add('dora')
  await anna.client.call('invitation.create', { params, body: { user: 'dora', role: roles.member } })
  await page.reload()
  const { userCount, adminCount, teamCount, inviteCount } = await boss.client.call('admin.stats')
  const card = (name: string) =>
    page
      .getByRole('region', { name })
      .or(page.locator('section', { has: page.getByRole('heading', { name, exact: true }) }))
      .first()
  const toTeam = page.getByRole('link', { name: 'Back to Example Bakery' }).first()
  await sees(toTeam)
  expect(await toTeam.getAttribute('href')).toMatch(/^\/team\/example-bakery(\/applications)?$/)
  expect([userCount, adminCount, teamCount, inviteCount]).toEqual([
    before.userCount + 1,
    before.adminCount,
    before.teamCount + 1,
    before.inviteCount + 1,
  ])
  const words = async (name: string) => (await card(name).innerText()).replace(/\s+/g, ' ')
  expect(await words('Users')).toContain(
    `Users ${userCount} Maximum Unlimited Admins ${adminCount} Invites ${inviteCount} open`,
  )
  expect(await words('Teams')).toContain(`Teams ${teamCount} Maximum Unlimited`)
  expect(await words('Devices')).toContain('Devices 0 Maximum Unlimited')
  await shot(page, 'admin-overview')
  const limited = { maxUsers: 20, maxTeams: 5, instanceCount: 7, maxInstances: 12, deviceCount: 3, maxDevices: 30 }
  await adjust(page, '/api/v1/admin/stats', (reply) => ({
    ...reply,
    ...limited,
    instancesByState: { running: 4, suspended: 2, error: 1 },
  }))
  await page.reload()
  await sees(page.getByText('Of these running'))
  expect(await words('Users')).toContain(`Users ${userCount} Maximum 20`)
  expect(await words('Teams')).toContain(`Teams ${teamCount} Maximum 5`)
  expect(await words('Devices')).toContain('Devices 3 Maximum 30')
  expect(await words('Instances')).toContain(
    'Instances 7 Maximum 12 Of these error 1 Of these running 4 Of these suspended 2',
  )
  await page.unrouteAll()
  await page.getByRole('link', { name: `${inviteCount} open` }).click()
  await page.waitForURL('**/admin/users/invitations')
  await page.goBack()
  await page.getByRole('link', { name: 'All users' }).click()
  await page.waitForURL('**/admin/users/general')
  await page.goBack()
  await page.getByRole('link', { name: 'All teams' }).click()
  await page.waitForURL('**/admin/teams')
  const license = { expiring: false, expired: false, daysRemaining: 900, PRE_EXPIRE_WARNING_DAYS: 30 }
  await adjustSettings(page, { license: { ...license, type: 'DEV', expiresAt: '2030-01-01T00:00:00.000Z' } })
  await page.goto('/admin/overview')
  await sees(page.getByText('FlowForge Development Only'))
  const [invitation] = (await anna.client.call('invitation.listOfTeam', { params })).invitations
  await anna.client.call('invitation.withdraw', { params: { ...params, invitationId: invitation!.id } })
})

test('[ADM-07] [AUSER-33] [AUSER-34] [ATEAMS-01] [ATEAMS-02] [ATEAMS-03] [ATEAMS-04] [TEAM-25] [CONST-10] Open invitations and all teams', async () => {
  const { page } = visitor
  const { team } = await createTeam(boss.client, 'Second Bakery')
  platform().people.add('ines')
  await boss.client.call('invitation.create', {
    params: { teamId: team.id },
    body: { user: 'ines', role: roles.member },
  })
  await page.goto('/admin/users')
  await page.waitForURL('**/admin/users/general')
  await page.getByRole('link', { name: 'Invitations' }).last().click()
  await page.waitForURL('**/admin/users/invitations')
  await sees(row(page, 'ines'))
  expect(await headers(page)).toEqual(['User', 'Team', 'Invited By', 'Expires In'])
  expect(await row(page, 'ines').innerText()).toMatch(/Second Bakery[\s\S]*alice[\s\S]*in \d+ days/)
  await shot(page, 'admin-invitations')
  await actions(page, 'ines').click()
  await page.getByRole('menuitem', { name: 'Remove Invite' }).click()
  await sees(page.getByText('No open invitations'))

  const type = (await boss.client.call('team.types', { query: {} })).types[0]!.id
  const names = ['Windmill', ...Array.from({ length: 29 }, (_, n) => `Field ${n}`)]
  for (const name of names) await boss.client.call('team.create', { body: { name, type } })
  const { teamCount } = await boss.client.call('admin.stats')
  const calls: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/teams?')) calls.push(new URL(request.url()).search)
  })
  await page.goto('/admin/teams')
  await sees(row(page, 'Windmill'), row(page, 'Second Bakery'))
  expect(await headers(page)).toEqual(['Name', 'Type', 'Members', 'Application Instances'])
  expect(await row(page, 'Windmill').innerText()).toMatch(/Windmill\s+Standard\s+1\s+0$/)
  expect(await page.getByRole('row').count()).toBe(31)
  await shot(page, 'admin-teams')
  await button(page, 'Load more...').click()
  await expect.poll(() => page.getByRole('row').count()).toBe(teamCount + 1)
  calls.length = 0
  await typeFast(page, 'baker')
  await row(page, 'Windmill').waitFor({ state: 'detached' })
  expect(calls).toEqual(['?limit=30&query=baker'])
  const waited = await waitedFor(page, '/api/v1/teams')
  expect(waited).toBeGreaterThanOrEqual(299)
  expect(waited).toBeLessThan(2_000)
  const { teams } = await boss.client.call('team.mine')
  await page.getByLabel('Search Teams...').fill(teams.find(({ name }) => name === 'Windmill')!.id)
  await sees(row(page, 'Windmill'))
  await row(page, 'Windmill').click()
  await page.waitForURL('**/team/windmill/applications')
  // The administrator is a member of this team, so visits nobody.
  await sees(screens.heading(page, 'Applications'))
  expect(await page.getByText(/^You are viewing this/).count()).toBe(0)
})

test('[ADM-10] [AUSER-04] [AUSER-16] [AUSER-17] [AUSER-18] [AUSER-19] [AUSER-20] [AUSER-21] [AUSER-22] [AUSER-23] [AUSER-31] An account is made, and what is wrong stands beside its field', async () => {
  const { page } = visitor
  await page.goto('/admin/users/general')
  await page.getByRole('link', { name: 'Create New User' }).click()
  await page.waitForURL('**/admin/users/create')
  const create = button(page, 'Create User')
  const fill = async (values: Record<string, string>) => {
    for (const [label, value] of Object.entries(values)) await field(page, label).fill(value)
    await field(page, 'Username').press('Tab')
  }
  expect(await create.isDisabled()).toBe(true)
  await fill({ Username: 'a b', 'Full name': 'http://x', Email: 'bob', Password: '1234567', 'Confirm password': 'x' })
  await sees(
    page.getByText('Must only contain a-z 0-9 - _'),
    page.getByText('Names can not be URLs'),
    page.getByText('Enter a valid email address'),
    page.getByText('Password must be at least 8 characters'),
    page.getByText('A user needs to be in a team to create projects'),
  )
  for (const name of ['Administrator', 'Create personal team']) await sees(page.getByRole('checkbox', { name }))
  await shot(page, 'admin-user-create')
  await fill({
    Username: 'Alice',
    'Full name': '',
    Email: 'bob@example.com',
    Password: 'battery staple 9',
    'Confirm password': 'other',
  })
  expect(await create.isDisabled()).toBe(true)
  await fill({ 'Confirm password': 'battery staple 9' })
  await create.click()
  await sees(page.getByText('Username unavailable'))
  await fill({ Username: 'bob', Email: admin.email })
  await create.click()
  await sees(page.getByText('Email unavailable'))
  await fill({ Email: 'bob@example.com' })
  await create.click()
  await sees(screens.toast(page, 'bob can sign in now.'), row(page, 'Team bob'))
})

test('[AUSER-01] [AUSER-03] [AUSER-05] [AUSER-06] [AUSER-07] [CONST-10] Everybody stands in a list that is searched and pages by 30', async () => {
  const { page } = visitor
  const { people } = platform()
  await createUser('zora')
  const made = Array.from({ length: 30 }, (_, n) => people.add(`extra${n}`))
  people.change('extra0', 'password_expired', 1)
  people.change('extra1', 'email_verified', 0)
  await boss.client.call('user.update', { params: { userId: made[2]! }, body: { suspended: true } })
  const calls: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/users?')) calls.push(new URL(request.url()).search)
  })
  await adjustSettings(page, { features: { sso: true } })
  await page.goto('/admin/users/general')
  await sees(row(page, 'alice'))
  expect(await headers(page)).toContain('SSO Enabled')
  await page.unrouteAll()
  await page.reload()
  await sees(row(page, 'alice'))
  expect(await headers(page)).toEqual(['User', 'Password Expired', 'Email Verified', 'Admin', 'Suspended'])
  for (const [name, ...marks] of [
    ['alice', 'no', 'yes', 'yes', 'no'],
    ['Extra0 Example', 'yes', 'yes', 'no', 'no'],
    ['Extra1 Example', 'no', 'no', 'no', 'no'],
    ['Extra2 Example', 'no', 'yes', 'no', 'yes'],
  ] as const) {
    const shown = async () => {
      const cells = (await row(page, name).getByRole('cell').allInnerTexts()).slice(1, 5)
      return [name, ...cells.map((text) => text.trim().split(/\s/).at(-1))]
    }
    await expect.poll(shown).toEqual([name, ...marks])
  }
  expect(await page.getByRole('row').count()).toBe(31)
  await button(page, 'Load more...').click()
  await expect.poll(() => page.getByRole('row').count()).toBe((await boss.client.call('admin.stats')).userCount + 1)
  calls.length = 0
  await typeFast(page, 'zora')
  await row(page, 'alice').waitFor({ state: 'detached' })
  expect(calls).toEqual(['?limit=30&query=zora'])
  const waited = await waitedFor(page, '/api/v1/users')
  expect(waited).toBeGreaterThanOrEqual(299)
  expect(waited).toBeLessThan(2_000)
  await shot(page, 'admin-users')
  await actions(page, 'zora').click()
  await page.getByRole('menuitem', { name: 'Edit User' }).click()
  expect(await field(page, 'Username').inputValue()).toBe('zora')
  await page.keyboard.press('Escape')
  await row(page, 'zora').click()
  await page.waitForURL('**/admin/users/*')
  await sees(screens.heading(page, 'zora'))
})

test('[AUSER-08] [AUSER-10] [AUSER-11] [AUSER-12] [AUSER-13] [AUSER-14] [AUSER-26] [AUSER-27] [AUSER-28] [AUSER-29] [AUSER-30] [AUSER-32] A user is shown whole and edited, what can do harm behind a lock', async () => {
  const { page } = visitor
  const user = await createUser('yuri')
  const own = `/api/v1/users/${user.id}`
  const shown = { sso_enabled: true, email_verified: false, createdAt: '2026-03-04T12:00:00.000Z' }
  await adjust(page, own, (reply) => ({ ...reply, ...shown, admin: true, suspended: true }))
  await page.goto(`/admin/users/${user.id}`)
  await sees(
    page.getByText(/^Mar 4, 2026/),
    ...['Admin', 'Suspended', 'SSO enabled', 'Unverified'].map((text) =>
      page.locator('main').getByText(text, { exact: true }).first(),
    ),
  )
  await row(page, 'Team yuri').waitFor()
  expect(await headers(page)).toEqual(['Name', 'Role', 'Type', 'Members', 'Application Instances'])
  expect(await row(page, 'Team yuri').innerText()).toMatch(/Team yuri\s+Owner\s+Standard\s+1\s+0$/)
  await button(page, 'Edit').click()
  expect(await field(page, 'Email').isDisabled()).toBe(true)
  await page.unrouteAll()
  await page.reload()
  await sees(page.getByText('yuri@example.com'), page.locator('main').getByText('Verified', { exact: true }))
  await button(page, 'Make password link').click()
  await sees(page.getByText(/\/account\/change-password\/ffpr_/))
  await shot(page, 'admin-user')
  await button(page, 'Edit').click()
  const sensitive = [
    ...['Verified', 'Administrator', 'Suspended'].map((name) => page.getByRole('checkbox', { name })),
    ...['Expire Password', 'Delete User'].map((name) => button(page, name)),
  ]
  for (const control of sensitive) expect(await control.isDisabled()).toBe(true)
  await button(page, 'Unlock').click()
  for (const control of sensitive) expect(await control.isEnabled()).toBe(true)

  const save = button(page, 'Save')
  await field(page, 'Email').fill(admin.email)
  await save.click()
  await sees(page.getByText('Email already registered'))
  await field(page, 'Email').fill('yuri@example.com')
  await field(page, 'Username').fill('alice')
  await save.click()
  await sees(page.getByText('Username unavailable'))
  await field(page, 'Username').fill('yuri')
  await field(page, 'Name').fill('Yuri Example')
  for (const [reply, place] of [
    [{ error: 'This password will not do' }, page.getByText('This password will not do')],
    [{ error: 'The last admin stays' }, page.getByText('The last admin stays')],
    [{ error: 'It broke', message: 'The disk is full' }, page.getByText('It broke: The disk is full').first()],
  ] as const) {
    await answer(page, `PUT ${own}`, 400, { code: 'unexpected_error', ...reply })
    await save.click()
    await sees(place)
    await page.unrouteAll()
  }
  await answer(page, `DELETE ${own}`, 400, {
    code: 'unexpected_error',
    error: 'Nobody else owns it',
    message: 'Nobody else owns it',
  })
  await button(page, 'Delete User').click()
  await page.getByRole('alertdialog').getByRole('textbox').fill('yuri')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  const rowOf = (name: string) => page.getByText(name, { exact: true }).first().locator('xpath=ancestor::div[3]')
  await sees(rowOf('Delete User').getByText('Nobody else owns it'))
  await page.unrouteAll()
  await answer(page, `PUT ${own}`, 400, { code: 'unexpected_error', error: 'Not today', message: 'Not today' })
  await button(page, 'Expire Password').click()
  await sees(rowOf('Expire Password').getByText('Not today'))
  expect(await rowOf('Expire Password').getByText('Nobody else owns it').count()).toBe(0)
  await page.unrouteAll()
  await shot(page, 'admin-user-edit')
  await save.click()
  await sees(screens.toast(page, 'User updated'), screens.heading(page, 'Yuri Example'))
  await sees(
    page.getByRole('heading', { level: 1 }).locator('img'),
    page.locator('main').getByText('yuri', { exact: true }).first(),
  )
  const real = { params: { userId: user.id } }
  await boss.client.call('user.update', { ...real, body: { admin: true, suspended: true } })
  await page.reload()
  for (const badge of ['Admin', 'Suspended']) await sees(page.locator('main').getByText(badge, { exact: true }).first())
  await boss.client.call('user.update', { ...real, body: { admin: false, suspended: false } })

  const { team } = await createTeam(boss.client, 'Second Mill')
  const mia = platform().people.add('mia', { teamId: team.id, role: roles.viewer })
  const { client } = await platform().people.signIn('mia', admin.password)
  await createTeam(client, 'Own Mill')
  await page.goto(`/admin/users/${mia}`)
  await sees(row(page, 'Second Mill'))
  expect(await row(page, 'Second Mill').innerText()).toMatch(/Second Mill\s+Viewer\s+Standard\s+2\s+0$/)
  expect(await row(page, 'Own Mill').innerText()).toMatch(/Own Mill\s+Owner\s+Standard\s+1\s+0$/)
  await page.goto('/admin/users/none')
  await sees(page.getByText('Page Not Found'))
})

test('[AUSER-37] [ADM-02] Who was made an account changes the password, is put out while signed in, and is deleted', async () => {
  const { page } = visitor
  const user = await createUser('wanda')
  const other = await visitors.open(platform())
  await other.page.goto('/')
  await signInThrough(other.page, 'wanda', 'battery staple 9')
  await sees(other.page.getByText('Your password has expired'))
  const typed = other.page.locator('input[autocomplete$="-password"]')
  for (const [at, text] of ['battery staple 9', 'correct wombat 77', 'correct wombat 77'].entries())
    await typed.nth(at).fill(text)
  await button(other.page, 'Change Password').click()
  await other.page.waitForURL('**/team/wanda/applications')
  for (const place of ['users', 'templates/create', 'audit-log']) {
    await other.page.goto(`/admin/${place}`)
    await sees(other.page.getByText('Only administrators of the platform see these pages.'))
  }

  await page.goto(`/admin/users/${user.id}`)
  await button(page, 'End all sessions').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'End sessions' }).click()
  await sees(screens.toast(page, 'All their sessions ended.'), screens.login.button(other.page))
  await signInThrough(other.page, 'wanda', 'correct wombat 77')
  await sees(other.page.getByText('Only administrators of the platform see these pages.'))
  await button(page, 'Edit').click()
  await button(page, 'Unlock').click()
  await page.getByRole('checkbox', { name: 'Suspended' }).click()
  await button(page, 'Save').click()
  await sees(screens.toast(page, 'User updated'), page.locator('main').getByText('Suspended', { exact: true }))
  // Nobody touches the other browser.
  await sees(screens.login.button(other.page))

  await button(page, 'Edit').click()
  await button(page, 'Unlock').click()
  await button(page, 'Delete User').click()
  const sure = page.getByRole('alertdialog')
  await sure.getByRole('textbox').fill('wanda')
  await sure.getByRole('button', { name: 'Delete' }).click()
  await sees(page.getByText(/The team “Team wanda” has no other owner/))
  const team = (await boss.client.call('user.teams', { params: { userId: user.id } })).teams[0]!
  await boss.client.call('team.delete', { params: { teamId: team.id } })
  await button(page, 'Delete User').click()
  await sure.getByRole('textbox').fill('wanda')
  await sure.getByRole('button', { name: 'Delete' }).click()
  await sees(screens.toast(page, 'wanda is deleted'))
  await expect.poll(() => path(page)).toBe('/admin/users/general')
  expect((await boss.client.call('user.list', { query: { query: 'wanda' } })).count).toBe(0)
})
