import { expect, test } from 'vitest'
import { adjustSettings, admin, answer, openConsole, screens, sees, shot, watchText } from './harness/index.ts'

const { platform, visitors } = await openConsole()

const menu = [
  'Overview',
  'Users',
  'Teams',
  'Team Types',
  'Instance Types',
  'Stacks',
  'Templates',
  'Activity',
  'Settings',
]

test('[ADM-03] [ADM-08] [ADM-09] The menu of administrators leads to all they govern', async () => {
  const person = await platform().people.signIn(admin.username, admin.password)
  const { page } = await visitors.open(platform(), person)
  await page.goto('/admin')
  await sees(screens.heading(page, 'Admin Settings'))
  const links = await page.getByRole('navigation').getByRole('link').allInnerTexts()
  expect(links.filter((name) => menu.includes(name))).toEqual(menu)
  for (const name of ['Users', 'Teams', 'Team Types', 'Instance Types', 'Stacks', 'Templates']) {
    await page.getByRole('link', { name, exact: true }).first().click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
  }
  await page.goto(`/admin/users/${person.id}`)
  await page.getByRole('heading', { name: admin.username, level: 1 }).waitFor()
  const [template] = (await person.client.call('template.list', { query: {} })).templates
  await page.goto(`/admin/templates/${template!.id}`)
  await page.waitForURL(`**/admin/templates/${template!.id}/settings`)
  for (const child of ['Security', 'Environment', 'Palette']) {
    await page.getByRole('link', { name: child, exact: true }).click()
    await page.waitForURL(`**/${child.toLowerCase()}`)
  }
})

/** The settings of the platform, opened by the administrator; what a test changes there is put back. */
async function openSettings(path = 'general') {
  const { people } = platform()
  people.set('user:tcs-required', false)
  people.set('team:create', true)
  const person = await people.signIn(admin.username, admin.password)
  const { page } = await visitors.open(platform(), person)
  await page.goto(`/admin/settings/${path}`)
  return { page, person, save: page.getByRole('button', { name: 'Save settings' }) }
}

test('[ASET-03] The general settings have three sections, where the menu of administrators leads', async () => {
  const { page, save } = await openSettings()
  await page.goto('/')
  await page.getByRole('button', { name: /alice/ }).click()
  await page.getByRole('menuitem', { name: 'Admin Settings' }).click()
  await page.waitForURL('**/admin/overview')
  await page.getByRole('navigation').getByRole('link', { name: 'Settings', exact: true }).first().click()
  await page.waitForURL('**/admin/settings/general')
  await sees(save)
  for (const name of ['Users', 'Teams', 'Platform']) await sees(page.getByRole('heading', { name, exact: true }))
})

test('[ASET-11] What needs mail is off until mail is set up, and leads there', async () => {
  const { page } = await openSettings()
  const options = [
    'Allow users to sign up on the login screen',
    'Allow users to reset their password',
    'Allow inviting people without an account',
  ].map((name) => page.getByRole('checkbox', { name }))
  await sees(...options)
  for (const option of options) expect(await option.isDisabled()).toBe(true)
  expect(await page.getByText('This option requires email to be configured').count()).toBe(options.length)
  const setUp = page.getByRole('link', { name: 'Set up email' })
  expect([await setUp.count(), await setUp.first().getAttribute('href')]).toEqual([3, '/admin/settings/email'])
  await adjustSettings(page, { email: { from: 'forge@example.com', smtp: {} } })
  await page.reload()
  await expect.poll(() => options[0]!.isEnabled()).toBe(true)
  for (const option of options) expect(await option.isEnabled()).toBe(true)
  const users = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Users', exact: true }) })
  const banners = users.getByRole('textbox', { name: /^HTML shown (above|left of) the sign-up form$/ })
  await options[0]!.click()
  await expect.poll(() => banners.count()).toBe(2)
  await shot(page, 'admin-settings-sign-up')
  await options[0]!.click()
  await expect.poll(() => banners.count()).toBe(0)
})

test('[ASET-12] [ASET-13] [ASET-14] [TCS-07] Settings that are valid and changed are saved, and nothing else', async () => {
  const { page, save } = await openSettings()
  await sees(save)
  expect(await save.isDisabled()).toBe(true)
  await page.getByRole('checkbox', { name: 'Require agreement to Terms & Conditions' }).click()
  const url = page.getByLabel('Terms & Conditions URL')
  await url.fill('')
  await sees(page.getByText('A URL for the Terms & Conditions must be set.'))
  expect(await save.isDisabled()).toBe(true)
  await url.fill(`https://example.com/terms-of-${Date.now()}`)
  await page.getByRole('checkbox', { name: 'Allow users to create teams' }).click()
  await shot(page, 'admin-settings')
  await answer(page, 'PUT /api/v1/settings', 400, { code: 'invalid_request', error: 'The disk is full' })
  await save.click()
  await sees(screens.toast(page, 'Something went wrong: The disk is full'))
  await page.unrouteAll()
  const sent = page.waitForRequest((call) => call.method() === 'PUT' && call.url().endsWith('/api/v1/settings'))
  await save.click()
  expect((await sent).postDataJSON()).toEqual({
    'user:tcs-required': true,
    'user:tcs-url': expect.stringMatching(/^https:\/\/example\.com\/terms-of-\d+$/),
    'team:create': false,
  })
  await sees(screens.toast(page, 'Settings changed successfully.'))
})

test('[TCS-08] Terms that are said to be new are new to the administrator too, who is told for five seconds', async () => {
  const { page, person } = await openSettings()
  await person.client.call('settings.update', {
    body: { 'user:tcs-required': true, 'user:tcs-url': 'https://example.com/terms' },
  })
  const accept = async () => {
    await page.getByRole('checkbox', { name: /I accept/ }).click()
    await page.getByRole('button', { name: /Accept/ }).click()
  }
  await page.reload()
  await accept()
  await sees(page.getByText(/Last updated: \S/))
  const lifeOf = await watchText(page, 'Terms and Conditions update success')
  await page.getByRole('button', { name: 'update now' }).click()
  await sees(screens.toast(page, 'Terms and Conditions update success'))
  const life = await lifeOf()
  expect(life).toBeGreaterThan(4_900)
  expect(life).toBeLessThan(9_000)
  await page.reload()
  await accept()
  await sees(page.getByText(/Last updated: \S/))
})

test('[ASET-19] Without mail the page about it says what people cannot do', async () => {
  const { page } = await openSettings('email')
  await sees(
    page.getByText('Email is not configured'),
    page.getByText('People cannot sign up, reset their password or be invited by address.'),
  )
  await shot(page, 'admin-settings-email')
})

test('[ASET-10] [ASET-15] [ASET-16] [ASET-17] [ASET-18] The token of the statistics shows once; what the server was started with is only shown', async () => {
  const { people, url } = platform()
  people.set('user:tcs-required', false)
  const { page } = await visitors.open(platform(), await people.signIn(admin.username, admin.password))
  const status = async (token: string) =>
    (await fetch(`${url}/api/v1/admin/stats`, { headers: { authorization: `Bearer ${token}` } })).status
  const calls: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/admin/stats-token')) calls.push(request.method())
  })
  await page.goto('/admin/settings/general')
  const allow = page.getByRole('switch', { name: 'Allow token access to platform statistics' })
  const shown = page.getByLabel('Statistics token', { exact: true })
  await allow.click()
  const first = await shown.innerText()
  expect([first.slice(0, 4), await status(first)]).toEqual(['ffu_', 200])
  await shot(page, 'admin-settings-token')
  await page.getByRole('button', { name: 'Make a new token' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Make a new token' }).click()
  await expect.poll(() => shown.innerText()).not.toBe(first)
  const second = await shown.innerText()
  expect([await status(first), await status(second)]).toEqual([401, 200])
  expect(calls).toEqual(['POST', 'DELETE', 'POST'])

  const email = { from: 'FlowForge <forge@example.com>', smtp: { host: 'mail.example.com', port: 465, secure: true } }
  await adjustSettings(page, { 'platform:licensed': true, email })
  await page.reload()
  await sees(allow)
  expect([await shown.count(), await allow.isChecked()]).toEqual([0, true])
  const telemetry = page.getByRole('checkbox', { name: 'Send anonymous usage statistics' })
  expect(await telemetry.count()).toBe(0)
  await page.getByRole('link', { name: 'Email', exact: true }).click()
  await sees(page.getByText('mail.example.com'), page.getByText('465'), page.getByText('from the start'))
  expect(await page.locator('main').locator('input, textarea, [role=switch], [role=checkbox]').count()).toBe(0)
  await shot(page, 'admin-settings-email-table')

  await page.unrouteAll()
  await page.goto('/admin/settings/general')
  await sees(telemetry)
  await allow.click()
  await page.getByRole('button', { name: 'Delete the token' }).click()
  await expect.poll(() => allow.isChecked()).toBe(false)
  expect([calls.at(-1), await status(second)]).toEqual(['DELETE', 401])
})

test('Nobody else sees the settings of the platform', async () => {
  const { people } = platform()
  people.add('carol')
  people.set('user:tcs-required', false)
  const { page } = await visitors.open(platform(), await people.signIn('carol', admin.password))
  await page.goto('/admin/settings/general')
  await sees(page.getByText('Only administrators of the platform see these pages.'))
})
