import type { Instance } from '@app/contract'
import { beforeAll, expect, test } from 'vitest'
import {
  admin,
  createInstance,
  createTeam,
  openConsole,
  openEditor,
  type Person,
  screens,
  sees,
  shot,
  until,
  untilState,
  visitEditor,
  type Visitor,
} from './harness/index.ts'

const { platform, visitors } = await openConsole()
let owner: Person
let visitor: Visitor
let applicationId: string
let [dev, production] = [] as unknown as [Instance, Instance]

const code = { type: 'function', outputs: 1, timeout: 0, noerr: 0, libs: [], initialize: '', finalize: '', wires: [[]] }
const web = [
  { id: 'oven', type: 'tab', label: 'Oven line', disabled: false, info: '' },
  { id: 'in', z: 'oven', x: 120, y: 80, type: 'http in', name: '', url: '/bread', method: 'get', wires: [['reply']] },
  { id: 'reply', z: 'oven', x: 320, y: 80, type: 'http response', name: '', statusCode: '', headers: {}, wires: [] },
]
const broken = { ...code, id: 'enrich', z: 'oven', x: 120, y: 160, name: 'enrich', func: 'msg.payload = {;' }
const throws = {
  ...code,
  id: 'order',
  z: 'oven',
  x: 120,
  y: 240,
  name: 'order flour',
  func: 'return msg',
  initialize: "node.error(new TypeError('no flour left'))",
}
const lacking = { id: 'plc', z: 'oven', x: 120, y: 320, type: 'oven-plc', name: 'oven PLC', wires: [[]] }

beforeAll(async () => {
  const { people } = platform()
  people.add('bob')
  owner = await people.signIn('bob', admin.password)
  const made = await createTeam(owner.client, 'Example Bakery')
  applicationId = made.application.id
  const made2 = async (name: string) => {
    const { id } = await createInstance(owner.client, { name, applicationId })
    return untilState(owner.client, id, 'running', 90_000)
  }
  ;[dev, production] = [await made2('dev'), await made2('production')]
  const params = { applicationId }
  const { id: pipelineId } = await owner.client.call('pipeline.create', { params, body: { name: 'Bread' } })
  for (const [name, { id: instanceId }] of [['Dev', dev] as const, ['Production', production] as const])
    await owner.client.call('pipeline.addStage', { params: { pipelineId }, body: { name, instanceId } })
  visitor = await visitors.open(platform(), owner)
})

const list = () => `/application/${applicationId}/pipelines`
/** Has these flows in the editor of the first stage, running or not. */
async function develop(flows: object[]): Promise<void> {
  const page = await visitEditor(visitor, dev.url)
  const status = await page.evaluate<number>(`fetch('flows', {
    method: 'POST',
    headers: {
      authorization: 'Bearer ' + RED.settings.get('auth-tokens').access_token,
      'content-type': 'application/json',
      'Node-RED-API-Version': 'v1',
    },
    body: ${JSON.stringify(JSON.stringify(flows))},
  }).then((reply) => reply.status)`)
  expect(status).toBe(204)
  await page.close()
}
/** Pushes from the first stage to the second, and waits for the end of that. */
async function push(): Promise<void> {
  const { page } = visitor
  await page.goto(list())
  await page.getByRole('button', { name: 'Run Stage Dev' }).click()
  const before = await last()
  await page.getByRole('dialog').getByRole('button', { name: /^Push/ }).click()
  await until(last, (one) => one?.id !== before?.id && one?.endedAt !== undefined, 90_000)
}
const last = async () =>
  (await owner.client.call('deployment.list', { params: { instanceId: production.id }, query: {} })).deployments[0]
const selected = (page: { evaluate<T>(text: string): Promise<T> }) =>
  page.evaluate<string>('RED.view.selection().nodes?.[0]?.id ?? ""')

test('A push that brings two errors is done, names both with their nodes, and leads to them in the editor', async () => {
  await develop([...web, broken, throws])
  await push()
  const { page } = visitor
  const stage = page.getByRole('listitem', { name: 'Production', exact: true })
  await sees(stage.getByText('with 2 errors'), page.getByText('is done with 2 errors.'))
  await sees(screens.toast(page, 'Deployment of stage done with 2 errors.'))
  await shot(page, 'pipelines-errors')
  await page.getByRole('link', { name: 'Details' }).click()
  await sees(
    page.getByText('done with 2 errors', { exact: true }),
    page.getByText('enrich (function) on Oven line:'),
    page.getByText('order flour (function) on Oven line:'),
    page.getByText('TypeError: no flour left'),
    page.getByText(/SyntaxError/).first(),
  )
  await shot(page, 'deployment-errors')
  const link = page.getByRole('link', { name: 'Open node enrich (function) on Oven line' })
  const editor = await openEditor(visitor, () => link.click())
  expect(new URL(editor.url()).host).toBe(platform().hostOf('production'))
  await sees(editor.getByText('Edit function node'))
  expect(await selected(editor)).toBe('enrich')
  await editor.close()
  await page.goto(`/instance/${production.id}/deployments`)
  await sees(page.getByText('done with 2 errors', { exact: true }))
})

test('A push of flows that do not run is refused with the type that is missing, and leads to its node where it came from', async () => {
  await develop([...web, lacking])
  const { page } = visitor
  await page.goto(`/instance/${dev.id}/overview`)
  const notice = page.getByRole('alert').filter({ hasText: 'Node-RED runs, but its flows do not.' })
  await sees(notice.getByText(/Node type oven-plc is missing/))
  await shot(page, 'instance-flows-stopped')
  await page.goto(list())
  await page.getByRole('button', { name: 'Run Stage Dev' }).click()
  await sees(page.getByRole('dialog').getByRole('button', { name: 'Push anyway' }))
  await shot(page, 'push-anyway')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  // Without that yes, as a script pushes.
  const before = await last()
  const options = { flows: true, credentials: true, nodes: true, envVars: 'keys' as const }
  const body = { sourceProject: { id: dev.id, options } }
  await owner.client.call('instance.update', { params: { instanceId: production.id }, body })
  await until(last, (one) => one?.id !== before?.id && one?.endedAt !== undefined, 90_000)
  await sees(page.getByText(/The deployment to Production.*Its flows do not run: node type oven-plc is missing/))
  await page.getByRole('link', { name: 'Details' }).click()
  await sees(page.getByText('oven PLC (oven-plc) on Oven line:'))
  await shot(page, 'deployment-refused')
  const link = page.getByRole('link', { name: 'Open node oven PLC (oven-plc) on Oven line' })
  const editor = await openEditor(visitor, () => link.click())
  expect(new URL(editor.url()).host).toBe(platform().hostOf('dev'))
  await until(
    () => selected(editor),
    (id) => id === 'plc',
  )
})

test('“Push anyway” keeps flows that do not run for the reason that the dialog named, and says so', async () => {
  await develop([...web, lacking])
  const { page } = visitor
  await page.goto(list())
  await page.getByRole('button', { name: 'Run Stage Dev' }).click()
  const before = await last()
  await page.getByRole('dialog').getByRole('button', { name: 'Push anyway' }).click()
  await until(last, (one) => one?.id !== before?.id && one?.endedAt !== undefined, 90_000)
  await page.goto(`/instance/${production.id}/deployments/${(await last())!.id}`)
  await sees(page.getByText(/Its flows do not run: node type oven-plc is missing\./).first())
  expect((await last())?.state).toBe('done')
  await shot(page, 'deployment-anyway')
  await page.goto(`/instance/${production.id}/overview`)
  await sees(page.getByRole('alert').filter({ hasText: 'Node-RED runs, but its flows do not.' }))
})

test('The dialog tells certain from possible reasons and lists each of them; a yes covers these and no others', async () => {
  const types = ['oven-a', 'oven-b', 'oven-c', 'oven-d', 'oven-e']
  await develop([...web, ...types.map((type, n) => ({ ...lacking, id: `plc${n}`, type, name: type }))])
  const { page } = visitor
  const possible = {
    kind: 'type',
    sentence: 'The node type press may be missing: no instance of the team has run a module with it yet.',
    codes: ['type:press'],
    types: ['press'],
  }
  // Only a module that has never run leaves it open.
  await page.route('**/stages/*/changes', async (route) => {
    const response = await route.fetch()
    const { foreseen, ...rest } = (await response.json()) as { foreseen: object[] }
    await route.fulfill({ response, json: { ...rest, foreseen: [...foreseen, possible] } })
  })
  await page.goto(list())
  await page.getByRole('button', { name: 'Run Stage Dev' }).click()
  const dialog = page.getByRole('dialog')
  const certain = dialog.getByRole('list', { name: 'Certain' })
  await sees(certain.getByText(/oven-c and 2 more/))
  await dialog.getByText('By continuing you accept the 5 reasons above.').waitFor()
  await dialog.getByText('Show all 5').click()
  await sees(certain.getByText('oven-e', { exact: true }))
  await shot(page, 'push-reasons')
  await dialog.getByRole('checkbox', { name: 'Continue even if press is missing' }).click()
  await sees(dialog.getByText('By continuing you accept the 6 reasons above.'))
  const before = await last()
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'PUT'),
    dialog.getByRole('button', { name: 'Push anyway' }).click(),
  ])
  const { sourceProject } = sent.postDataJSON() as { sourceProject: { allowStopped: string[] } }
  expect(sourceProject.allowStopped).toEqual([...types.map((type) => `type:${type}`), 'type:press'])
  await until(last, (one) => one?.id !== before?.id && one?.endedAt !== undefined, 90_000)
  await page.unroute('**/stages/*/changes')
})

test('A push of flows that act by themselves says that the new version is held, before and after', async () => {
  const timer = { id: 'timer', z: 'oven', x: 120, y: 160, type: 'inject', name: 'bake', repeat: '60', props: [] }
  await develop([...web, { ...timer, once: false, crontab: '', wires: [[]] }])
  const { page } = visitor
  await page.goto(list())
  await page.getByRole('button', { name: 'Run Stage Dev' }).click()
  await sees(page.getByRole('dialog').getByText(/Takeover: Held\./))
  await sees(page.getByRole('dialog').getByText(/“bake” acts by itself/))
  await shot(page, 'push-held')
  const before = await last()
  await page.getByRole('dialog').getByRole('button', { name: /^Push/ }).click()
  await until(last, (one) => one?.id !== before?.id && one?.endedAt !== undefined, 90_000)
  await page.goto(`/instance/${production.id}/deployments/${(await last())!.id}`)
  await sees(
    page.getByText(/^Held\. .*acts by itself/),
    page.getByText(/^No flows ran for \d+ ms\.$/),
    page.getByText('No messages were delayed or lost.'),
    page.getByText('Keeps serving; the new version starts with its inputs closed'),
  )
  await shot(page, 'deployment-held')
})
