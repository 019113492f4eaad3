import { roles } from '@app/contract'
import { expect, test } from 'vitest'
import { openPlatform, send, testClock } from '../../../../testing/index.ts'

const clock = testClock()
const { server, owner, team } = await openPlatform({ clock })
const sha256 = 'ab'.repeat(32)
// The package that it serves is made of what was built, which is not what this file is about.
server.app.services.agentPackage.file = async () => ({ path: '/nowhere', size: 1, sha256 })

const served = () => server.app.services.version

async function device() {
  const body = { name: 'Oven 3', type: 'Pi', team: team.id }
  const { id, credentials } = await owner.client.call('device.create', { body })
  const params = { deviceId: id }
  const ours = { agent: 'one', agentVersion: '0.0.9', updater: 'self', snapshot: null, project: null }
  return {
    id,
    params,
    /** As an agent of this platform does, unless told otherwise. */
    report: async (said: object = {}) =>
      send(server.address, 'POST', `/api/v1/devices/${id}/live/state`, {
        headers: { authorization: `Bearer ${credentials.token}` },
        body: { state: 'running', ...ours, ...said },
      }),
    read: async () => owner.client.call('device.get', { params }),
    update: async (by = owner) => by.client.call('deviceAction.updateAgent', { params }),
  }
}
const newest = async () => {
  const { log } = await owner.client.call('team.auditLog', { params: { teamId: team.id }, query: { limit: 1 } })
  return log[0]!
}

test('[DEV-64] an agent is told the version and the hash of its package until it says how the update ended', async () => {
  const one = await device()
  expect((await one.report()).status).toBe(200)
  expect((await one.read()).agentUpdate).toEqual({ updater: 'self', available: served(), ordered: null, last: null })
  const at = new Date(clock.now()).toISOString()
  await one.update()
  expect(await newest()).toMatchObject({
    event: 'team.device.agent.update-requested',
    body: { device: { id: one.id, name: 'Oven 3' }, info: { from: '0.0.9', version: served() } },
  })
  expect((await one.read()).agentUpdate.ordered).toEqual({ version: served(), orderedAt: at })
  const told = await one.report()
  expect([told.status, told.json.error]).toEqual([409, 'incorrect-agent'])
  expect(told.json.agentOrder).toEqual({ id: expect.any(String), version: served(), sha256 })
  expect((await one.report()).json.agentOrder).toEqual(told.json.agentOrder)
  const { id } = told.json.agentOrder as { id: string }

  clock.turn(60_000)
  const failed = { id, version: served(), state: 'failed', code: 'update_not_home', message: 'It ended.' }
  expect((await one.report({ agentUpdate: failed })).status).toBe(200)
  const reportedAt = new Date(clock.now()).toISOString()
  clock.turn(60_000)
  // Agents say it again and again.
  expect((await one.report({ agentUpdate: failed })).status).toBe(200)
  const known = { updater: 'self', available: served(), ordered: null, last: { ...failed, reportedAt } }
  expect((await one.read()).agentUpdate).toEqual(known)

  // The next order is another one, which the answer to the one before does not end.
  await one.update()
  const again = await one.report({ agentUpdate: failed })
  const order = again.json.agentOrder as { id: string }
  expect([again.status, order.id === id]).toEqual([409, false])
  const done = { id: order.id, version: served(), state: 'done' }
  expect((await one.report({ agentVersion: served(), agentUpdate: done })).status).toBe(200)
  expect((await one.read()).agentUpdate).toMatchObject({ available: null, ordered: null, last: { state: 'done' } })
})

test.each([
  ['has not called', undefined, 'The agent of the device has not called yet.'],
  ['is of another platform', { agent: undefined, agentVersion: '1.9.4' }, 'another agent than flowforge-agent'],
  ['is older than updates', { updater: undefined }, 'Run the line of Add Device on the device again.'],
  ['runs in a terminal', { updater: 'installer' }, 'Run the line of Add Device on the device again.'],
  ['runs in a container', { updater: 'image' }, 'Start a newer image in its place'],
  ['is the one served', { agentVersion: 'served' }, 'and this platform serves'],
])('[DEV-65] an agent that %s cannot be told to update, and a sentence says so', async (_what, said, sentence) => {
  const one = await device()
  if (said)
    await one.report('agentVersion' in said && said.agentVersion === 'served' ? { agentVersion: served() } : said)
  await expect(one.update()).rejects.toMatchObject({
    status: 409,
    code: 'invalid_state',
    message: expect.stringContaining(sentence),
  })
  expect((await newest()).event).toBe('team.device.created')
  expect((await one.read()).agentUpdate.ordered).toBeNull()
})

test('[DEV-65] only who may edit devices updates their agents', async () => {
  const one = await device()
  await one.report()
  await expect(one.update(await server.build.member(team, roles.member))).rejects.toMatchObject({ status: 403 })
  expect((await one.read()).agentUpdate.ordered).toBeNull()
})
