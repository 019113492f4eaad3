import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import {
  adjustSettings,
  admin,
  createTeam,
  openConsole,
  type Person,
  screens,
  sees,
  shot,
  signInThrough,
  type Visitor,
} from './harness/index.ts'

const { platform, visitors } = await openConsole()
let owner: Visitor
let administrator: Visitor

beforeAll(async () => {
  const { people } = platform()
  for (const name of ['bob', 'carol']) people.add(name)
  const bob: Person = await people.signIn('bob', admin.password)
  await createTeam(bob.client, 'Example Bakery')
  people.set('team:create', false)
  owner = await visitors.open(platform(), bob)
  administrator = await visitors.open(platform(), await people.signIn(admin.username, admin.password))
})

const userMenu = (page: Page) => page.getByRole('button', { name: /Bob Example|^alice|Alice/ })
const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true })
const navigation = (page: Page) => page.getByRole('navigation', { name: 'Main' })

test('[SHELL-18] [SHELL-25] [SHELL-26] [SHELL-41] The user menu has the way to the settings, to the documentation and, for administrators, to theirs', async () => {
  const manual = 'https://manual.example.com/forge/'
  for (const [{ page, context }, isAdmin] of [
    [owner, false],
    [administrator, true],
  ] as const) {
    await context.route(`${manual}**`, (route) => route.fulfill({ contentType: 'text/html', body: 'The manual' }))
    await adjustSettings(page, { documentation_url: manual })
    await page.goto('/account/settings')
    await sees(page.getByRole('banner'), navigation(page), page.getByRole('heading', { name: 'Settings', level: 1 }))
    await userMenu(page).click()
    await sees(item(page, 'User Settings'), item(page, 'Sign Out'))
    const documentation = item(page, 'Documentation')
    expect(await documentation.getAttribute('href')).toBe(manual)
    expect(await documentation.getAttribute('target')).toBe('_blank')
    expect(await item(page, 'Admin Settings').count()).toBe(isAdmin ? 1 : 0)
    await page.keyboard.press('Escape')
  }
  const { page } = administrator
  await page.goto('/help')
  await page.waitForURL(manual)
})

test('[SHELL-22] [SHELL-23] [SHELL-34] [ATEAM-03] Creating a team is offered to administrators, and to others where the platform lets them', async () => {
  const { page } = await visitors.open(platform(), await platform().people.signIn('carol', admin.password))
  await page.goto('/')
  await sees(page.getByText('Ask an Admin or Team Owner to add you to a team.'))
  expect(await page.getByRole('link', { name: 'Create a new team' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: /^Team: / }).count()).toBe(0)
  await owner.page.goto('/team/example-bakery/applications')
  const selector = owner.page.getByRole('button', { name: /^Team: / })
  await selector.click()
  await sees(owner.page.getByRole('menuitem', { name: /Example Bakery/ }))
  expect(await item(owner.page, 'Create New Team').count()).toBe(0)
  await adjustSettings(owner.page, { 'team:create': true })
  await owner.page.reload()
  await selector.click()
  await sees(item(owner.page, 'Create New Team'))
  await owner.page.unrouteAll()
  await administrator.page.goto('/')
  await sees(administrator.page.getByRole('link', { name: 'Create a new team' }))
  await administrator.page.getByRole('button', { name: /^Team: / }).click()
  await item(administrator.page, 'Create New Team').click()
  await administrator.page.waitForURL('**/team/create')
  await administrator.page.goto('/account/teams')
  await sees(administrator.page.getByRole('link', { name: 'Create Team' }))
  await adjustSettings(page, { 'team:create': true })
  await page.reload()
  await sees(page.getByRole('link', { name: 'Create a new team' }))
})

test('[SHELL-29] [LAYOUT-04] [LAYOUT-05] [LAYOUT-08] On small screens the header opens navigation and menus', async () => {
  const { page } = owner
  await page.goto('/team/example-bakery/applications')
  await sees(navigation(page))
  const header = page.getByRole('banner')
  const atWidth = async (width: number) => {
    await page.setViewportSize({ width, height: 800 })
    return [await navigation(page).isVisible(), await header.getByText('Bob Example').isVisible()]
  }
  expect(await atWidth(1024)).toEqual([true, true])
  expect((await navigation(page).boundingBox())?.width).toBe(275)
  expect(await atWidth(1023)).toEqual([false, true])
  expect((await header.getByText('FlowForge', { exact: true }).boundingBox())?.width).toBeGreaterThan(40)
  await page.setViewportSize({ width: 640, height: 800 })
  expect(await header.getByText('FlowForge', { exact: true }).isVisible()).toBe(true)
  await page.setViewportSize({ width: 639, height: 800 })
  expect(await header.getByText('FlowForge', { exact: true }).isVisible()).toBe(false)

  await page.getByRole('button', { name: 'Open navigation' }).click()
  await sees(navigation(page).getByRole('link', { name: 'Instances' }))
  await page.getByRole('button', { name: 'Close navigation' }).click()
  await navigation(page).waitFor({ state: 'hidden' })
  for (const [toggle, name] of [
    [page.getByRole('button', { name: /^Team: / }), /Example Bakery/],
    [userMenu(page), /User Settings/],
  ] as const) {
    const entry = page.getByRole('menuitem', { name })
    await toggle.click()
    await sees(entry)
    await page.keyboard.press('Escape')
    await entry.waitFor({ state: 'detached' })
  }
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('[LICB-01] [LICB-02] [LICB-03] [LICB-04] The licence warns administrators before it ends, and everyone after', async () => {
  const licence = { type: 'EE', expiresAt: new Date().toISOString(), PRE_EXPIRE_WARNING_DAYS: 30 }
  const shows = async ({ page }: Visitor, license: object, text: string, shown: boolean) => {
    await adjustSettings(page, { license })
    await page.goto('/account/teams')
    await sees(screens.heading(page, 'Teams'))
    expect(await page.getByText(text).count()).toBe(shown ? 1 : 0)
  }
  const expiring = { ...licence, expiring: true, expired: false, daysRemaining: 5 }
  await shows(administrator, expiring, 'Your license will expire in 5 days.', true)
  await shows(owner, expiring, 'Your license will expire', false)
  const expired = { ...licence, expiring: false, expired: true, daysRemaining: 0 }
  await shows(administrator, expired, 'Your license has expired.', true)
  await shows(owner, expired, 'Your license has expired.', true)
  await shot(owner.page, 'licence-expired')
})

test('[API-03] [APP-13] [SHELL-43] GATE-401 and GATE-404: a session that ended shows the login over the same address; what is not there keeps its address', async () => {
  const bob = await platform().people.signIn('bob', admin.password)
  const { page } = await visitors.open(platform(), bob)
  await page.goto('/application/not-there/instances')
  await sees(page.getByText('Page Not Found').first())
  expect(new URL(page.url()).pathname).toBe('/application/not-there/instances')
  await page.goto('/account/teams')
  await sees(screens.heading(page, 'Teams'))
  await bob.client.call('account.logout')
  await sees(screens.login.button(page))
  await signInThrough(page, 'bob', admin.password)
  await sees(screens.heading(page, 'Teams'))
  expect(new URL(page.url()).pathname).toBe('/account/teams')
})
