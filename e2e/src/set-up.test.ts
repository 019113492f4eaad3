import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { admin, ask, screens, screenshots, sees, shot, until, usePlatform, useVisitors } from './harness/index.ts'

const platform = usePlatform({ claimed: false, settings: () => ({ FORGE_STEADY_SECONDS: '0' }) })
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
  await page.goto(platform().server.link!)
  await screens.heading(page, 'Set up FlowForge').waitFor()
  await shot(page, 'set-up-administrator')
  await fillAdministrator(page)
  await screens.heading(page, 'Create your first team').waitFor()
  await shot(page, 'set-up-team')
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
