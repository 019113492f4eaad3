import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { admin, ask, screens, screenshots, sees, shot, until, usePlatform, useVisitors } from './harness/index.ts'

const platform = usePlatform({ claimed: false, settings: () => ({ FORGE_STEADY_SECONDS: '0' }) })
const astray = usePlatform({ claimed: false, settings: () => ({ FORGE_INSTANCE_DOMAIN: 'apps.invalid' }) })
const visitors = useVisitors()
const steps = ['Prepare Node-RED', 'Install modules', 'Start Node-RED', 'Wait for Node-RED to answer']

async function fillAdministrator(page: Page): Promise<void> {
  await page.getByLabel('Username').fill(admin.username)
  await page.getByLabel('Full name').fill('Alice Example')
  await page.getByLabel('Email').fill(admin.email)
  await page.getByLabel('Password', { exact: true }).fill(admin.password)
  await page.getByRole('button', { name: 'Continue' }).click()
}

async function fillTeam(page: Page): Promise<void> {
  await page.getByLabel('Team name').fill('Example Bakery')
  expect(await page.getByRole('checkbox').isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Create Team' }).click()
}

test('[SHELL-01] Without the one-time link nobody can claim the platform; with it one person can, once, and has an instance that runs', async () => {
  expect(platform().server.link).toMatch(new RegExp(`^${platform().url}/setup#`))
  const { page: guest } = await visitors.open(platform())
  for (const path of ['/', '/team/create', '/setup']) {
    await guest.goto(path)
    await sees(screens.heading(guest, 'This platform is not set up yet'))
  }
  await shot(guest, 'set-up-needed')
  await guest.goto('/setup#setup_of-somebody-else')
  await guest.reload()
  await fillAdministrator(guest)
  await fillTeam(guest)
  await sees(guest.getByText('This set-up link is wrong or was used already'))

  const { page } = await visitors.open(platform())
  const tried = page.waitForResponse(/\/\/names-\d+\.localhost/)
  await page.goto(platform().server.link!)
  await screens.heading(page, 'Set up FlowForge').waitFor()
  expect((await tried).status()).toBe(404)
  await shot(page, 'set-up-administrator')
  await fillAdministrator(page)
  await screens.heading(page, 'Create your first team').waitFor()
  await shot(page, 'set-up-team')
  expect(await page.getByText('the names of instances').count()).toBe(0)
  await fillTeam(page)
  await sees(...steps.map((step) => page.getByRole('listitem').filter({ hasText: step })))
  await page.screenshot({ path: `${screenshots}/set-up-progress-desktop-light.png` })
  await page.waitForURL('**/instance/*/overview')
  await sees(screens.status(page, 'running'))
  const name = await page.getByRole('heading', { level: 1 }).innerText()
  const answer = await until(
    () => ask(platform(), name),
    ({ status }) => status === 200,
  )
  expect(answer.body).toContain('red-ui-editor')

  const { page: late } = await visitors.open(platform())
  await late.goto(platform().server.link!)
  await sees(screens.login.button(late))
  expect((await fetch(`${platform().url}/api/v1/settings`).then((reply) => reply.json())) as object).toMatchObject({
    setup: false,
  })
})

test('A browser that does not reach the names of instances is told what to do, and can go on', async () => {
  const { page } = await visitors.open(astray())
  await page.goto(astray().server.link!)
  await sees(
    page.getByText('This browser does not reach the names of instances, *.apps.invalid.'),
    page.getByText('Add a wildcard DNS record for *.apps.invalid that leads to this server.'),
    page.getByRole('link', { name: 'give each instance a port' }),
  )
  await shot(page, 'set-up-names')
  // The name service has been corrected meanwhile.
  await page.route(/\/\/names-\d+\.apps\.invalid/, (route) =>
    route.fulfill({ status: 404, json: { code: 'not_found' }, headers: { 'access-control-allow-origin': '*' } }),
  )
  await page.getByRole('button', { name: 'Try Again' }).click()
  await until(
    () => page.getByText('the names of instances').count(),
    (count) => count === 0,
  )
  await fillAdministrator(page)
  await screens.heading(page, 'Create your first team').waitFor()
})
