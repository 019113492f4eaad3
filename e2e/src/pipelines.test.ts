import { type Instance, type Pipeline, roles, type TeamRole } from '@app/contract'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import {
  adjust,
  adjustSettings,
  admin,
  answer,
  ask,
  bringFlows,
  button,
  callsOf,
  createInstance,
  field,
  openTeam,
  screens,
  sees,
  seesDirection,
  shot,
  until,
  untilState,
  type Visitor,
} from './harness/index.ts'

const { platform, visitors, owner, team, application } = await openTeam()
let visitor: Visitor
const teamId = team.id
const applicationId = application.id
const instances: Record<string, Instance> = {}
for (const name of ['dev', 'staging', 'production'])
  instances[name] = await createInstance(owner.client, { name, applicationId })
for (const { id } of Object.values(instances)) await untilState(owner.client, id, 'running', 90_000)

const code = { type: 'function', outputs: 1, timeout: 0, noerr: 0, libs: [], initialize: '', finalize: '' }
const place = (x: number) => ({ z: 'f1', x, y: 80 })

/** Answers at /bread with a word, a credential that only the right secret opens, and a variable. */
function flow(word: string, initialize = ''): object[] {
  const func = `msg.payload = ['${word}', env.get('KEY'), env.get('SITE') || 'no site'].join(' ')\nreturn msg`
  return [
    {
      id: 'sf',
      type: 'subflow',
      name: 'Label',
      env: [{ name: 'KEY', type: 'cred' }],
      in: [{ x: 40, y: 40, wires: [{ id: 'sign' }] }],
      out: [{ x: 360, y: 40, wires: [{ id: 'sign', port: 0 }] }],
    },
    { ...code, id: 'sign', z: 'sf', name: 'label', x: 200, y: 40, wires: [[]], initialize, func },
    { id: 'f1', type: 'tab', label: 'Oven line', disabled: false, info: '' },
    {
      id: 'n1',
      type: 'http in',
      name: '',
      url: '/bread',
      method: 'get',
      upload: false,
      ...place(110),
      wires: [['n2']],
    },
    { id: 'n2', type: 'subflow:sf', name: '', env: [{ name: 'KEY', type: 'cred' }], ...place(320), wires: [['n3']] },
    { id: 'n3', type: 'http response', name: '', statusCode: '', headers: {}, ...place(520), wires: [] },
  ]
}
const says = async (name: string, text: string) =>
  until(
    async () => (await ask(platform(), name, '/bread')).body,
    (body) => body === text,
    60_000,
  )

/** Brings flows to the first instance, as its developers would. */
async function develop(word: string, initialize?: string): Promise<void> {
  await bringFlows(owner.client, instances.dev!.id, flow(word, initialize), { n2: { KEY: 'rye-42' } })
  await says('dev', `${word} rye-42 oven 1`)
}

/** Each test begins without a pipeline: an instance is in one only. */
beforeEach(async () => {
  for (const { id } of await pipelines())
    await owner.client.call('pipeline.delete', { params: { applicationId, pipelineId: id } })
  visitor = await visitors.open(platform(), owner)
})

const pipelines = async () =>
  (await owner.client.call('pipeline.list', { params: { applicationId } })).pipelines as [Pipeline]

/** A pipeline with a stage for each instance, in their order. */
async function createPipeline(): Promise<Pipeline> {
  const { id: pipelineId } = await owner.client.call('pipeline.create', {
    params: { applicationId },
    body: { name: 'Bread' },
  })
  for (const name of ['Dev', 'Staging', 'Production']) {
    const body = { name, instanceId: instances[name.toLowerCase()]!.id }
    await owner.client.call('pipeline.addStage', { params: { pipelineId }, body })
  }
  return (await pipelines())[0]
}

const list = () => `/application/${applicationId}/pipelines`
const dialog = () => visitor.page.getByRole('dialog')
const stage = (name: string) => visitor.page.getByRole('listitem', { name, exact: true })

test('[PIPE-04] [PIPE-10] [PIPE-19] A pipeline is added with a name', async () => {
  const { page } = visitor
  await page.goto(`/application/${applicationId}/instances`)
  await page.getByRole('link', { name: 'DevOps Pipelines' }).first().click()
  await sees(page.getByText('This application has no pipelines yet'))
  await shot(page, 'pipelines-none')
  await page.getByRole('link', { name: 'Add Pipeline' }).click()
  const create = button(page, 'Create Pipeline')
  expect([await create.isDisabled(), await page.locator('main').getByRole('textbox').count()]).toEqual([true, 1])
  await field(page, 'Pipeline Name').fill('Bread')
  await answer(page, `POST /api/v1/applications/${applicationId}/pipelines`, 400, {
    code: 'invalid_request',
    error: 'No room',
  })
  await create.click()
  await sees(screens.toast(page, 'Failed to create Pipeline.'))
  await page.unrouteAll()
  await create.click()
  await page.waitForURL(`**${list()}`)
  await sees(page.getByRole('heading', { name: 'Bread' }), page.getByRole('link', { name: 'Add Stage' }))
})

test('[PIPE-09] Every change of a pipeline or a stage ends on the pipelines of the application', async () => {
  const { page } = visitor
  const back = () => page.waitForURL(`**${list()}`)
  await page.goto(`${list()}/create`)
  await field(page, 'Pipeline Name').fill('Rolls')
  await button(page, 'Create Pipeline').click()
  await back()
  await page.getByRole('link', { name: 'Add Stage' }).click()
  await page.waitForURL('**/stages/create*')
  await field(page, 'Stage Name').fill('Dev')
  await field(page, 'Instance').click()
  await page.getByRole('option', { name: 'dev', exact: true }).click()
  await button(page, 'Add Stage').click()
  await back()
  await button(page, 'Edit Stage Dev').click()
  await page.waitForURL('**/edit')
  await field(page, 'Stage Name').fill('Test')
  await button(page, 'Update Stage').click()
  await back()
  await stage('Test').waitFor()
  await button(page, 'Edit Pipeline Name').click()
  await field(page, 'Pipeline Name').fill('Loaves')
  await button(page, 'Save').click()
  await sees(screens.toast(page, 'Pipeline updated.'), page.getByRole('heading', { name: 'Loaves' }))
  expect(new URL(page.url()).pathname).toBe(list())
  for (const [remove, told, left] of [
    ['Delete Stage Test', 'Stage deleted.', page.getByRole('link', { name: 'Add Stage' })],
    ['Delete Pipeline', 'Pipeline deleted.', page.getByText('This application has no pipelines yet')],
  ] as const) {
    await button(page, remove).click()
    await button(page, 'Delete').click()
    await sees(screens.toast(page, told))
    await button(page, remove).waitFor({ state: 'detached' })
    await sees(left)
    expect(new URL(page.url()).pathname).toBe(list())
  }
})

test('[PIPE-02] [PIPE-05] [PIPE-07] [PIPE-11] [PIPE-13] Stages are added one behind the other, each with an instance of its own', async () => {
  const { page } = visitor
  await owner.client.call('pipeline.create', { params: { applicationId }, body: { name: 'Bread' } })
  await page.goto(list())
  const bodies: unknown[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/stages')) bodies.push(request.postDataJSON())
  })
  for (const [name, instance] of [
    ['Dev', 'dev'],
    ['Production', 'production'],
  ] as const) {
    await page.getByRole('link', { name: 'Add Stage' }).click()
    const add = button(page, 'Add Stage')
    await add.waitFor()
    expect(await add.isDisabled()).toBe(true)
    await field(page, 'Stage Name').fill(name)
    expect(await add.isDisabled()).toBe(true)
    await field(page, 'Instance').click()
    const offered = await page.getByRole('option').allTextContents()
    expect(offered).toEqual(name === 'Dev' ? ['dev', 'staging', 'production'] : ['staging', 'production'])
    await page.getByRole('option', { name: instance }).click()
    if (name === 'Production') await shot(page, 'pipelines-stage')
    await add.click()
    await page.waitForURL(`**${list()}`)
    await stage(name).waitFor()
  }
  const [{ stages }] = await pipelines()
  expect(bodies).toEqual([
    { name: 'Dev', instanceId: instances.dev!.id, onErrors: 'pass' },
    { name: 'Production', instanceId: instances.production!.id, onErrors: 'pass', source: stages[0]!.id },
  ])
})

test('[PIPE-01] A pipeline is shown with its stages in their order, each with a link to its instance', async () => {
  const { page } = visitor
  const { id: pipelineId } = await owner.client.call('pipeline.create', {
    params: { applicationId },
    body: { name: 'Bread' },
  })
  const addStage = (name: string, instance: string, source?: string) =>
    owner.client.call('pipeline.addStage', {
      params: { pipelineId },
      body: { name, instanceId: instances[instance]!.id, ...(source ? { source } : {}) },
    })
  const dev = await addStage('Dev', 'dev')
  await addStage('Production', 'production', dev.id)
  await page.goto(list())
  await stage('Production').waitFor()
  await addStage('Staging', 'staging', dev.id)
  // Told by the platform, since it was added elsewhere.
  await stage('Staging').waitFor()
  const links = page.getByRole('list', { name: 'Stages of Bread' }).locator('dd a[href^="/instance/"]')
  expect(await links.allTextContents()).toEqual(['dev', 'staging', 'production'])
  for (const [at, name] of ['dev', 'staging', 'production'].entries())
    expect(await links.nth(at).getAttribute('href')).toBe(`/instance/${instances[name]!.id}/overview`)
  await shot(page, 'pipelines')
  // An address that is longer than its card is wide is shown whole.
  const [{ stages }] = await pipelines()
  const url = `http://${'oven-line-'.repeat(6)}staging.apps.example.com`
  await adjust(page, `/api/v1/applications/${applicationId}/pipelines`, (reply) => ({
    ...reply,
    pipelines: (reply.pipelines as Pipeline[]).map((one) => ({
      ...one,
      stages: one.stages.map((all) => ({ ...all, instances: all.instances.map((each) => ({ ...each, url })) })),
    })),
  }))
  await page.reload()
  const address = stage(stages[0]!.name).getByRole('link', { name: url.slice('http://'.length) })
  await address.waitFor()
  const [room, shown] = await Promise.all([stage(stages[0]!.name).boundingBox(), address.boundingBox()])
  expect(shown!.x + shown!.width).toBeLessThanOrEqual(room!.x + room!.width)
  const cut = await address.evaluate((node) =>
    [node, node.parentElement!].some((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth),
  )
  expect(cut).toBe(false)
})

/** Runs the stage in the browser and waits for the end of it. */
async function run(from: string, to: string, end: string): Promise<void> {
  const { page } = visitor
  await button(page, `Run Stage ${from}`).click()
  await seesDirection(dialog(), from, to)
  const [source, target] = [from.toLowerCase(), to.toLowerCase()]
  await sees(
    dialog().getByRole('heading', { name: `Push to "${to}"?` }),
    dialog().getByText(`Replaces the flows, credentials and modules of ${target} with those from ${source}.`),
  )
  await button(page, 'Push').click()
  await page.getByText(end).first().waitFor({ timeout: 90_000 })
}

test('[PIPE-03] [PIPE-14] [PIPE-17] [PIPE-18] What was developed goes to staging, and on to production; what crashes there is taken back by itself, and the page says why', async () => {
  const { page } = visitor
  const dev = { params: { instanceId: instances.dev!.id } }
  await owner.client.call('instance.update', {
    ...dev,
    body: { settings: { env: [{ name: 'SITE', value: 'oven 1' }] } },
  })
  await develop('warm')
  await createPipeline()
  await page.goto(list())
  const sent = page.waitForRequest((request) => request.method() === 'PUT')
  await button(page, 'Run Stage Dev').click()
  await sees(dialog().getByText('6 added'), dialog().getByText('SITE', { exact: true }))
  await shot(page, 'pipelines-push')
  await button(page, 'Push').click()
  // All at once, since each is there for a while only.
  const ended = page.getByText('Deployment of stage successful.').first().waitFor({ timeout: 90_000 })
  await Promise.all([
    page.getByTestId('deploying').waitFor(),
    page.getByRole('heading', { name: 'Deploying to Staging' }).waitFor(),
    page.getByText('Deploying "Dev" to "Staging".').first().waitFor(),
  ])
  await shot(page, 'pipelines-deploying')
  await ended
  expect((await sent).postDataJSON()).toMatchObject({
    sourceProject: {
      id: instances.dev!.id,
      options: { flows: true, credentials: true, nodes: true, template: false, settings: false, envVars: 'keys' },
    },
  })
  await says('staging', 'warm rye-42 no site')
  const env = [{ name: 'SITE', value: 'oven 7' }]
  const production = { params: { instanceId: instances.production!.id } }
  await owner.client.call('instance.update', { ...production, body: { settings: { env } } })
  await run('Staging', 'Production', 'Deployment of stage successful.')
  await says('production', 'warm rye-42 oven 7')

  // A function node catches what it throws itself; this is thrown outside, as by a node with a fault.
  const crash = `if (env.get('FF_INSTANCE_NAME') === 'staging') {
  const host = Buffer.constructor('return process')()
  setTimeout(() => host.nextTick(() => { throw new Error('no flour left') }), 300)
}`
  await develop('burnt', crash)
  await run('Dev', 'Staging', 'Deployment of stage failed.')
  await says('staging', 'warm rye-42 no site')
  await sees(page.getByText(/The deployment to Staging failed\. .*The previous version is back\./).first())
  await shot(page, 'pipelines-failed')
})

test('[PIPE-15] [PIPE-16] While nothing is pushed to the page, states are asked for every 5 seconds as long as something deploys; its end is told', async () => {
  const { stages } = await createPipeline()
  type Listed = { stages: typeof stages }[]
  const { id } = stages[2]!
  let deploying = true
  const marked = (is: boolean) => ({ isDeploying: is, state: is ? 'importing' : 'running' })
  const pushed = { id: 'push', createdAt: new Date().toISOString() }
  const statusPath = `/api/v1/applications/${applicationId}/instances/status`
  /** A page to which nothing is pushed, and in whose answers something deploys. */
  async function open(): Promise<Visitor> {
    const watcher = await visitors.open(platform(), owner)
    const { page } = watcher
    watcher.expectProblem(/ERR_FAILED/)
    await page.route('**/api/v1/events*', (route) => route.abort())
    await adjust(page, `/api/v1/applications/${applicationId}/pipelines`, (reply) => ({
      ...reply,
      pipelines: (reply.pipelines as Listed).map((one) => ({
        ...one,
        stages: one.stages.map((other) =>
          other.id === id
            ? {
                ...other,
                ...marked(deploying),
                lastDeployment: deploying
                  ? { ...pushed, state: 'running' }
                  : { ...pushed, state: 'done', endedAt: new Date().toISOString() },
              }
            : other,
        ),
      })),
    }))
    await adjust(page, statusPath, (reply) => ({
      ...reply,
      instances: (reply.instances as { id: string; meta: object }[]).map((one) =>
        one.id === instances.production!.id ? { ...one, meta: { ...one.meta, ...marked(deploying) } } : one,
      ),
    }))
    return watcher
  }
  const { page } = await open()
  await page.goto(list())
  await sees(page.getByTestId('deploying'))
  const times = await until(
    () => callsOf(page, statusPath),
    (calls) => calls.length === 3,
  )
  for (const [at, time] of times.slice(1).entries()) {
    expect(time - times[at]!).toBeGreaterThan(4_900)
    expect(time - times[at]!).toBeLessThan(10_000)
  }
  deploying = false
  await sees(page.getByText('Deployment of stage successful.').first())

  // Where nothing deploys any more, or nothing did, half a minute passes without another call. The page waits for
  // nothing when its time runs.
  const quietAfter = async (begin: (page: Page) => Promise<void>) => {
    const { page: idle } = await open()
    let calls = 0
    idle.on('request', (request) => (calls += Number(new URL(request.url()).pathname === statusPath)))
    await idle.clock.install()
    await idle.goto(list(), { waitUntil: 'networkidle' })
    await begin(idle)
    await idle.waitForLoadState('networkidle')
    const before = calls
    await idle.clock.runFor(30_000)
    expect(calls).toBe(before)
  }
  await quietAfter((idle) => sees(idle.getByRole('listitem', { name: 'Production', exact: true })))
  deploying = true
  await quietAfter(async (idle) => {
    await sees(idle.getByTestId('deploying'))
    deploying = false
    await idle.clock.runFor(5_000)
    await sees(idle.getByText('Deployment of stage successful.').first())
  })
})

test('[PIPE-05] [PIPE-11] [PIPE-12] A stage is changed, if something changed and nothing is missing', async () => {
  const { page } = visitor
  const { id: pipelineId, stages } = await createPipeline()
  await page.goto(list())
  await button(page, 'Edit Stage Production').click()
  await page.waitForURL(`**${list()}/${pipelineId}/stages/${stages[2]!.id}/edit`)
  const update = button(page, 'Update Stage')
  await update.waitFor()
  expect(await update.isDisabled()).toBe(true)
  expect(await field(page, 'Stage Name').inputValue()).toBe('Production')
  expect(await field(page, 'Instance').innerText()).toBe('production')
  await field(page, 'Stage Name').fill('')
  expect(await update.isDisabled()).toBe(true)
  await field(page, 'Stage Name').fill('Live')
  const sent = page.waitForRequest((request) => request.method() === 'PUT')
  await update.click()
  expect((await sent).postDataJSON()).toEqual({ name: 'Live', instanceId: instances.production!.id, onErrors: 'pass' })
  await page.waitForURL(`**${list()}`)
  await stage('Live').waitFor()
})

test('[PIPE-23] An owner deletes a stage, and renames a pipeline', async () => {
  const { page } = visitor
  await createPipeline()
  await page.goto(list())
  await button(page, 'Delete Stage Staging').click()
  await button(page, 'Delete').click()
  await sees(screens.toast(page, 'Stage deleted.'))
  await expect.poll(async () => (await pipelines())[0].stages.map(({ name }) => name)).toEqual(['Dev', 'Production'])
  await button(page, 'Edit Pipeline Name').click()
  expect(await button(page, 'Save').isDisabled()).toBe(true)
  await field(page, 'Pipeline Name').fill('Rolls')
  await button(page, 'Save').click()
  await sees(screens.toast(page, 'Pipeline updated.'), page.getByRole('heading', { name: 'Rolls' }))
})

test('[PIPE-06] [PIPE-08] The address of a pipeline leads to a new stage, that of an unknown one nowhere', async () => {
  const { page } = visitor
  const { id: pipelineId } = await createPipeline()
  await page.goto(`${list()}/${pipelineId}`)
  await page.waitForURL(`**${list()}/${pipelineId}/stages/create`)
  await page.goto(`${list()}/none/stages/create`)
  await sees(page.getByText('Page Not Found').first())
})

test('[APP-11] [PIPE-23] Members see them without the controls, viewers are told, and without the feature there are none', async () => {
  const { people } = platform()
  await createPipeline()
  async function as(name: string, role: TeamRole) {
    people.add(name, { teamId, role })
    const other = await visitors.open(platform(), await people.signIn(name, admin.password))
    await other.page.goto(list())
    return other.page
  }
  const member = await as('carol', roles.member)
  await member.getByRole('listitem', { name: 'Dev', exact: true }).waitFor()
  expect(await member.locator('main').getByRole('button').count()).toBe(0)
  expect(await member.getByRole('link', { name: /Add (Stage|Pipeline)/ }).count()).toBe(0)
  const viewer = await as('dave', roles.viewer)
  await sees(viewer.getByText('Pipelines are not available to you'))
  const { page } = visitor
  await adjustSettings(page, { features: { 'devops-pipelines': false } })
  await page.goto(list())
  await sees(page.getByText('DevOps Pipelines are not available').first())
  await sees(page.getByRole('link', { name: /DevOps Pipelines.*not available/i }))
  await page.unrouteAll()
  await page.goto(list())
  await button(page, 'Delete Pipeline').click()
  await button(page, 'Delete').click()
  await sees(screens.toast(page, 'Pipeline deleted.'), page.getByText('This application has no pipelines yet'))
})
