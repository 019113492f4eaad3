import { roles } from '@app/contract'
import { readFile } from 'node:fs/promises'
import { beforeEach, expect, test } from 'vitest'
import {
  admin,
  ask,
  bringFlows,
  openWorkshop,
  screens,
  sees,
  seesDirection,
  shot,
  until,
  type Visitor,
} from './harness/index.ts'

let visitor: Visitor

/** Answers at /hello with a word and with a credential of its own, which only the right secret opens. */
function flow(word: string, initialize = ''): object[] {
  const place = (x: number) => ({ z: 'f1', x, y: 80 })
  const code = { type: 'function', outputs: 1, timeout: 0, noerr: 0, libs: [], finalize: '' }
  return [
    {
      id: 'sf',
      type: 'subflow',
      name: 'Sign',
      env: [{ name: 'KEY', type: 'cred' }],
      in: [{ x: 40, y: 40, wires: [{ id: 'sign' }] }],
      out: [{ x: 360, y: 40, wires: [{ id: 'sign', port: 0 }] }],
    },
    {
      ...code,
      id: 'sign',
      z: 'sf',
      name: 'sign',
      x: 200,
      y: 40,
      wires: [[]],
      initialize: '',
      func: "msg.payload += ' ' + env.get('KEY')\nreturn msg",
    },
    { id: 'f1', type: 'tab', label: 'Oven line', disabled: false, info: '' },
    {
      id: 'g1',
      type: 'group',
      z: 'f1',
      name: 'Answering',
      nodes: ['n2', 'n4'],
      x: 214,
      y: 39,
      w: 392,
      h: 82,
      style: { label: true, fill: '#bfdbef', stroke: '#3f93cf' },
    },
    {
      id: 'n1',
      type: 'http in',
      name: '',
      url: '/hello',
      method: 'get',
      upload: false,
      ...place(110),
      wires: [['n2']],
    },
    {
      ...code,
      id: 'n2',
      g: 'g1',
      name: 'greet',
      ...place(300),
      wires: [['n4']],
      initialize,
      func: `// What the oven says\nmsg.payload = '${word}'\nreturn msg`,
    },
    {
      id: 'n4',
      type: 'subflow:sf',
      g: 'g1',
      name: '',
      env: [{ name: 'KEY', type: 'cred' }],
      ...place(500),
      wires: [['n3']],
    },
    { id: 'n3', type: 'http response', name: '', statusCode: '', headers: {}, ...place(720), wires: [] },
  ]
}
const hello = async () => (await ask(platform(), 'oven-line', '/hello')).body
const says = (text: string) => until(hello, (body) => body === text, 30_000)

const { platform, visitors, owner, instance } = await openWorkshop('oven-line')
beforeEach(async () => {
  visitor = await visitors.open(platform(), owner)
})

/** Brings flows with their credentials, if others are there, and waits until they answer. */
async function bring(word: string): Promise<void> {
  if ((await hello()) === `${word} rye-42`) return
  await bringFlows(owner.client, instance.id, flow(word), { n4: { KEY: 'rye-42' } })
  await says(`${word} rye-42`)
}

const snapshots = async () =>
  (await owner.client.call('snapshot.list', { params: { instanceId: instance.id }, query: {} })).snapshots
/** Takes a snapshot of what the instance has, or one with these flows. */
const take = (name: string, flows?: object[]) =>
  owner.client.call('snapshot.create', {
    params: { instanceId: instance.id },
    body: { name, ...(flows ? { flows: flows as Record<string, unknown>[] } : {}) },
  })

const list = () => `/instance/${instance.id}/snapshots`
const dialog = () => visitor.page.getByRole('dialog')
const menu = async (name: string, item: string) => {
  await visitor.page.getByRole('button', { name: `Actions on ${name}`, exact: true }).click()
  await visitor.page.getByRole('menuitem', { name: item }).click()
}

test('[SNAP-02] [SNAP-08] [SNAP-11] A snapshot is taken with a name', async () => {
  const { page } = visitor
  await bring('warm')
  for (const { id } of await snapshots())
    await owner.client.call('snapshot.delete', { params: { instanceId: instance.id, snapshotId: id } })
  await page.goto(`/instance/${instance.id}/overview`)
  await page.getByRole('link', { name: 'Snapshots', exact: true }).click()
  await page.waitForURL(`**${list()}`)
  await sees(page.getByText('Create your First Snapshot'))
  await shot(page, 'snapshots-none')
  await page.getByRole('button', { name: 'Create Snapshot' }).click()
  const create = dialog().getByRole('button', { name: 'Create', exact: true })
  expect(await create.isDisabled()).toBe(true)
  // A dialog with a form is ready to be typed into.
  await dialog().locator('input[name=name]:focus').waitFor()
  await page.keyboard.type('Runs well')
  await dialog().getByLabel('Description').fill('Line 1, before the new oven')
  await shot(page, 'snapshots-create')
  await create.click()
  await sees(screens.toast(page, 'Successfully created snapshot of instance.'))
  await sees(page.getByRole('link', { name: 'Runs well' }))
})

test('[SNAP-09] [SNAP-10] What the server says of the name stands below it; anything else is told', async () => {
  const { page } = visitor
  const address = `**/api/v1/projects/${instance.id}/snapshots`
  const held = Promise.withResolvers<void>()
  await bring('warm')
  await page.goto(list())
  const refusals = [
    { code: 'invalid_name', error: 'This name will not do', statusCode: 400 },
    { code: 'unexpected', error: 'No room', statusCode: 400 },
  ]
  await page.route(address, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    await held.promise
    const refusal = refusals.shift()!
    await route.fulfill({ status: 400, json: { ...refusal, message: refusal.error } })
  })
  await page.getByRole('button', { name: 'Create Snapshot' }).click()
  await dialog().getByLabel('Name').fill('Again')
  const create = dialog().getByRole('button', { name: 'Create', exact: true })
  await create.click()
  await expect.poll(() => create.isDisabled()).toBe(true)
  held.resolve()
  await sees(dialog().getByText('This name will not do'))
  await dialog().getByLabel('Name').fill('Once more')
  await create.click()
  // Not by its role: the rest of the page is hidden while a dialog is open.
  await sees(page.getByText('Failed to create snapshot of instance.').first())
})

test('[SNAP-05] [SNAP-17] [API-81] [SNAP-04] [SNAP-13] It is drawn, compared with what is there now, and downloaded as a package; a rollback brings it back with its credentials', async () => {
  const { page } = visitor
  await bring('warm')
  const { id } = await take('Baked well')
  await bring('cold')
  await page.goto(list())
  await page.getByRole('link', { name: 'Baked well' }).click()
  await sees(page.getByRole('img', { name: 'Oven line: 4 nodes' }), page.getByText('1 changed'))
  await page.locator('summary').filter({ hasText: 'greet' }).click()
  await sees(page.getByText("msg.payload = 'cold'"), page.getByText("msg.payload = 'warm'"))
  await shot(page, 'snapshot')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download package.json' }).click(),
  ])
  const text = await readFile(await file.path(), 'utf8')
  const snapshot = (await snapshots()).find((one) => one.id === id)
  expect([file.suggestedFilename(), JSON.parse(text)]).toMatchObject([
    'package.json',
    { name: 'oven-line', version: `0.0.0-${id}`, private: true, dependencies: snapshot?.modules },
  ])

  await page.getByRole('link', { name: 'Snapshots' }).first().click()
  await menu('Baked well', 'Rollback')
  await seesDirection(dialog(), 'Baked well', 'oven-line')
  await sees(dialog().getByText(/^Replaces the flows, .* of oven-line with those from the snapshot/))
  await sees(dialog().getByText('1 changed'), dialog().getByRole('img', { name: 'Oven line: 4 nodes' }))
  await shot(page, 'snapshots-rollback')
  await dialog().getByRole('button', { name: 'Rollback' }).click()
  await sees(screens.toast(page, 'Rolling back to the snapshot.'))
  await sees(page.getByRole('heading', { name: 'Roll back', exact: true }))
  await page.getByText('Successfully rollbacked snapshot.').first().waitFor({ timeout: 45_000 })
  expect(await hello()).toBe('warm rye-42')
  await sees(page.getByRole('link', { name: 'Before rollback to “Baked well”' }))
  await shot(page, 'snapshots')
})

test('The drawing of a snapshot holds its own nodes, and those that were removed on demand', async () => {
  const { page } = visitor
  await bring('warm')
  const flows = flow('warm').filter((node) => !['g1', 'n4'].includes((node as { id: string }).id))
  const { id } = await take('Without a sign', flows)
  await page.goto(`${list()}/${id}`)
  await sees(page.getByRole('img', { name: 'Oven line: 3 nodes' }))
  await page.getByRole('radiogroup', { name: 'Drawing' }).getByRole('radio', { name: 'Both' }).click()
  await sees(page.getByRole('img', { name: 'Oven line: 4 nodes' }))
  await shot(page, 'snapshot-removed')
})

test('One that crashes is taken back by itself, and the page says why', async () => {
  const { page } = visitor
  await bring('warm')
  // A function node catches what it throws itself; this is thrown outside, as by a node with a fault.
  const crash =
    "const host = Buffer.constructor('return process')()\nsetTimeout(() => host.nextTick(() => { throw new Error('no flour left') }), 300)"
  await take('Burnt', flow('burnt', crash))
  await page.goto(list())
  await menu('Burnt', 'Rollback')
  await dialog().getByRole('button', { name: 'Rollback' }).click()
  await page.getByText('Failed to roll back to the snapshot.').first().waitFor({ timeout: 45_000 })
  await says('warm rye-42')
  await page.getByText('The last lines of Node-RED').click()
  await sees(page.getByText(/no flour left/).first())
  await shot(page, 'snapshots-failed')
  await page.getByRole('link', { name: 'History', exact: true }).click()
  const failed = page.getByRole('link', { name: 'Rollback to “Burnt”' })
  await sees(failed, page.getByRole('link', { name: 'Import of files' }).first())
  await shot(page, 'deployments')
  await failed.click()
  await sees(page.getByText('Start and health-check').first(), page.getByText(/no flour left/).first())
  await shot(page, 'deployment')
})

test.each([
  [
    'a member',
    'carol',
    roles.member,
    { create: 1, items: ['Rollback', 'View and compare', 'Set as Device Target', 'Download package.json'] },
  ],
  ['a viewer', 'dave', roles.viewer, { create: 0, items: ['View and compare', 'Download package.json'] }],
] as const)(
  '[SNAP-03] [SNAP-04] [SNAP-05] [SNAP-07] The page offers %s what their role may do',
  async (_, name, role, expected) => {
    const { people } = platform()
    await take(`For ${name}`, flow('warm'))
    people.add(name, { teamId: instance.team.id, role })
    const { page } = await visitors.open(platform(), await people.signIn(name, admin.password))
    await page.goto(list())
    await page.getByRole('button', { name: `Actions on For ${name}`, exact: true }).click()
    await page.getByRole('menuitem').first().waitFor()
    const create = await page.getByText('Create Snapshot', { exact: true }).count()
    // Everything but what needs a role they do not have: deleting is for owners.
    expect({ create, items: await page.getByRole('menuitem').allInnerTexts() }).toEqual(expected)
  },
)

test('[SNAP-12] [SNAP-07] It is deleted', async () => {
  const { page } = visitor
  await take('Stale', flow('warm'))
  await page.goto(list())
  await menu('Stale', 'Delete Snapshot')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await sees(screens.toast(page, 'Successfully deleted snapshot.'))
  await expect.poll(() => page.getByRole('link', { name: 'Stale', exact: true }).count()).toBe(0)
})

test('Who deletes the target of devices is told that their flows end', async () => {
  const { page } = visitor
  const params = { instanceId: instance.id }
  await take('Other', flow('warm'))
  const { id: targetSnapshot } = await take('Target', flow('warm'))
  await owner.client.call('device.setTarget', { params, body: { targetSnapshot } })
  const told = page.getByText('It is the target snapshot of the devices of this instance.')
  await page.goto(list())
  await menu('Target', 'Delete Snapshot')
  await sees(told)
  await shot(page, 'snapshot-delete-target')
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await menu('Other', 'Delete Snapshot')
  await sees(page.getByText('is deleted permanently'))
  expect(await told.count()).toBe(0)
})
