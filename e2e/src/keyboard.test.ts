import { roles } from '@app/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { admin, createTeam, openTeam } from './harness/index.ts'

const { platform, visitors, owner, team } = await openTeam()

/** The label or text of the focused element. */
const focused = (page: Page) =>
  page.evaluate<string>(`(() => {
    const element = document.activeElement
    if (!element || element === document.body) return 'BODY'
    const label = element.labels?.[0]?.textContent ?? element.getAttribute('aria-label') ?? element.textContent
    return (label || element.getAttribute('name') || element.tagName).trim()
  })()`)

/** Does it look different, itself or what it stands in, from how it looks without the focus? */
const focusShows = (page: Page) =>
  page.evaluate<boolean>(`(() => {
    const element = document.activeElement
    const chain = [element, element.parentElement, element.parentElement?.parentElement].filter(Boolean)
    const look = () => chain.map((one) => {
      const { outline, boxShadow, borderColor, backgroundColor, transform } = getComputedStyle(one)
      return [outline, boxShadow, borderColor, backgroundColor, transform].join()
    }).join()
    chain.forEach((one) => one.style.transition = 'none')
    const withFocus = look()
    element.blur()
    const without = look()
    element.focus({ focusVisible: true, preventScroll: true })
    chain.forEach((one) => one.style.transition = '')
    return withFocus !== without
  })()`)

/** Presses Tab until the focus is on what matches; every stop on the way shows its focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let stops = 0; stops < 60; stops++) {
    await page.keyboard.press('Tab')
    const here = await focused(page)
    expect(here === 'BODY' || (await focusShows(page)), `focus on "${here}"`).toBe(true)
    if (name.test(here)) return
  }
  throw new Error(`Tab does not reach ${name.source}`)
}

test('Signing in, opening a team, creating an instance and its actions work without a mouse', async () => {
  const { page } = await visitors.open(platform())
  await page.goto('/')
  await page.getByRole('button', { name: 'Login' }).waitFor()
  await page.keyboard.type('bob')
  await page.keyboard.press('Enter')
  await page.getByLabel('Password', { exact: true }).waitFor()
  await page.keyboard.type(admin.password)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/team/example-bakery/applications')
  await tabTo(page, /^Instances$/)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/team/example-bakery/instances')
  await tabTo(page, /Create Instance/)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/instances/create')
  await tabTo(page, /name/i)
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('hands-off')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Go to the instance' }).waitFor({ timeout: 30_000 })
  await tabTo(page, /^Go to the instance$/)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/instance/*/overview')
  await page.getByRole('button', { name: 'Actions' }).waitFor()
  await tabTo(page, /^Actions$/)
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Suspend' }).waitFor()
  const start = page.getByRole('menuitem', { name: 'Start', exact: true })
  expect(await page.locator(`[id="${await start.getAttribute('aria-describedby')}"]`).textContent()).toBe(
    'The instance is running.',
  )
  for (const name of ['Start', 'Restart', 'Suspend', 'Delete']) {
    await page.getByRole('menuitem', { name, exact: true }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.press('Escape')
  await expect.poll(() => focused(page)).toBe('Actions')
  // The palette comes from anywhere, and leads back there.
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Search or run' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => focused(page)).toBe('Actions')
})

test('Renaming oneself, reading the sessions and signing out work without a mouse', async () => {
  const { people } = platform()
  people.add('carla', { teamId: team.id, role: roles.owner })
  // The one session is ended here, and the other by signing out.
  await people.signIn('carla', admin.password)
  const { page } = await visitors.open(platform(), await people.signIn('carla', admin.password))
  await page.goto('/')
  await page.waitForURL('**/team/example-bakery/applications')
  await tabTo(page, /Carla Example/)
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'User Settings' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/account/settings')
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  await tabTo(page, /^Full name$/)
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('Carola Example')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /Carola Example/ }).waitFor()
  await tabTo(page, /^Delete Account$/)
  await page.keyboard.press('Enter')
  await expect.poll(() => focused(page)).toBe('Type carla to confirm')
  // A dialog listens once it has come in, which a machine that is busy with other things shows late.
  await expect
    .poll(async () => {
      if ((await focused(page)) === 'Type carla to confirm') await page.keyboard.press('Escape')
      return focused(page)
    })
    .toBe('Delete Account')
  await page.goto('/account/security/sessions')
  await page.getByText('This session').waitFor()
  await tabTo(page, /^End session/)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^End session/ }).waitFor({ state: 'detached' })
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByPlaceholder('Search or run...').waitFor()
  await page.keyboard.type('sign out')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Login' }).waitFor()
})

test('What may go once the page has read what there is takes no focus before', async () => {
  const { page } = await visitors.open(platform(), owner)
  const { promise: read, resolve: goOn } = Promise.withResolvers<void>()
  const { team: empty } = await createTeam(owner.client, 'Empty Bakery')
  await page.route(`**/api/v1/teams/${empty.id}/projects*`, async (route) => {
    await read
    await route.fallback()
  })
  await page.goto(`/team/${empty.slug}/instances`)
  await page.getByRole('heading', { name: 'Instances', level: 1 }).waitFor()
  const main = page.getByRole('main')
  await main.focus()
  // The link to the handbook stays; behind it there is nothing that may go.
  await page.keyboard.press('Tab')
  expect(await focused(page)).toBe('Learn more (opens in a new tab)')
  await page.keyboard.press('Tab')
  expect(await main.evaluate((element) => element.matches(':focus-within'))).toBe(false)
  goOn()
  await page.getByText('Get Started with your First Node-RED Instance').waitFor()
})
