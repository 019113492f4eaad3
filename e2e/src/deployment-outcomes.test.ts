import type { Instance } from '@app/contract'
import { beforeEach, expect, test } from 'vitest'
import {
  ask,
  button,
  openTeam,
  screens,
  sees,
  shot,
  startInstance,
  until,
  untilState,
  type Visitor,
} from './harness/index.ts'

const { platform, visitors, owner, application } = await openTeam()
let visitor: Visitor
const applicationId = application.id
const dev = await suspended('dev')

const at = (x: number, y: number) => ({ z: 'oven', x, y })
const code = { type: 'function', outputs: 1, timeout: 0, noerr: 0, finalize: '', wires: [[]] }
/** Answers at /bread with a word. */
const bread = (word: string): object[] => [
  { id: 'oven', type: 'tab', label: 'Oven line', disabled: false, info: '' },
  { id: 'in', ...at(120, 80), type: 'http in', name: '', url: '/bread', method: 'get', wires: [['word']] },
  { id: 'word', ...at(300, 80), type: 'template', name: '', field: 'payload', template: word, wires: [['out']] },
  { id: 'out', ...at(480, 80), type: 'http response', name: '', statusCode: '', headers: {}, wires: [] },
]

/** Each test begins without a pipeline: an instance is in one only. */
beforeEach(async () => {
  const { pipelines } = await owner.client.call('pipeline.list', { params: { applicationId } })
  for (const { id } of pipelines)
    await owner.client.call('pipeline.delete', { params: { applicationId, pipelineId: id } })
  visitor = await visitors.open(platform(), owner)
})

async function suspended(name: string): Promise<Instance> {
  const { id } = await startInstance(owner.client, name, applicationId)
  await owner.client.call('instance.suspend', { params: { instanceId: id } })
  return untilState(owner.client, id, 'suspended')
}
const last = async ({ id }: { id: string }) =>
  (await owner.client.call('deployment.list', { params: { instanceId: id }, query: {} })).deployments[0]

async function bring(one: Instance, flows: object[]): Promise<void> {
  await owner.client.call('instance.import', {
    params: { instanceId: one.id },
    body: { flows: JSON.stringify(flows) },
  })
  const end = await until(
    () => last(one),
    (found) => found?.endedAt !== undefined,
    90_000,
  )
  expect(end?.state).toBe('done')
}

/** A pipeline from dev to this instance, opened in the browser; `Push` is pressed and the end of it waited for. */
async function push(to: Instance, stage: string, end: string): Promise<void> {
  const params = { applicationId }
  const { id: pipelineId } = await owner.client.call('pipeline.create', { params, body: { name: 'Bread' } })
  for (const [name, { id: instanceId }] of [['Dev', dev] as const, [stage, to] as const])
    await owner.client.call('pipeline.addStage', { params: { pipelineId }, body: { name, instanceId } })
  const { page } = visitor
  await page.goto(`/application/${applicationId}/pipelines`)
  await button(page, 'Run Stage Dev').click()
  await button(page, 'Push').click()
  await page.getByText(end).first().waitFor({ timeout: 90_000 })
}
const stageCard = (name: string) => visitor.page.getByRole('listitem', { name, exact: true })

/** Asks over and over until told to end; tells the words that were answered, and what was no answer. */
function customers(name: string) {
  let isOver = false
  const words = new Set<string>()
  const done = (async () => {
    while (!isOver) {
      const { status, body } = await ask(platform(), name, '/bread')
      words.add(status === 200 ? body : `${status} ${body}`)
    }
    return words
  })()
  return async () => {
    isOver = true
    return done
  }
}

/** The first process of an instance that starts has the oven. */
const takesOven = {
  ...code,
  id: 'oven-lock',
  ...at(120, 160),
  name: 'take the oven',
  func: 'return msg',
  libs: [{ var: 'fs', module: 'fs' }],
}

test('Of two replicas the second refuses a push: both serve what was there before, nobody goes without an answer, and the page says why', async () => {
  const production = await startInstance(owner.client, 'production', applicationId)
  const params = { instanceId: production.id }
  await bring(production, bread('yesterday'))
  await owner.client.call('instance.update', { params, body: { onErrors: 'refuse' } })
  await owner.client.call('ha.enable', { params, body: { replicas: 2 } })
  const replicas = () =>
    until(
      () => owner.client.call('instance.get', { params }),
      ({ meta }) => meta.state === 'running' && meta.replicas?.every(({ state }) => state === 'running') === true,
      60_000,
    )
  await replicas()
  const file = JSON.stringify(`${platform().home}/instances/${production.id}/user/oven`)
  const initialize = `try { fs.writeFileSync(${file}, '', { flag: 'wx' }) }
catch { node.error('The oven is taken by the other replica') }`
  await bring(dev, [...bread('today'), { ...takesOven, initialize }])

  const served = customers('production')
  await push(production, 'Production', 'Deployment of stage failed.')
  const { page } = visitor
  await sees(stageCard('Production').getByText(', failed'))
  await shot(page, 'pipelines-replica-refused')
  expect(await last(production)).toMatchObject({
    state: 'failed',
    reason: expect.stringMatching(
      /^The second replica \(\w{4}\) did not pass: .*take the oven.*The oven is taken by the other replica/,
    ) as string,
  })
  await page.getByRole('link', { name: 'Details' }).click()
  await sees(
    page.getByText('The oven is taken by the other replica').first(),
    page.getByText('The previous version is back.').first(),
    page.getByText('take the oven (function) on Oven line:'),
  )
  await shot(page, 'deployment-replica-refused')
  await replicas()
  const words = await served()
  // The first replica served what it brought until the second refused it.
  expect(words).toEqual(new Set(['yesterday', 'today']))
  for (let time = 0; time < 4; time += 1) expect((await ask(platform(), 'production', '/bread')).body).toBe('yesterday')
  await page.goto(`/instance/${production.id}/settings/ha`)
  await sees(page.getByRole('heading', { name: 'Replicas' }))
  await shot(page, 'instance-settings-ha-refused')

  await owner.client.call('instance.update', { params, body: { onErrors: 'pass' } })
  await bring(dev, [...bread('tomorrow'), { ...takesOven, initialize: "node.error('The oven is cold')" }])
  await page.goto(`/application/${applicationId}/pipelines`)
  await button(page, 'Run Stage Dev').click()
  await button(page, 'Push').click()
  await page.getByText('Deployment of stage done with 1 error.').first().waitFor({ timeout: 90_000 })
  await page.getByRole('link', { name: 'Details' }).click()
  await sees(page.getByRole('link', { name: 'Log of take the oven (function) on Oven line' }))
  await sees(page.getByText('One replica keeps serving while the other is replaced').first())
  // Neither the editor of two replicas nor that of a suspended instance opens.
  expect(await page.getByRole('link', { name: /^Open node/ }).count()).toBe(0)
  await shot(page, 'deployment-replicas-errors')
}, 300_000)

test('A push to an instance that does not run is not judged, and its next start judges it', async () => {
  const spare = await suspended('spare')
  const throws = { ...code, id: 'order', ...at(120, 160), name: 'order flour', func: 'return msg', libs: [] }
  const initialize = "node.error(new TypeError('no flour left'))"
  await bring(dev, [...bread('today'), { ...throws, initialize }])
  await push(spare, 'Spare', 'its flows were not judged')
  const { page } = visitor
  await sees(stageCard('Spare').getByText('not judged'))
  await shot(page, 'pipelines-not-judged')
  await page.getByRole('link', { name: 'Details' }).click()
  await sees(
    page.getByText('done, not judged', { exact: true }),
    page
      .getByRole('main')
      .getByText('The instance does not run, so its flows were not judged. Its next start judges them.'),
  )
  await shot(page, 'deployment-not-judged')
  const { href } = new URL(page.url())

  await page.goto(`/instance/${spare.id}/deployments`)
  await sees(page.getByText('done, not judged', { exact: true }))
  await page.goto(`/instance/${spare.id}/overview`)
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Start', exact: true }).click()
  await sees(screens.status(page, 'running'))
  await until(
    () => last(spare),
    (found) => found?.verdict === 'running',
    30_000,
  )
  await page.goto(href)
  await sees(
    page.getByText('done with 1 error', { exact: true }),
    page.getByText('order flour (function) on Oven line:'),
    page.getByText('TypeError: no flour left'),
  )
  expect(await page.getByText('were not judged').count()).toBe(0)
  await shot(page, 'deployment-judged-later')
}, 240_000)
