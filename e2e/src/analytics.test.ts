import type { Instance } from '@app/contract'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  admin,
  button,
  createOwner,
  field,
  type Person,
  screens,
  sees,
  shot,
  startInstance,
  untilState,
  useMailbox,
  usePlatform,
  useVisitors,
} from './harness/index.ts'

/*
 * Product analytics with a server that stands in for PostHog: it takes what browsers send and answers the calls of
 * capture and flags as PostHog documents them.
 */

interface Sent {
  api_key: string
  event?: string
  distinct_id: string
  properties?: Record<string, unknown>
}

const key = 'phc_example_bakery'
const sent: Sent[] = []
let flags: Record<string, { enabled: boolean; metadata?: { payload?: string } }> = {}
let sink: Server

beforeAll(async () => {
  sink = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', 'content-type')
    if (request.method !== 'POST') return response.end()
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => {
      const said = JSON.parse(body) as Sent
      if (request.url === '/capture/') sent.push(said)
      const answer = request.url === '/flags/?v=2' && said.api_key === key ? { flags } : { status: 1 }
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
    })
    return request
  })
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve))
})
afterAll(() => new Promise((resolve) => sink.close(resolve)))

const mailbox = useMailbox()
const platform = usePlatform({
  claimed: true,
  settings: () => ({
    ...mailbox.settings(),
    FORGE_ANALYTICS_KEY: key,
    FORGE_ANALYTICS_URL: `http://127.0.0.1:${(sink.address() as AddressInfo).port}`,
  }),
})
const quiet = usePlatform({ claimed: true, settings: () => mailbox.settings() })
const visitors = useVisitors()
let owner: Person
let application: { id: string }
let team: { id: string; slug: string }
let instance: Instance

beforeAll(async () => {
  for (const { people } of [platform(), quiet()]) people.set('user:signup', true)
  const made = await createOwner(platform())
  ;({ owner, application, team } = made)
  instance = await startInstance(owner.client, 'counted-line', application.id)
})

const eventsOf = (name: string) => sent.filter(({ event }) => event === name)

async function fillSignUp(page: Page, username: string): Promise<void> {
  for (const [label, text] of [
    ['Username', username],
    ['Email', `${username}@example.com`],
    ['Password', 'a fresh horse battery'],
  ] as const)
    await field(page, label).fill(text)
}

test('[SIGNUP-04] [SIGNUP-05] [SIGNUP-06] [SIGNUP-16] With product analytics the sign-up asks for a reason and tells it; without, it does not ask', async () => {
  const { page: elsewhere } = await visitors.open(quiet())
  await elsewhere.goto('/account/create')
  await fillSignUp(elsewhere, 'quinn')
  expect(await elsewhere.getByRole('radio').count()).toBe(0)
  expect(await button(elsewhere, 'Sign Up').isEnabled()).toBe(true)

  for (const [label, reason] of [
    ['Business Needs', 'business'],
    ['Personal Use', 'personal'],
    ['Educational Use', 'education'],
    ['Other', 'other'],
  ] as const) {
    const { page } = await visitors.open(platform())
    await page.goto('/account/create')
    await fillSignUp(page, `dora-${reason}`)
    await sees(page.getByRole('radio', { name: label }))
    expect(await button(page, 'Sign Up').isDisabled()).toBe(true)
    await page.getByRole('radio', { name: label }).click()
    if (reason === 'business') await shot(page, 'sign-up-reason')
    const [request] = await Promise.all([page.waitForRequest('**/account/register'), button(page, 'Sign Up').click()])
    expect(request.postDataJSON()).toMatchObject({ join_reason: reason })
    const told = () => eventsOf('$identify').map(({ properties }) => properties?.['$set'])
    await expect.poll(told).toContainEqual({ join_reason: reason })
    await page.close()
  }
  expect(eventsOf('$ff-user-registered')).toHaveLength(4)
})

test('[INST-78] [INST-79] The analytics server hears of an instance that is created, acted on and deleted, by ids alone', async () => {
  const { page } = await visitors.open(platform(), owner)
  const $groups = { team: team.id, application: application.id, instance: instance.id }
  await page.goto(`/instance/${instance.id}/overview`)
  for (const [action, state] of [
    ['Restart', 'running'],
    ['Suspend', 'suspended'],
    ['Start', 'running'],
  ] as const) {
    await screens.menu.choose(page, 'Actions', action)
    const event = `$ff-instance-action:${action.toLowerCase()}`
    await expect.poll(() => eventsOf(event).map(({ properties }) => properties)).toEqual([{ $groups }])
    await untilState(owner.client, instance.id, state)
    await sees(screens.status(page, state))
  }
  await screens.menu.choose(page, 'Actions', 'Delete')
  await page.getByRole('alertdialog').getByRole('textbox').fill(instance.name)
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL(`**/application/${application.id}/instances`)
  const at = expect.stringMatching(/^\d{4}-.*Z$/) as string
  const told = (event: string) => eventsOf(event).map(({ properties }) => properties)
  await expect.poll(() => told('$ff-instance-deleted')).toEqual([{ 'deleted-at': at, $groups }])

  await page.goto(`/application/${application.id}/instances/create`)
  const reply = page.waitForResponse(
    (one) => one.request().method() === 'POST' && one.url().endsWith('/api/v1/projects'),
  )
  await page.getByRole('button', { name: 'Create Instance', exact: true }).click()
  const made = (await (await reply).json()) as Instance
  await expect
    .poll(() => told('$ff-instance-created'))
    .toEqual([
      {
        'created-at': made.createdAt,
        'instance-stack': made.stack.id,
        'instance-template': made.template.id,
        $groups: { ...$groups, instance: made.id },
      },
    ])
  const me = await owner.client.call('account.get')
  const mine = sent.filter(({ event }) => event?.startsWith('$ff-instance'))
  expect(new Set(mine.map((one) => one.distinct_id))).toEqual(new Set([me.id]))
  expect(new Set(sent.map((one) => one.api_key))).toEqual(new Set([key]))
  const texts = JSON.stringify(sent)
  for (const name of [instance.name, made.name, me.username, me.email, 'example.com']) expect(texts).not.toContain(name)
})

test('[SHELL-06] [SHELL-07] With its flag on, an interview is offered once and can be booked; with it off never', async () => {
  const { people } = platform()
  const payload = JSON.stringify({
    invitationTitle: 'Talk to us',
    invitationBody: 'Half an hour about ovens.',
    bookingLink: 'https://book.example.com/',
  })
  async function arrive(name: string): Promise<Page> {
    people.add(name)
    const { page } = await visitors.open(platform(), await people.signIn(name, admin.password))
    const asked = page.waitForResponse('**/flags/?v=2')
    await page.goto('/account/teams')
    await asked
    // Not by its role: the rest of the page is hidden while a dialog is open.
    await sees(page.locator('h1', { hasText: 'Teams' }))
    return page
  }
  flags = { 'interview-bakers': { enabled: false, metadata: { payload } }, other: { enabled: true } }
  const unasked = await arrive('ulla')
  expect(await unasked.getByRole('dialog').count()).toBe(0)

  flags = { 'interview-bakers': { enabled: true, metadata: { payload } } }
  const page = await arrive('ines')
  const popup = page.getByRole('dialog', { name: 'Talk to us' })
  await sees(popup.getByText('Half an hour about ovens.'), popup.getByRole('button', { name: 'Close' }).first())
  await shot(page, 'interview')
  await page.context().route('https://book.example.com/', (route) => route.fulfill({ body: 'Choose a day' }))
  const [booking] = await Promise.all([
    page.context().waitForEvent('page'),
    popup.getByRole('button', { name: 'Book Now' }).click(),
  ])
  await booking.waitForURL('https://book.example.com/')
  await booking.close()
  await popup.waitFor({ state: 'detached' })
  const properties = { featureFlagName: 'interview-bakers' }
  for (const event of ['$interview-popup-shown', '$interview-popup-book'])
    await expect.poll(() => eventsOf(event).map((one) => one.properties)).toEqual([properties])
  await page.reload()
  await sees(screens.heading(page, 'Teams'))
  expect(await page.getByRole('dialog').count()).toBe(0)

  const other = await arrive('otto')
  const again = other.getByRole('dialog', { name: 'Talk to us' })
  await again.getByRole('button', { name: 'Close' }).last().click()
  await again.waitFor({ state: 'detached' })
  await expect.poll(() => eventsOf('$interview-popup-dismissed').map((one) => one.properties)).toEqual([properties])
})

test('Without product analytics the console asks nobody else for anything', async () => {
  const { page } = await visitors.open(quiet(), await quiet().people.signIn(admin.username, admin.password))
  const before = sent.length
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).origin))
  const [answer] = await Promise.all([
    page.waitForResponse(`${quiet().url}/account/teams`),
    page.goto('/account/teams'),
  ])
  expect(answer.headers()['content-security-policy']).not.toContain('connect-src')
  await sees(screens.heading(page, 'Teams'))
  expect(new Set(asked)).toEqual(new Set([quiet().url]))
  expect(sent.length).toBe(before)
})
