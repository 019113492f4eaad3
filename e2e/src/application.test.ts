import { type Application, type Instance, roles, type Team } from '@app/contract'
import { beforeAll, expect, test } from 'vitest'
import {
  admin,
  button,
  createInstance,
  createTeam,
  type Person,
  screens,
  sees,
  shot,
  untilState,
  usePlatform,
  useVisitors,
  type Visitor,
} from './harness/index.ts'

const platform = usePlatform({ claimed: true })
const visitors = useVisitors()
let owner: Person
let visitor: Visitor
let team: Team
let line: { id: string }
let lone: Application
let empty: Application
let first: Instance
let second: Instance

beforeAll(async () => {
  platform().people.add('bob')
  owner = await platform().people.signIn('bob', admin.password)
  const made = await createTeam(owner.client, 'Example Bakery')
  team = made.team
  line = made.application
  const add = async (name: string) => owner.client.call('application.create', { body: { name, teamId: team.id } })
  ;[lone, empty] = [await add('Cold store'), await add('Mill')]
  const ids = []
  for (const name of ['press-line', 'oven-line'])
    ids.push((await createInstance(owner.client, { name, applicationId: line.id })).id)
  await createInstance(owner.client, { name: 'cooler', applicationId: lone.id })
  ;[second, first] = [
    await untilState(owner.client, ids[0]!, 'running'),
    await untilState(owner.client, ids[1]!, 'running'),
  ]
  visitor = await visitors.open(platform(), owner)
})

test('[APP-01] The number of its instances stands beside each application', async () => {
  const { page } = visitor
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
  const { page } = visitor
  await page.goto(`/application/${line.id}`)
  await sees(page.getByRole('table').getByText('oven-line'))
  const links = page.getByRole('navigation', { name: 'Main' }).locator(`a[href^="/application/${line.id}/"]`)
  expect((await links.allInnerTexts()).map((text) => text.trim())).toEqual([
    'Node-RED Instances',
    'DevOps Pipelines',
    'Node-RED Logs',
    'Audit Log',
    'Settings',
  ])
})

test('[APP-32] The audit log and the logs are those of the first instance, or of the one that is chosen', async () => {
  const { page } = visitor
  for (const [place, path] of [
    ['activity', 'audit-log'],
    ['logs', 'logs'],
  ] as const) {
    const asked = (id: string) =>
      page.waitForRequest((request) => new URL(request.url()).pathname === `/api/v1/projects/${id}/${path}`)
    await Promise.all([asked(first.id), page.goto(`/application/${line.id}/${place}`)])
    const choice = page.getByRole('combobox', { name: 'Application Instance:' })
    await expect.poll(() => choice.innerText()).toContain('oven-line')
    await choice.click()
    await Promise.all([asked(second.id), page.getByRole('option', { name: 'press-line' }).click()])
    await expect.poll(() => choice.innerText()).toContain('press-line')
  }
  await page.getByRole('link', { name: /running.*open press-line/s }).click()
  await page.waitForURL(`**/instance/${second.id}/overview`)
  for (const [place, text] of [
    ['activity', 'No Activity Found'],
    ['logs', 'Choose an instance to see its logs.'],
  ] as const) {
    await page.goto(`/application/${empty.id}/${place}`)
    await sees(page.getByText(text))
  }
})

test('[APP-20] [APP-33] The settings show what an application is, and change it for owners', async () => {
  const { page } = visitor
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

  platform().people.add('mia', { teamId: team.id, role: roles.member })
  const member = await visitors.open(platform(), await platform().people.signIn('mia', admin.password))
  await member.page.goto(`/application/${empty.id}/settings`)
  await sees(member.page.getByText(empty.id, { exact: true }))
  for (const absent of ['Edit Application Name', 'Delete Application'])
    expect([absent, await button(member.page, absent).count()]).toEqual([absent, 0])
  await member.context.close()
})
