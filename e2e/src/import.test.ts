import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { admin, ask, createInstance, createTeam, openConsole, sees, shot, until, untilState } from './harness/index.ts'

const { platform, visitors } = await openConsole()
const { people } = platform()
people.add('bob')
const owner = await people.signIn('bob', admin.password)
const made = await createTeam(owner.client, 'Example Bakery')
const { id } = await createInstance(owner.client, { name: 'moved-in', applicationId: made.application.id })
await untilState(owner.client, id, 'running')

/** As a Node-RED of one's own writes them: the flows, and beside them its credentials under its secret. */
const secret = 'of a Node-RED elsewhere'
const at = (x: number, y: number) => ({ z: 'tab', x, y })
const flows = [
  { id: 'tab', type: 'tab', label: 'Oven 3' },
  { id: 'in', type: 'http in', ...at(120, 80), url: '/seven', method: 'get', wires: [['dice']] },
  {
    id: 'dice',
    type: 'random',
    ...at(280, 80),
    name: 'dice',
    low: '7',
    high: '7',
    inte: 'true',
    property: 'payload',
    wires: [['mean']],
  },
  {
    id: 'mean',
    type: 'smooth',
    ...at(440, 80),
    name: 'mean',
    property: 'payload',
    action: 'max',
    count: '2',
    round: '',
    mult: 'single',
    wires: [['date']],
  },
  {
    id: 'date',
    type: 'moment',
    ...at(600, 80),
    name: 'date',
    topic: '',
    input: '',
    inputType: 'date',
    inTz: 'Etc/UTC',
    adjAmount: 0,
    adjType: 'days',
    adjDir: 'add',
    format: '',
    locale: 'C',
    output: 'at',
    outputType: 'msg',
    outTz: 'Etc/UTC',
    wires: [['text']],
  },
  {
    id: 'text',
    type: 'function',
    ...at(760, 80),
    name: 'text',
    func: 'msg.payload = `${msg.payload} ${String(msg.at).slice(0, 2)} ${typeof nanoid.nanoid}`\nreturn msg',
    outputs: 1,
    libs: [{ var: 'nanoid', module: 'nanoid@3' }],
    wires: [['out']],
  },
  {
    id: 'broken',
    type: 'function',
    ...at(280, 160),
    name: 'enrich',
    func: 'msg.payload = {;\nreturn msg',
    outputs: 1,
    libs: [],
    wires: [[]],
  },
  { id: 'broker', type: 'mqtt-broker', name: 'Plant', broker: '${PLANT_BROKER}', port: '1883' },
  { id: 'out', type: 'http response', ...at(920, 80), wires: [] },
]
function sealed(credentials: object): { $: string } {
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-ctr', createHash('sha256').update(secret).digest(), iv)
  const text = cipher.update(JSON.stringify(credentials), 'utf8', 'base64') + cipher.final('base64')
  return { $: iv.toString('hex') + text }
}
const file = (name: string, content: object) => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify(content)),
})

test('flows of a plain Node-RED name the three modules they lack; with these they run ten seconds later', async () => {
  const { page } = await visitors.open(platform(), owner)
  await page.goto(`/instance/${id}/settings/danger`)
  await page.getByRole('button', { name: 'Import Instance' }).click()
  await page.getByLabel('Flow file').setInputFiles(file('flows.json', flows))
  const problems = page.getByRole('region', { name: 'Known problems' })
  for (const name of ['node-red-node-random', 'node-red-node-smooth', 'node-red-contrib-moment']) {
    await sees(problems.getByText(`The module ${name} is not installed.`, { exact: false }))
    expect(await problems.getByRole('checkbox', { name: `Install ${name} too` }).isChecked()).toBe(true)
  }
  await sees(
    problems.getByText('The function node "enrich" does not parse: Unexpected token \';\' (line 1).'),
    problems.getByText('The variable PLANT_BROKER has no value.', { exact: false }),
    problems.getByText('has no credentials', { exact: false }),
  )
  await page
    .getByLabel('Credentials file')
    .setInputFiles(file('flows_cred.json', sealed({ broker: { user: 'baker', password: 'rye' } })))
  await page.getByLabel('Credentials secret').fill(secret)
  await problems.getByText('has no credentials', { exact: false }).waitFor({ state: 'detached' })
  const box = problems.getByRole('checkbox', { name: 'Install node-red-node-random too' })
  await box.click()
  await sees(problems.getByText('Flows do not start like this.', { exact: false }))
  await problems.scrollIntoViewIfNeeded()
  await shot(page, 'import-foreseen')
  await box.click()

  await page.getByRole('button', { name: 'Import', exact: true }).click()
  // npm takes its time; what it fetches is there before Node-RED is stopped.
  const [end] = await until(
    async () => (await owner.client.call('deployment.list', { params: { instanceId: id }, query: {} })).deployments,
    ([last]) => last?.endedAt !== undefined,
    120_000,
  )
  expect(end).toMatchObject({ kind: 'import', state: 'done' })
  const ended = Date.now()
  const { body } = await until(
    () => ask(platform(), 'moved-in', '/seven'),
    ({ status }) => status === 200,
  )
  expect(body).toBe('7 20 function')
  expect(Date.now() - ended).toBeLessThan(10_000)

  await page.goto(`/instance/${id}/settings/palette`)
  await sees(page.getByText('used by functions'))
  const { settings } = await owner.client.call('instance.get', { params: { instanceId: id } })
  const modules = settings.palette?.modules ?? []
  expect(modules.map(({ name }) => name).toSorted()).toEqual([
    'nanoid',
    'node-red-contrib-moment',
    'node-red-node-random',
    'node-red-node-smooth',
  ])
  for (const { version } of modules) expect(version).toMatch(/^\d+\.\d+\.\d+/)
  await shot(page, 'palette-functions')
})
