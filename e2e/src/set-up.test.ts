import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  admin,
  ask,
  momentOf,
  screens,
  screenshots,
  sees,
  shot,
  until,
  usePlatform,
  useVisitors,
  type Visitor,
} from './harness/index.ts'

const platform = usePlatform({ claimed: false, settings: () => ({ FORGE_STEADY_SECONDS: '0' }) })
const visitors = useVisitors()
const steps = ['Prepare Node-RED', 'Install modules', 'Start Node-RED', 'Wait for Node-RED to answer']
let visitor: Visitor

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
  await page.getByRole('button', { name: 'Create team' }).click()
}

test('Without the one-time link nobody can claim the platform', async () => {
  expect(platform().server.link).toMatch(new RegExp(`^${platform().url}/setup#`))
  const { page } = await visitors.open(platform())
  for (const path of ['/', '/team/create', '/setup']) {
    await page.goto(path)
    await sees(screens.heading(page, 'This platform is not set up yet'))
  }
  await shot(page, 'set-up-needed')
  await page.goto('/setup#setup_of-somebody-else')
  await page.reload()
  await fillAdministrator(page)
  await fillTeam(page)
  await sees(page.getByText('This set-up link is wrong or was used already'))
})

test('[SHELL-01] The link makes the administrator and a first team with a sample instance that runs', async () => {
  visitor = await visitors.open(platform())
  const { page } = visitor
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
})

test('One click gives the new instance a flow that answers, also a double click', async () => {
  const { page } = visitor
  const name = await page.getByRole('heading', { level: 1 }).innerText()
  await sees(screens.heading(page, 'Your first flow'), screens.heading(page, 'Memory'))
  await shot(page, 'first-flow')
  await page.getByRole('button', { name: 'Deploy an example' }).dblclick()
  await sees(page.getByRole('link', { name: `${platform().hostOf(name)}/hello` }))
  const { body } = await until(
    () => ask(platform(), name, '/hello?name=%3Cb%3Eyou'),
    ({ status }) => status === 200,
  )
  expect(body).toContain('Hello &lt;b&gt;you')
})

test('The link works once', async () => {
  const { page } = await visitors.open(platform())
  await page.goto(platform().server.link!)
  await sees(screens.login.button(page))
  expect((await fetch(`${platform().url}/api/v1/settings`).then((reply) => reply.json())) as object).toMatchObject({
    setup: false,
  })
})

test('The console says "running" when the instance gives its first answer', async () => {
  const { page } = visitor
  const name = await page.getByRole('heading', { level: 1 }).innerText()
  await screens.menu.choose(page, 'Actions', 'Restart')
  await sees(screens.status(page, 'restarting'))
  const shown = momentOf(page, 'running')
  await until(
    () => ask(platform(), name),
    ({ status }) => status !== 200,
  )
  await until(
    () => ask(platform(), name),
    ({ status }) => status === 200,
    30_000,
  )
  const answered = Date.now()
  const lag = (await shown) - answered
  console.log(`the console says running ${lag} ms after the first answer of the instance`)
  expect(lag).toBeLessThan(2_000)
})
