import { beforeEach, expect, test } from 'vitest'
import { button, field, openWorkshop, screens, sees, shot, type Visitor } from './harness/index.ts'

const { platform, visitors, owner, team, instance } = await openWorkshop('oven-line')
let visitor: Visitor

beforeEach(async () => {
  visitor = await visitors.open(platform(), owner)
})

/** A snapshot with one node on a tab. */
async function take(name: string, node: object): Promise<string> {
  const flows = [
    { id: 'tab', type: 'tab', label: 'Heat' },
    { id: 'one', z: 'tab', x: 100, y: 100, wires: [[]], ...node },
  ]
  const body = { name, flows, credentials: {}, credentialSecret: '' }
  return (await owner.client.call('snapshot.create', { params: { instanceId: instance.id }, body })).id
}

/** A device of the instance, and what its agent says. */
async function device(name: string, said: object) {
  const { id, credentials } = await owner.client.call('device.create', { body: { name, type: 'Pi', team: team.id } })
  await owner.client.call('device.update', { params: { deviceId: id }, body: { instance: instance.id } })
  const report = async (more: object) =>
    fetch(`http://127.0.0.1:${platform().port}/api/v1/devices/${id}/live/state`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credentials.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ state: 'running', agent: `agent of ${name}`, nodejsVersion: '24.1.0', ...said, ...more }),
    })
  await report({})
  return { id, report }
}

const fault = (more: object) => ({ kind: 'error', message: 'Error: no flour', count: 2, at: Date.now(), ...more })
const heat = { id: 'tab', label: 'Heat' }

test('The page of a device tells how its last target went, and leads from an error to the node in the editor', async () => {
  const { page } = visitor
  const old = await take('Runs well', { type: 'inject', repeat: '5', name: 'Every 5 s' })
  const { id, report } = await device('Oven 7', { snapshot: old })
  await page.goto(`/device/${id}/overview`)
  await sees(screens.heading(page, 'Deployment'))
  expect(await page.getByText('Last Deployment').count()).toBe(0)

  await report({
    lastDeployment: {
      id: 't-1',
      snapshot: old,
      name: 'Runs well',
      state: 'done',
      takeover: { way: 'held', why: 'The inject node “Every 5 s” acts by itself.', gapMs: 41, late: 1, dropped: 0 },
      faults: [
        fault({ node: { id: 'knead', type: 'function', name: 'Knead', tab: heat } }),
        fault({ kind: 'listen', message: 'Error: listen EADDRINUSE: address already in use :::5020' }),
      ],
    },
  })
  const main = page.getByRole('main')
  await sees(main.getByText('done with 2 errors'), main.getByText('No flows ran for 41 ms.'))
  await sees(main.getByText('1 timed message late by up to 41 ms.'), main.getByText('Held. The inject node'))
  await sees(screens.heading(page, '2 new errors'), main.getByText('Error: listen EADDRINUSE'))
  const links = main.getByRole('link', { name: /^Open node/ })
  expect(await links.count()).toBe(1)
  expect(await links.getAttribute('href')).toMatch(/oven-line.*knead/)
  await shot(page, 'device-last-deployment')

  await report({
    lastDeployment: {
      id: 't-2',
      snapshot: 's-2',
      name: 'Runs better',
      state: 'failed',
      takeover: { way: 'stop-first', why: 'Its settings say so.', gapMs: 1_240 },
      code: 'flows_not_started',
      reason: 'Its flows do not run: node type modbus-read is missing.',
      faults: [],
    },
  })
  await sees(main.getByText('failed', { exact: true }), main.getByText('node type modbus-read is missing.'))
  await sees(main.getByText('No flows ran for 1,240 ms.'))
  await shot(page, 'device-last-deployment-failed')
})

test('How targets take over is fixed for a device, and the dialog of a target says how it would', async () => {
  const { page } = visitor
  const old = await take('Answers', { type: 'http in', url: '/a', method: 'get' })
  const open = { listens: [], connects: [], timers: 0, serial: [], programs: 0, kept: [] }
  const { id } = await device('Oven 8', { snapshot: old, opens: open })
  await device('Oven 9', { snapshot: old, opens: { ...open, listens: ['tcp 502'] } })
  await page.goto(`/device/${id}/settings/general`)
  await field(page, 'How a new version takes over').click()
  await page.getByRole('option', { name: 'Stop first' }).click()
  await sees(screens.toast(page, 'Takeover saved.'))
  expect((await owner.client.call('device.get', { params: { deviceId: id } })).takeover).toBe('stop-first')
  await shot(page, 'device-takeover')

  await take('Says more', { type: 'template' })
  await page.goto(`/instance/${instance.id}/devices`)
  await button(page, 'Target Snapshot').click()
  const dialog = page.getByRole('dialog', { name: 'Target Snapshot' })
  await field(page, 'Snapshot').click()
  await page.getByRole('option', { name: /Says more/ }).click()
  await sees(dialog.getByText('Takeover on Oven 8: Stop first.'), dialog.getByText('Takeover on Oven 9: Held.'))
  await sees(dialog.getByText('It listens on tcp 502, which only one process can.'))
  await shot(page, 'device-target-takeover')
})

test('A target without an enabled node says so with what it changes, and is set by a yes', async () => {
  const { page } = visitor
  const params = { instanceId: instance.id }
  const tick = { type: 'inject', repeat: '5', name: 'Every 5 s' }
  const ticks = await take('Ticks', tick)
  const stands = await take('Stands still', { ...tick, d: true })
  await owner.client.call('device.setTarget', { params, body: { targetSnapshot: ticks } })
  await page.goto(`/instance/${instance.id}/devices`)
  await button(page, 'Target Snapshot').click()
  const dialog = page.getByRole('dialog', { name: 'Target Snapshot' })
  await field(page, 'Snapshot').click()
  await page.getByRole('option', { name: /Stands still/ }).click()
  const certain = dialog.getByRole('list', { name: 'Certain' })
  await sees(certain.getByText('These flows have no enabled nodes: nothing will run.', { exact: true }))
  await sees(dialog.getByRole('group', { name: 'Changes', exact: true }).getByText('Every 5 s'))
  await shot(page, 'device-target-empty')
  await button(page, 'Set Target anyway').click()
  await sees(screens.toast(page, 'Target snapshot updated.'))
  expect((await owner.client.call('device.target', { params })).targetSnapshot).toBe(stands)
})
