import type { DeviceAttempt } from '@app/contract'
import { expect, test } from 'vitest'
import { clientWith, openWorkshop, send, testClock } from '../../../testing/index.ts'

const clock = testClock()
const { server, owner, team, create } = await openWorkshop({ clock, config: { steadySeconds: 7 } })
const oven = await create('oven')

async function device() {
  const body = { name: 'Oven 3', type: 'Pi', team: team.id }
  const { id, credentials } = await owner.client.call('device.create', { body })
  const params = { deviceId: id }
  await owner.client.call('device.update', { params, body: { instance: oven.id } })
  const bearer = `Bearer ${credentials.token}`
  return {
    id,
    report: async (said: object) =>
      send(server.address, 'POST', `/api/v1/devices/${id}/live/state`, {
        headers: { authorization: bearer },
        body: { state: 'running', ...said },
      }),
    settings: async () => clientWith(server.address, 'authorization', bearer).call('deviceLink.settings', { params }),
    read: async () => owner.client.call('device.get', { params }),
    update: async (patch: object) => owner.client.call('device.update', { params, body: patch }),
  }
}

const attempt = (more: Partial<DeviceAttempt> = {}): DeviceAttempt => ({
  id: 't-1',
  snapshot: 's-1',
  name: 'Good',
  state: 'done',
  takeover: { way: 'held', why: 'One inject node acts by itself.', gapMs: 41, late: 1, dropped: 2 },
  faults: [
    {
      kind: 'error',
      node: { id: 'fn', type: 'function', name: 'Knead', tab: { id: 'tab', label: 'Oven' } },
      message: 'No flour',
      count: 3,
      at: 1_700_000_000_000,
    },
  ],
  ...more,
})

test('how a target went is kept as its agent says it, with the time at which the platform first heard of it', async () => {
  const one = await device()
  expect((await one.read()).lastDeployment).toBeNull()
  const at = clock.now()
  await one.report({ lastDeployment: attempt() })
  const known = { ...attempt(), reportedAt: new Date(at).toISOString() }
  expect((await one.read()).lastDeployment).toEqual(known)
  // It may be said again, and later reports say nothing of it.
  clock.turn(60_000)
  await one.report({ lastDeployment: attempt() })
  await one.report({})
  expect((await one.read()).lastDeployment).toEqual(known)
  const failed = attempt({ id: 't-2', state: 'failed', reason: 'Its flows do not run.', code: 'flows_not_started' })
  await one.report({ lastDeployment: failed })
  expect((await one.read()).lastDeployment).toEqual({ ...failed, reportedAt: new Date(at + 60_000).toISOString() })
})

test('a report of a target that cannot be read changes nothing, and names its field', async () => {
  const one = await device()
  const { status, json } = await one.report({ state: 'crashed', lastDeployment: { ...attempt(), state: 'maybe' } })
  expect([status, json.code, Object.keys(json.fields as object)]).toEqual([
    400,
    'invalid_request',
    ['lastDeployment.state'],
  ])
  expect(await one.read()).toMatchObject({ lastStatus: null, lastDeployment: null })
})

test('lists of devices leave out how targets went', async () => {
  const one = await device()
  await one.report({ lastDeployment: attempt() })
  const { devices } = await owner.client.call('device.listOfInstance', { params: { instanceId: oven.id }, query: {} })
  expect(devices.find(({ id }) => id === one.id)).not.toHaveProperty('lastDeployment')
})

test('how targets take over can be fixed for a device; its agent reads it, and does not start anew for it', async () => {
  const one = await device()
  const before = await one.settings()
  expect(before.deployment).toEqual({ takeover: 'auto', refusesErrors: false, steadySeconds: 7 })
  expect(await one.update({ takeover: 'stop-first' })).toMatchObject({ name: 'Oven 3', takeover: 'stop-first' })
  await owner.client.call('instance.update', { params: { instanceId: oven.id }, body: { onErrors: 'refuse' } })
  const after = await one.settings()
  expect(after.deployment).toEqual({ takeover: 'stop-first', refusesErrors: true, steadySeconds: 7 })
  expect(after.hash).toBe(before.hash)
  const { log } = await owner.client.call('team.auditLog', { params: { teamId: team.id }, query: {} })
  expect(log[0]).toMatchObject({
    event: 'team.device.updated',
    body: { device: { id: one.id }, updates: [{ key: 'takeover', old: 'auto', new: 'stop-first' }] },
  })
  await expect(one.update({ takeover: 'soon' })).rejects.toMatchObject({ status: 400, code: 'invalid_request' })
  expect(await one.read()).toMatchObject({ takeover: 'stop-first' })
})
