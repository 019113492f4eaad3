import { roles } from '@app/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  admin,
  button,
  createInstance,
  createTeam,
  openConsole,
  screens,
  sees,
  shot,
  startInstance,
  untilState,
} from './harness/index.ts'

const { platform, visitors } = await openConsole()
platform().people.add('bob')
const owner = await platform().people.signIn('bob', admin.password)

/** A team of its own for each test, with an application; who opens it is its owner. */
async function arrive(teamName: string) {
  const made = await createTeam(owner.client, teamName)
  const add = (name: string) => owner.client.call('application.create', { body: { name, teamId: made.team.id } })
  return { ...made, add, page: (await visitors.open(platform(), owner)).page }
}

/** The pages of an application's logs, and what each asks an instance for. */
const logs = [
  ['activity', 'audit-log'],
  ['logs', 'logs'],
] as const
const asksFor = (page: Page, id: string, path: string) =>
  page.waitForRequest((request) => new URL(request.url()).pathname === `/api/v1/projects/${id}/${path}`)

test('[APP-01] The number of its instances stands beside each application', async () => {
  const { page, team, application, add } = await arrive('Bakery of counts')
  const lone = await add('Cold store')
  await add('Mill')
  for (const name of ['press-count', 'oven-count'])
    await createInstance(owner.client, { name, applicationId: application.id })
  await createInstance(owner.client, { name: 'cooler-count', applicationId: lone.id })
  await page.goto(`/team/${team.slug}/applications`)
  for (const [name, count] of [
    ['Oven line', '2 instances'],
    ['Cold store', '1 instance'],
    ['Mill', '0 instances'],
  ] as const) {
    const card = page.locator('section').filter({ has: page.getByRole('link', { name, exact: true }) })
    await sees(card.getByText(count, { exact: true }).first())
  }
})

test('[APP-10] The menu of an application has its five pages', async () => {
  const { page, application: line } = await arrive('Bakery of pages')
  await page.goto(`/application/${line.id}`)
  await sees(screens.heading(page, 'Oven line'))
  const links = page.getByRole('navigation', { name: 'Main' }).locator(`a[href^="/application/${line.id}/"]`)
  expect((await links.allInnerTexts()).map((text) => text.trim())).toEqual([
    'Node-RED Instances',
    'DevOps Pipelines',
    'Node-RED Logs',
    'Audit Log',
    'Settings',
  ])
  for (const [path, label] of [
    ['logs', 'Node-RED Logs'],
    ['activity', 'Audit Log'],
    ['settings', 'Settings'],
  ] as const) {
    await page.goto(`/application/${line.id}/${path}`)
    // Below the name of the application stands which page of it this is.
    const heading = page.getByRole('heading', { level: 1, name: 'Oven line' })
    await sees(heading.locator('xpath=../..').getByText(label, { exact: true }))
  }
})

test('[APP-32] The audit log and the logs are those of the first instance, or of the one that is chosen', async () => {
  const { page, application: line } = await arrive('Bakery of logs')
  const second = await startInstance(owner.client, 'press-line', line.id)
  const first = await startInstance(owner.client, 'oven-line', line.id)
  for (const [place, path] of logs) {
    const asked = (id: string) => asksFor(page, id, path)
    await Promise.all([asked(first.id), page.goto(`/application/${line.id}/${place}`)])
    const choice = page.getByRole('combobox', { name: 'Application Instance:' })
    await expect.poll(() => choice.innerText()).toContain('oven-line')
    await choice.click()
    await Promise.all([asked(second.id), page.getByRole('option', { name: 'press-line' }).click()])
    await expect.poll(() => choice.innerText()).toContain('press-line')
  }
  await page.getByRole('link', { name: /running.*open press-line/s }).click()
  await page.waitForURL(`**/instance/${second.id}/overview`)
})

test('[APP-32] Where the first instance is stopped, the logs are those of the first that runs', async () => {
  const { page, application: line } = await arrive('Bakery of stopped ones')
  const running = await startInstance(owner.client, 'press-stopped', line.id)
  const stopped = await startInstance(owner.client, 'oven-stopped', line.id)
  await owner.client.call('instance.suspend', { params: { instanceId: stopped.id } })
  await untilState(owner.client, stopped.id, 'suspended')
  for (const [place, path] of logs) {
    await Promise.all([asksFor(page, running.id, path), page.goto(`/application/${line.id}/${place}`)])
    const choice = page.getByRole('combobox', { name: 'Application Instance:' })
    await expect.poll(() => choice.innerText()).toContain('press-stopped')
  }
})

test('[APP-32] An application without instances says so in place of its logs', async () => {
  const { page, application: empty } = await arrive('Bakery without instances')
  for (const [place, text] of [
    ['activity', 'No Activity Found'],
    ['logs', 'Choose an instance to see its logs.'],
  ] as const) {
    await page.goto(`/application/${empty.id}/${place}`)
    await sees(page.getByText(text))
  }
})

test('[APP-20] [APP-33] The settings show what an application is, and change it for owners', async () => {
  const { page, application: line, add } = await arrive('Bakery of settings')
  await createInstance(owner.client, { name: 'oven-settings', applicationId: line.id })
  const empty = await add('Mill')
  await page.goto(`/application/${line.id}/settings`)
  await sees(
    screens.heading(page, 'Application Settings'),
    screens.heading(page, 'Application Details'),
    page.getByText(line.id, { exact: true }),
    page.getByRole('navigation', { name: 'Application settings' }).getByRole('link', { name: 'General' }),
    screens.heading(page, 'Delete Application'),
    page.getByText('An application with instances cannot be deleted. Delete its instances first.'),
  )
  expect(await button(page, 'Delete Application').isDisabled()).toBe(true)
  await shot(page, 'application-settings-general')
  await button(page, 'Edit Application Name').click()
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.fill(' ')
  expect(await button(page, 'Save').isDisabled()).toBe(true)
  await name.fill('Other')
  expect(await button(page, 'Save').isEnabled()).toBe(true)
  await button(page, 'Cancel').click()
  await sees(button(page, 'Edit Application Name'))
  await page.goto(`/application/${empty.id}/settings`)
  await sees(page.getByText('The application has no instances and can be deleted.'))
  await expect.poll(() => button(page, 'Delete Application').isEnabled()).toBe(true)
})

test('[APP-15] [APP-21] An application is renamed, and deleted by who types its name', async () => {
  const { page, application } = await arrive('Bakery of ends')
  await page.goto(`/application/${application.id}/settings`)
  await button(page, 'Edit Application Name').click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Last line')
  await button(page, 'Save').click()
  await sees(screens.heading(page, 'Last line'))
  await button(page, 'Delete Application').click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByRole('textbox').fill('Last')
  expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill('Last line')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL(/\/team\/[^/]+\/applications$/)
})

test('[APP-33] The settings of an application offer members no change', async () => {
  const { team, application: empty } = await arrive('Bakery of members')
  platform().people.add('mia', { teamId: team.id, role: roles.member })
  const { page } = await visitors.open(platform(), await platform().people.signIn('mia', admin.password))
  await page.goto(`/application/${empty.id}/settings`)
  await sees(page.getByText(empty.id, { exact: true }))
  for (const absent of ['Edit Application Name', 'Delete Application'])
    expect([absent, await button(page, absent).count()]).toEqual([absent, 0])
})
