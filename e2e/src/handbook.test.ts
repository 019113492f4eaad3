import { expect, test } from 'vitest'
import { admin, openWorkshop, screens, sees, shot } from './harness/index.ts'

/* The handbook that the platform serves itself: the ways into it, its search, and how it looks. */

const { platform, visitors, owner, instance } = await openWorkshop('oven-line')
const instanceId = instance.id

test('[SHELL-26] [SHELL-27] [SHELL-41] Documentation in the menu and /help open the handbook of this version', async () => {
  const { page, context } = await visitors.open(platform(), owner)
  await page.goto('/account/settings')
  await page.getByRole('button', { name: /Bob Example/ }).click()
  const [handbook] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('menuitem', { name: 'Documentation', exact: true }).click(),
  ])
  await sees(handbook.getByRole('heading', { name: 'FlowForge Docs', level: 1 }))
  await sees(handbook.getByText(/^v\d+\.\d+\.\d+/))
  await shot(handbook, 'handbook-overview')
  await page.goto('/help')
  await page.waitForURL('**/docs/')
})

test('Search finds a word, and the keyboard opens what it found', async () => {
  const { page } = await visitors.open(platform())
  await page.goto('/docs/')
  await page.keyboard.press('/')
  const search = page.getByRole('searchbox', { name: 'Search the handbook' })
  await search.fill('passphrase')
  const results = page.getByRole('dialog').getByRole('link')
  await sees(results.first(), page.getByText(/\d+ results/))
  await shot(page, 'handbook-search')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/docs\/(backup|settings)/)
  await page.keyboard.press('Control+k')
  await search.fill('zzzz')
  await sees(page.getByText('No results for “zzzz”'))
  await page.keyboard.press('Escape')
  await search.waitFor({ state: 'hidden' })
})

test('A page of the console links to the section that explains it', async () => {
  const { page, context } = await visitors.open(platform(), owner)
  for (const [path, section, heading] of [
    ['settings/security', 'instance-settings#security', 'Security'],
    ['snapshots', 'snapshots', 'Snapshots'],
  ]) {
    await page.goto(`/instance/${instanceId}/${path}`)
    const [handbook] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Learn more (opens in a new tab)' }).click(),
    ])
    await handbook.waitForURL(`**/docs/${section}`)
    await sees(handbook.getByRole('heading', { name: heading!, exact: true }))
    expect(await handbook.getByRole('heading', { name: heading!, exact: true }).isVisible()).toBe(true)
  }
})

test('An address without a page says so, with the way back', async () => {
  const { page } = await visitors.open(platform())
  const answer = await page.goto('/docs/no-such-page')
  expect(answer?.status()).toBe(404)
  await sees(screens.heading(page, 'Page not found'))
  await shot(page, 'handbook-not-found')
  await page.getByRole('link', { name: 'overview', exact: true }).click()
  await sees(page.getByRole('heading', { name: 'FlowForge Docs', level: 1 }))
})

test('Everything can be read without a script, the menu of a phone included', async () => {
  const { context } = await visitors.open(platform())
  const plain = await context.browser()!.newContext({
    baseURL: platform().url,
    javaScriptEnabled: false,
    viewport: { width: 390, height: 844 },
  })
  const page = await plain.newPage()
  await page.goto('/docs/')
  await page.getByRole('link', { name: 'Open navigation' }).click()
  const menu = page.getByRole('navigation', { name: 'Handbook' })
  await sees(menu)
  await menu.getByRole('link', { name: 'Concepts' }).click()
  await sees(page.getByRole('heading', { name: 'Concepts', level: 1 }))
  await plain.close()
})

test('Pages of every kind are readable in both themes and on a phone', { timeout: 180_000 }, async () => {
  const { page } = await visitors.open(platform(), await platform().people.signIn(admin.username, admin.password))
  for (const path of [
    'concepts',
    'quick-start',
    'pipelines',
    'troubleshooting',
    'api',
    'api-team',
    'settings',
    'health',
  ]) {
    await page.goto(`/docs/${path}`)
    await sees(page.getByRole('main').getByRole('heading', { level: 1 }))
    await shot(page, `handbook-${path}`)
  }
})
