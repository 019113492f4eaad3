import { roles } from '@app/contract'
import { expect, test } from 'vitest'
import {
  admin,
  ask,
  bringFlows,
  button,
  createTeam,
  deployInEditor,
  editorUser,
  helloFlow,
  hostileFlow,
  offersOnly,
  openEditor,
  openWorkshop,
  type Person,
  postFlows,
  screens,
  sees,
  shot,
  signInThrough,
  startInstance,
  type Stop,
  until,
} from './harness/index.ts'

const { platform, visitors, owner, team, application, instance } = await openWorkshop('oven-line')

const overview = () => `/instance/${instance.id}/overview`
const openLink = { name: 'Open Editor' }

/** A person of this team with this role, signed in. */
function member(username: string, role: 5 | 10 | 30, teamId = team.id): Promise<Person> {
  const { people } = platform()
  people.add(username, { teamId, role })
  return people.signIn(username, admin.password)
}

test('[INST-12] [INST-19] [APP-03] [AUDIT-20] The owner opens the real editor without another sign-in and deploys: the flow answers, list and log have it', async () => {
  const instance = await startInstance(owner.client, 'first-line', application.id)
  const visitor = await visitors.open(platform(), owner)
  const { page } = visitor
  await page.goto(`/instance/${instance.id}/overview`)
  await sees(page.getByText('flows never deployed').first(), screens.status(page, 'running'))
  const editor = await openEditor(visitor, () => page.getByRole('link', openLink).first().click())
  expect(new URL(editor.url()).host).toBe(platform().hostOf('first-line'))
  expect(await editorUser(editor)).toMatchObject({ username: 'bob', permissions: '*' })
  await deployInEditor(editor, helloFlow)
  await editor.screenshot({ path: 'screenshots/editor-desktop.png' })

  const answer = await until(
    () => ask(platform(), 'first-line', '/hello?who=Bob'),
    ({ status }) => status === 200,
  )
  expect(answer.body).toBe('Hello Bob')
  await page.getByText('flows never deployed').first().waitFor({ state: 'detached' })
  await sees(page.locator('dt').getByText('Last Updated', { exact: true }))

  const read = () => owner.client.call('instance.auditLog', { params: { instanceId: instance.id }, query: {} })
  const { log } = await until(read, (reply) => reply.log.some(({ event }) => event === 'flows.set'))
  expect(log.find(({ event }) => event === 'flows.set')).toMatchObject({
    trigger: { type: 'user', name: 'Bob Example' },
  })
  const { versions } = await owner.client.call('version.list', { params: { instanceId: instance.id } })
  expect(versions.find(({ kind }) => kind === 'deploy')?.user?.name).toBe('Bob Example')
  await page.goto(`/instance/${instance.id}/overview`)
  await sees(page.getByText('Flows deployed').first())
  expect(await page.getByText('flows never deployed').count()).toBe(0)
  await page.goto(`/team/${team.slug}/applications`)
  const line = page.getByRole('listitem').filter({ hasText: 'first-line.localhost' })
  await sees(line.getByText('Last Updated'), line.getByText(/just now|ago/))
})

test('[PERM-72] [PERM-73] A member writes and has no action of an owner; a viewer only reads, in the editor and on every screen', async () => {
  const carol = await visitors.open(platform(), await member('carol', roles.member))
  await carol.page.goto(overview())
  const writable = await openEditor(carol, () => carol.page.getByRole('link', openLink).first().click())
  expect(await editorUser(writable)).toMatchObject({ username: 'carol', permissions: '*' })
  expect(await postFlows(writable, helloFlow)).toBe(204)

  const dave = await visitors.open(platform(), await member('dave', roles.viewer))
  await dave.page.goto(overview())
  const readable = await openEditor(dave, () => dave.page.getByRole('link', openLink).first().click())
  expect(await editorUser(readable)).toMatchObject({ username: 'dave', permissions: 'read' })
  expect(await postFlows(readable, [])).toBeGreaterThanOrEqual(401)
  expect((await ask(platform(), 'oven-line', '/hello')).body).toBe('Hello world')

  const device = await owner.client.call('device.create', {
    body: { name: 'oven-controller', type: 'Raspberry Pi 4', team: team.id },
  })
  const here = (path: string) => `/instance/${instance.id}/${path}`
  const ofDevice = (path: string) => `/device/${device.id}/${path}`
  const ofTeam = (path: string) => `/team/${team.slug}/${path}`
  const ofApplication = (path: string) => `/application/${instance.application.id}/${path}`
  const both: Stop[] = [
    [ofTeam('applications'), '1 application,'],
    [ofTeam('instances'), 'All Node-RED instances in this team'],
    [ofTeam('devices'), 'oven-controller'],
    [ofDevice('overview'), 'Connection'],
    [ofDevice('settings/environment'), 'FF_DEVICE_ID'],
    [ofDevice('settings/danger'), 'Device ID', ofDevice('settings/general')],
    [ofTeam('members/general'), 'dave'],
    [ofTeam('settings/danger'), 'oven-line', ofTeam('applications')],
    [ofApplication('settings'), 'Application ID'],
    [ofApplication('instances'), 'oven-line'],
    [here('overview'), 'Recent Activity'],
    [here('snapshots'), 'Create your First Snapshot'],
    [here('settings/environment'), 'FF_INSTANCE_ID'],
    [here('settings/danger'), 'Instance ID', here('settings/general')],
  ]
  const ofMembers = /^(Create Snapshot|Import \.env|New name|New value|Secret|Add)$/
  await carol.page.bringToFront()
  expect(await offersOnly(carol.page, both, ofMembers)).toEqual(new Set(['GET']))

  const [needsMember, needsOwner] = ['Member', 'Owner'].map((role) => `This needs at least the role ${role}`)
  // Each stop waits for something that is not on the page before.
  const ofViewers: Stop[] = [
    ...both,
    [ofTeam('library'), needsMember!],
    [here('devices'), 'Connect your First Device'],
    [ofTeam('performance'), 'oven-line'],
    [ofTeam('members/invitations'), 'dave', ofTeam('members/general')],
    [ofTeam('applications/create'), needsOwner!],
    [ofApplication('pipelines'), needsMember!],
    [ofTeam('instances/create'), needsOwner!],
    [ofApplication('logs'), 'Started flows'],
    [ofApplication('activity'), 'Instance created'],
    [ofApplication('instances/create'), needsOwner!],
    [here('logs'), 'Started flows'],
    [here('audit-log'), 'Instance created'],
    [ofApplication('pipelines/create'), needsOwner!],
    [here('history'), 'current'],
    [here('deployments'), 'Nothing Found', here('history?kind=deployments')],
    [here('performance'), 'Memory'],
  ]
  await dave.page.bringToFront()
  expect(await offersOnly(dave.page, ofViewers, /^(Only lines of|Open node) /)).toEqual(new Set(['GET']))
})

test('[TEAM-23] [TEAM-24] A dashboard user has neither the team pages nor the editor', async () => {
  const { page, context } = await visitors.open(platform(), await member('erin', roles.dashboard))
  await page.goto(`/team/${team.slug}/applications`)
  await sees(page.getByText('You have a dashboard-only role in this team.'))
  // The flows' addresses have a link, with a dashboard or without; a refusal below it would be wrong.
  const pages = page.getByRole('link', { name: `Open the pages of ${instance.name}` })
  expect(await pages.getAttribute('href')).toBe(instance.url)
  expect(await page.getByText('No Access').count()).toBe(0)
  await shot(page, 'team-no-access')
  for (const path of ['instances', 'devices', 'library', 'members/general', 'audit-log', 'settings/general']) {
    await page.goto(`/team/${team.slug}/${path}`)
    await sees(page.getByText('You have a dashboard-only role in this team.'))
    expect(await page.getByRole('navigation', { name: 'Main' }).getByRole('link').count()).toBe(0)
  }
  // Where there is nothing to open, that is said.
  const { team: empty } = await createTeam(owner.client, 'Empty')
  const fred = await visitors.open(platform(), await member('fred', roles.dashboard, empty.id))
  await fred.page.goto(`/team/${empty.slug}/applications`)
  await sees(
    fred.page.getByText('No Access').last(),
    fred.page.getByText('You have a dashboard-only role in this team.'),
  )
  await refusedByAddress(await context.newPage())
})

/** The pages of the team, its application and its instance, each with what a visitor reads over it. */
const visited = () =>
  [
    ['team', `/team/${team.slug}/applications`],
    ['application', `/application/${instance.application.id}`],
    ['instance', overview()],
  ] as const

test('[TEAM-25] [TEAM-32] [APP-18] [INST-15] A visiting administrator sees all, and whose guest they are', async () => {
  const person = await platform().people.signIn(admin.username, admin.password)
  const { page } = await visitors.open(platform(), person)
  // An administrator who is in the team is nobody's guest.
  const userId = platform().people.add('ines', { teamId: team.id, role: roles.viewer })
  await person.client.call('user.update', { params: { userId }, body: { admin: true } })
  const members = [owner, await platform().people.signIn('ines', admin.password)]
  const own = await Promise.all(members.map(async (one) => (await visitors.open(platform(), one)).page))
  for (const [noun, path] of visited()) {
    await page.goto(path)
    const banner = page.getByText(`You are viewing this ${noun} as an Administrator`, { exact: true })
    await sees(banner, page.getByText('oven-line').first())
    const without = own.map(async (at) => {
      await at.goto(path)
      await sees(at.getByText('oven-line').first())
      return at.getByText(/^You are viewing this/).count()
    })
    expect([noun, ...(await Promise.all(without))]).toEqual([noun, 0, 0])
  }
})

test('[INST-16] [INST-17] [PERM-74] A visiting administrator opens no editor', async () => {
  const person = await platform().people.signIn(admin.username, admin.password)
  const { page, context } = await visitors.open(platform(), person)
  await page.goto(overview())
  await sees(page.getByText('You are viewing this instance as an Administrator'))
  const button = page.getByRole('link', openLink).first()
  expect(await button.getAttribute('aria-disabled')).toBe('true')
  await button.hover()
  await sees(page.getByText('Unable to open editor when visiting as an admin').first())
  const { host } = new URL(instance.url)
  expect(await page.getByRole('link', { name: host }).count()).toBe(0)
  await sees(page.getByText(host).first())
  await shot(page, 'instance-visiting-administrator')
  const { page: own } = await visitors.open(platform(), owner)
  await own.goto(overview())
  await sees(own.getByRole('link', { name: host }).first())
  await refusedByAddress(await context.newPage())
})

test.each([
  ['[SHELL-19] [ACCT-01] [ACCT-02] let in', 'Allow', 'complete', /[?&]code=/],
  ['[ACCT-03] refused', 'Deny', 'reject', /[?&]error=access_denied/],
] as const)('Who asks for access is named, and %s by going there', async (_, name, verdict, ends) => {
  const { page } = await visitors.open(platform())
  // An editor asks for a sign-in, as for everybody who has no session: the request waits.
  await page.goto(`${instance.url}/auth/strategy`)
  await page.waitForURL('**/account/request/*/editor')
  const path = `/account/request/${new URL(page.url()).pathname.split('/')[3]!}`
  await page.goto(path)
  await sees(screens.login.button(page))
  await signInThrough(page, 'bob', admin.password)
  await sees(page.getByText('oven-line'), page.getByText('asks for access to your teams and projects'))
  expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
  await sees(page.getByRole('complementary', { name: 'About FlowForge' }))
  await shot(page, `access-request-${verdict}`)
  const address = `**${path.replace('request', verdict)}`
  const [request] = await Promise.all([page.waitForRequest(address), button(page, name).click()])
  expect(request.isNavigationRequest()).toBe(true)
  expect((await request.response())?.headers().location).toMatch(ends)
  await page.waitForURL(`${instance.url}/**`)
})

/** Goes straight to the instance; the sign-in through the platform must end outside the editor. */
async function refusedByAddress(page: Awaited<ReturnType<typeof visitors.open>>['page']): Promise<void> {
  await page.goto(instance.url)
  await page.waitForLoadState('networkidle')
  await expect.poll(() => page.locator('body').innerText()).toMatch(/no access|not a member|denied/i)
  expect(await page.locator('#red-ui-header-button-deploy').count()).toBe(0)
}

test('An instance can neither set a cookie for the console nor read it', async () => {
  const visitor = await visitors.open(platform(), owner)
  const { page, context } = visitor
  visitor.expectProblem(/ERR_FAILED|blocked by CORS policy/)
  await page.goto(overview())
  const editor = await openEditor(visitor, () => page.getByRole('link', openLink).first().click())
  expect(await postFlows(editor, [...helloFlow, ...hostileFlow(platform().url)])).toBe(204)
  await until(
    () => ask(platform(), 'oven-line', '/hostile'),
    ({ status }) => status === 200,
  )

  const cookies = async () =>
    (await context.cookies(platform().url)).map(({ name, value }) => `${name}=${value}`).toSorted()
  const before = await cookies()
  // The session, and what ties the sign-in to the editor to this browser.
  expect(before).toEqual([owner.cookie, expect.stringMatching(/^sign-in=/)])
  const hostile = await context.newPage()
  await hostile.goto(`${instance.url}/hostile`)
  await expect.poll(() => hostile.title()).toBe('refused')
  expect(await cookies()).toEqual(before)
  await page.reload()
  await sees(page.getByRole('link', openLink).first())
})

test('With the sign-in of the platform a dashboard user is let in to what flows serve, and a stranger is not', async () => {
  const instance = await startInstance(owner.client, 'closed-line', application.id)
  const params = { instanceId: instance.id }
  await bringFlows(owner.client, instance.id, helloFlow)
  const { meta } = await owner.client.call('instance.get', { params })
  await owner.client.call('instance.update', { params, body: { settings: { httpNodeAuth_type: 'flowforge-user' } } })
  await owner.client.call('instance.restart', { params })
  await until(
    () => owner.client.call('instance.get', { params }),
    ({ meta: now }) => now.state === 'running' && now.lastStartTime !== meta.lastStartTime,
    45_000,
  )
  const { page } = await visitors.open(platform(), await member('frank', roles.dashboard))
  await page.goto(`${instance.url}/hello?who=Frank`)
  await expect.poll(() => page.locator('body').innerText()).toBe('Hello Frank')
  platform().people.add('stranger')
  const other = await visitors.open(platform(), await platform().people.signIn('stranger', admin.password))
  await other.page.goto(`${instance.url}/hello`)
  await expect.poll(() => other.page.locator('body').innerText()).toMatch(/no access|not a member|denied/i)
  expect((await ask(platform(), 'closed-line', '/hello')).status).toBe(401)
})
