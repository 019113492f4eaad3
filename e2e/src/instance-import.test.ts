import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import {
  ask,
  bringFlows,
  helloFlow,
  openTeam,
  screens,
  sees,
  seesDirection,
  shot,
  startInstance,
  until,
  untilState,
  type Visitor,
} from './harness/index.ts'

const { platform, visitors, owner, application } = await openTeam()
let visitor: Visitor

beforeEach(async () => {
  visitor = await visitors.open(platform(), owner)
})

const secret = 'some secret'
/** Credentials as Node-RED keeps them in the file beside the flows. */
function sealed(credentials: object): { $: string } {
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-ctr', createHash('sha256').update(secret).digest(), iv)
  const text = cipher.update(JSON.stringify(credentials), 'utf8', 'base64') + cipher.final('base64')
  return { $: iv.toString('hex') + text }
}
/** Answers with a credential: that of a subflow, which nodes in it read like a variable. */
const signFlow = [
  {
    id: 'sf',
    type: 'subflow',
    name: 'Sign',
    env: [{ name: 'KEY', type: 'cred' }],
    in: [{ x: 40, y: 40, wires: [{ id: 'read' }] }],
    out: [{ x: 360, y: 40, wires: [{ id: 'read', port: 0 }] }],
  },
  { ...helloFlow[2], id: 'read', z: 'sf', func: "msg.payload = env.get('KEY'); return msg", wires: [[]] },
  helloFlow[0],
  { ...helloFlow[1], wires: [['sign']] },
  {
    id: 'sign',
    type: 'subflow:sf',
    z: 'f1',
    name: '',
    env: [{ name: 'KEY', type: 'cred' }],
    x: 320,
    y: 80,
    wires: [['n3']],
  },
  helloFlow[3],
]

test('[INST-49] [INST-51] [INST-67] A flow file takes the place of the flows', async () => {
  const { page } = visitor
  const filled = await startInstance(owner.client, 'filled-line', application.id)
  await bringFlows(owner.client, filled.id, helloFlow)
  const file = (text: string) => ({ name: 'flows.json', mimeType: 'application/json', buffer: Buffer.from(text) })
  await page.goto(`/instance/${filled.id}/settings/general`)
  await page.getByRole('button', { name: 'Import Instance' }).click()
  await seesDirection(page.getByRole('dialog'), 'Flow file', /filled-line[^]*Current flows/)
  await sees(page.getByRole('dialog').getByText('Replaces the flows of filled-line with those from the file.'))
  const send = page.getByRole('button', { name: 'Import', exact: true })
  for (const [text, fault] of [
    ['some text', 'Not JSON'],
    ['{}', 'Does not look like a flow file'],
  ]) {
    await page.getByLabel('Flow file').setInputFiles(file(text!))
    await sees(page.getByText(fault!))
    expect(await send.isDisabled()).toBe(true)
  }
  expect(await page.getByLabel('Credentials secret').isDisabled()).toBe(true)
  await page.getByLabel('Credentials file').setInputFiles(file(JSON.stringify(sealed({ sign: { KEY: 'rye-43' } }))))
  await page.getByLabel('Flow file').setInputFiles(file(JSON.stringify(signFlow)))
  expect(await send.isDisabled()).toBe(true)
  await page.getByLabel('Credentials secret').fill('some other secret')
  await send.click()
  await sees(page.getByText('Failed to import flows.').last())
  await page.getByLabel('Credentials secret').fill(secret)
  await shot(page, 'instance-import')
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/import')) sent.push(request.method())
  })
  // A key that is pressed twice sends once.
  await send.focus()
  await Promise.all([page.keyboard.press('Enter'), page.keyboard.press('Enter')])
  await sees(screens.toast(page, 'Importing flows.'))
  await sees(screens.toast(page, 'Instance flows imported.'))
  expect(sent).toEqual(['POST'])
  await untilState(owner.client, filled.id, 'running')
  await until(
    () => ask(platform(), filled.name, '/hello'),
    ({ body }) => body === 'rye-43',
  )
})

test('[INST-04] [INST-44] [INST-68] A copy has the flows, whose credentials it can read, and its own address', async () => {
  const { page } = visitor
  const model = await startInstance(owner.client, 'model-line', application.id)
  await bringFlows(owner.client, model.id, signFlow as object[], { sign: { KEY: 'rye-43' } })
  await page.goto(`/instance/${model.id}/settings/general`)
  await page.getByRole('link', { name: 'Duplicate Instance' }).click()
  await sees(screens.heading(page, 'Duplicate model-line'))
  await page.getByLabel('Instance name').fill('oven-copy')
  await page.getByRole('checkbox', { name: 'Flows' }).click()
  expect(await page.getByRole('checkbox', { name: 'Credentials' }).isDisabled()).toBe(true)
  await page.getByRole('checkbox', { name: 'Flows' }).click()
  await page.getByRole('checkbox', { name: 'Credentials' }).click()
  await page.getByRole('checkbox', { name: 'Environment variables' }).click()
  await shot(page, 'instance-duplicate')
  await page.getByRole('button', { name: 'Duplicate Instance' }).click()
  await sees(screens.toast(page, 'Instance successfully duplicated.'))
  const answer = await until(
    () => ask(platform(), 'oven-copy', '/hello'),
    ({ status }) => status === 200,
    45_000,
  )
  expect(answer.body).toBe('rye-43')
})
