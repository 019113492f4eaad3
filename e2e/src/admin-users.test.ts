import { type AdminUser, roles } from '@app/contract'
import { beforeEach, expect, test } from 'vitest'
import {
  adjust,
  adjustSettings,
  admin,
  answer,
  button,
  createTeam,
  field,
  openConsole,
  screens,
  sees,
  shot,
  signInThrough,
  typeFast,
  type Visitor,
  waitedFor,
  watchText,
} from './harness/index.ts'

const { platform, visitors } = await openConsole()
let visitor: Visitor
const boss = await platform().people.signIn(admin.username, admin.password)

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
const headers = async (page: Visitor['page']) =>
  (await page.getByRole('columnheader').allInnerTexts()).filter((text) => text !== '' && text !== 'Actions')
const path = (page: Visitor['page']) => new URL(page.url()).pathname

/** The form of a new account, with what is well in every field of it. */
async function openForm() {
  const { page } = visitor
  await page.goto('/admin/users/create')
  const fill = async (values: Record<string, string>) => {
    for (const [label, value] of Object.entries(values)) await field(page, label).fill(value)
    await field(page, 'Username').press('Tab')
  }
  const create = button(page, 'Create User')
  await sees(create)
  return { page, create, fill }
}
const good = (username: string) => ({
  Username: username,
  'Full name': '',
  Email: `${username}@example.com`,
  Password: 'battery staple 9',
  'Confirm password': 'battery staple 9',
})

test('[ADM-10] [AUSER-04] [AUSER-16] [AUSER-17] An account is made on a page of its own, with a team if wanted', async () => {
  const { page } = visitor
  await page.goto('/admin/users/general')
  await page.getByRole('link', { name: 'Create New User' }).click()
  await page.waitForURL('**/admin/users/create')
  for (const name of ['Administrator', 'Create personal team']) await sees(page.getByRole('checkbox', { name }))
  await sees(page.getByText('A user needs to be in a team to create projects'))
  const { create, fill } = await openForm()
  await fill(good('bob'))
  await create.click()
  await sees(screens.toast(page, 'bob can sign in now.'), row(page, 'Team bob'))
  await page.goto('/admin/users/create')
  await page.getByRole('checkbox', { name: 'Create personal team' }).click()
  await fill(good('ben'))
  await create.click()
  await sees(screens.toast(page, 'ben can sign in now.'))
  const ben = (await boss.client.call('user.list', { query: { query: 'ben' } })).users[0]!
  expect((await boss.client.call('user.teams', { params: { userId: ben.id } })).teams).toEqual([])
})

test('[AUSER-18] [AUSER-19] [AUSER-20] [AUSER-21] [AUSER-22] What is malformed stands beside its field, and nothing is made', async () => {
  const { page, create, fill } = await openForm()
  for (const [label, bad, sentence] of [
    ['Username', 'a b', 'Must only contain a-z 0-9 - _'],
    ['Full name', 'http://x', 'Names can not be URLs'],
    ['Email', 'bob', 'Enter a valid email address'],
    ['Password', '1234567', 'Password must be at least 8 characters'],
    ['Confirm password', 'other', undefined],
  ] as const) {
    await fill(good('bill'))
    await expect.poll(() => create.isEnabled()).toBe(true)
    await fill({ [label]: bad })
    if (sentence) await sees(page.getByText(sentence))
    await expect.poll(() => create.isDisabled()).toBe(true)
  }
  await shot(page, 'admin-user-create')
})

test('[AUSER-23] [AUSER-31] A user name and an address are required, and must be free', async () => {
  const { page, create, fill } = await openForm()
  for (const label of ['Username', 'Email']) {
    await fill(good('bert'))
    await expect.poll(() => create.isEnabled()).toBe(true)
    await fill({ [label]: '' })
    await expect.poll(() => create.isDisabled()).toBe(true)
  }
  await fill({ ...good('bert'), Username: 'Alice' })
  await create.click()
  await sees(page.getByText('Username unavailable'))
  await fill({ ...good('bert'), Email: admin.email })
  await create.click()
  await sees(page.getByText('Email unavailable'))
})

test('[AUSER-01] The list of users shows what is the matter with each', async () => {
  const { page } = visitor
  const { people } = platform()
  const made = [0, 1, 2].map((n) => people.add(`mark${n}`))
  people.change('mark0', 'password_expired', 1)
  people.change('mark1', 'email_verified', 0)
  await boss.client.call('user.update', { params: { userId: made[2]! }, body: { suspended: true } })
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
    ['Mark0 Example', 'yes', 'yes', 'no', 'no'],
    ['Mark1 Example', 'no', 'no', 'no', 'no'],
    ['Mark2 Example', 'no', 'yes', 'no', 'yes'],
  ] as const) {
    await page.getByRole('searchbox').fill(name.split(' ')[0]!)
    const shown = async () => {
      const cells = (await row(page, name).getByRole('cell').allInnerTexts()).slice(1, 5)
      return [name, ...cells.map((text) => text.trim().split(/\s/).at(-1))]
    }
    await expect.poll(shown).toEqual([name, ...marks])
  }
})

test('[AUSER-03] [AUSER-07] [CONST-10] Users are listed 30 at a time, and searched with one call once the typing paused', async () => {
  const { page } = visitor
  await createUser('zora')
  for (let n = 0; n < 30; n++) platform().people.add(`extra${n}`)
  const calls: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/users?')) calls.push(new URL(request.url()).search)
  })
  await page.goto('/admin/users/general')
  await sees(row(page, 'alice'))
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
})

test('[AUSER-05] [AUSER-06] A row of the list opens its user, and its menu edits it', async () => {
  const { page } = visitor
  await createUser('zelda')
  await page.goto('/admin/users/general')
  await page.getByRole('searchbox').fill('zelda')
  await row(page, 'alice').waitFor({ state: 'detached' })
  await screens.menu.choose(page, 'Actions for zelda', 'Edit User')
  expect(await field(page, 'Username').inputValue()).toBe('zelda')
  await page.keyboard.press('Escape')
  await row(page, 'zelda').click()
  await page.waitForURL('**/admin/users/*')
  await sees(screens.heading(page, 'zelda'))
})

test('[AUSER-08] [AUSER-10] [AUSER-11] [AUSER-12] The page of a user has badges and teams, and a button to edit', async () => {
  const { page } = visitor
  const user = await createUser('yuri')
  const shown = { sso_enabled: true, email_verified: false, createdAt: '2026-03-04T12:00:00.000Z' }
  await adjust(page, `/api/v1/users/${user.id}`, (reply) => ({ ...reply, ...shown }))
  await boss.client.call('user.update', { params: { userId: user.id }, body: { admin: true, suspended: true } })
  await page.goto(`/admin/users/${user.id}`)
  const main = page.locator('main')
  await sees(
    page.getByText(/^Mar 4, 2026/),
    page.getByRole('heading', { level: 1 }).locator('img'),
    ...['yuri', 'Admin', 'Suspended', 'SSO enabled', 'Unverified'].map((text) =>
      main.getByText(text, { exact: true }).first(),
    ),
  )
  await button(page, 'Edit').click()
  expect(await field(page, 'Email').isDisabled()).toBe(true)
  await page.unrouteAll()
  await boss.client.call('user.update', { params: { userId: user.id }, body: { admin: false, suspended: false } })
  await page.reload()
  await sees(page.getByText('yuri@example.com'), main.getByText('Verified', { exact: true }))
  for (const badge of ['Admin', 'Suspended']) expect(await main.getByText(badge, { exact: true }).count()).toBe(0)
  await button(page, 'Make Password Link').click()
  await sees(page.getByText(/\/account\/change-password\/ffpr_/))
  await shot(page, 'admin-user')

  const { team } = await createTeam(boss.client, 'Second Mill')
  platform().people.add('yuri-two', { teamId: team.id, role: roles.viewer })
  const { client, id } = await platform().people.signIn('yuri-two', admin.password)
  await createTeam(client, 'Own Mill')
  await page.goto(`/admin/users/${id}`)
  await sees(row(page, 'Second Mill'))
  expect(await headers(page)).toEqual(['Name', 'Role', 'Type', 'Members', 'Application Instances'])
  expect(await row(page, 'Second Mill').innerText()).toMatch(/Second Mill\s+Viewer\s+Standard\s+2\s+0$/)
  expect(await row(page, 'Own Mill').innerText()).toMatch(/Own Mill\s+Owner\s+Standard\s+1\s+0$/)
})

/** A new user, with the dialog open that edits it. */
async function openEdit(username: string, unlock = true) {
  const { page } = visitor
  const user = await createUser(username)
  await page.goto(`/admin/users/${user.id}`)
  await button(page, 'Edit').click()
  if (unlock) await button(page, 'Unlock').click()
  return { page, own: `/api/v1/users/${user.id}`, save: button(page, 'Save') }
}

test('[AUSER-13] [AUSER-14] A user is edited, what can do harm behind a lock', async () => {
  const { page, save } = await openEdit('xenia', false)
  const sensitive = [
    ...['Verified', 'Administrator', 'Suspended'].map((name) => page.getByRole('checkbox', { name })),
    ...['Expire Password', 'Delete User'].map((name) => button(page, name)),
  ]
  for (const control of sensitive) expect(await control.isDisabled()).toBe(true)
  await button(page, 'Unlock').click()
  for (const control of sensitive) expect(await control.isEnabled()).toBe(true)
  await shot(page, 'admin-user-edit')
  for (const label of ['Username', 'Email']) expect(await field(page, label).isEnabled()).toBe(true)
  await field(page, 'Name').fill('Xenia Example')
  await save.click()
  await sees(screens.toast(page, 'User updated'), screens.heading(page, 'Xenia Example'))
})

test('[AUSER-26] [AUSER-27] [AUSER-28] [AUSER-29] An edit that is refused says why at its field, or as a warning', async () => {
  const { page, own, save } = await openEdit('xaver')
  await field(page, 'Email').fill(admin.email)
  await save.click()
  await sees(page.getByText('Email already registered'))
  await field(page, 'Email').fill('xaver@example.com')
  await field(page, 'Username').fill('alice')
  await save.click()
  await sees(page.getByText('Username unavailable'))
  await field(page, 'Username').fill('xaver')
  await field(page, 'Name').fill('Xaver Example')
  for (const error of ['This password will not do', 'The last admin stays']) {
    await answer(page, `PUT ${own}`, 400, { code: 'unexpected_error', error })
    await save.click()
    await sees(page.getByRole('dialog').getByText(error))
    await page.unrouteAll()
  }
  await answer(page, `PUT ${own}`, 400, { code: 'unexpected_error', error: 'It broke', message: 'The disk is full' })
  const lifeOf = await watchText(page, 'It broke: The disk is full')
  await save.click()
  await sees(page.getByText('It broke: The disk is full').first())
  const life = await lifeOf()
  expect(life).toBeGreaterThan(7_400)
  expect(life).toBeLessThan(12_000)
})

test('[AUSER-30] A refusal to delete a user or to expire the password stands beside its button', async () => {
  const { page, own } = await openEdit('xander')
  const refuse = async (method: string, error: string) =>
    answer(page, `${method} ${own}`, 400, { code: 'unexpected_error', error, message: error })
  await refuse('DELETE', 'Nobody else owns it')
  await button(page, 'Delete User').click()
  await page.getByRole('alertdialog').getByRole('textbox').fill('xander')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  const rowOf = (name: string) => page.getByText(name, { exact: true }).first().locator('xpath=ancestor::div[3]')
  await sees(rowOf('Delete User').getByText('Nobody else owns it'))
  await page.unrouteAll()
  await refuse('PUT', 'Not today')
  await button(page, 'Expire Password').click()
  await sees(rowOf('Expire Password').getByText('Not today'))
  expect(await rowOf('Expire Password').getByText('Nobody else owns it').count()).toBe(0)
})

test('[AUSER-32] A user who does not exist is not found', async () => {
  await visitor.page.goto('/admin/users/none')
  await sees(visitor.page.getByText('Page Not Found'))
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
  await button(page, 'End All Sessions').click()
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
