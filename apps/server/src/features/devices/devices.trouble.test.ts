import { expect, test } from 'vitest'
import { openWorkshop, send, testClock } from '../../../testing/index.ts'

const clock = testClock()
const { server, owner, team } = await openWorkshop({ clock })

async function device() {
  const { id, credentials } = await owner.client.call('device.create', {
    body: { name: 'Oven 3', type: 'Pi', team: team.id },
  })
  const headers = { authorization: `Bearer ${credentials.token}` }
  return {
    report: async (said: object) =>
      send(server.address, 'POST', `/api/v1/devices/${id}/live/state`, {
        headers,
        body: { snapshot: null, settings: null, ...said },
      }),
    read: async () => owner.client.call('device.get', { params: { deviceId: id } }),
    list: async () => owner.client.call('device.listOfTeam', { params: { teamId: team.id }, query: {} }),
  }
}

test('a device shows why its flows do not run, and when they start again by the clock of the platform', async () => {
  const one = await device()
  expect((await one.read()).trouble).toBeNull()
  const trouble = {
    reason: 'Node-RED ended unexpectedly: Killed',
    restart: { crashes: 3, afterMs: 20_000, safe: false },
  }
  await one.report({ state: 'crashed', trouble })
  expect(await one.read()).toMatchObject({
    status: 'crashed',
    trouble: {
      reason: trouble.reason,
      restart: { crashes: 3, at: new Date(clock.now() + 20_000).toISOString(), safe: false },
    },
  })
  expect((await one.list()).devices[0]).not.toHaveProperty('trouble')

  await one.report({ state: 'safe', trouble: { reason: 'It crashed 5 times in a row.' } })
  expect((await one.read()).trouble).toEqual({ reason: 'It crashed 5 times in a row.' })
  await one.report({ state: 'running', trouble: null })
  expect((await one.read()).trouble).toBeNull()
})

test('a reason does not outlive a report without one, as of another agent on the same device', async () => {
  const one = await device()
  await one.report({ state: 'crashed', trouble: { reason: 'Node-RED ended unexpectedly' } })
  await one.report({ state: 'running' })
  expect(await one.read()).toMatchObject({ status: 'running', trouble: null })
})

test.each([
  ['trouble.reason', { reason: 'x'.repeat(1_001) }],
  ['trouble.restart.crashes', { reason: 'x', restart: { crashes: 0, afterMs: 0, safe: false } }],
  ['trouble.restart.afterMs', { reason: 'x', restart: { crashes: 1, afterMs: -1, safe: false } }],
])(
  'a reason that cannot be read is refused by the name of its field, and nothing is kept: %s',
  async (field, trouble) => {
    const one = await device()
    const { status, json } = await one.report({ state: 'crashed', trouble })
    expect([status, json.code, Object.keys(json.fields as object)]).toEqual([400, 'invalid_request', [field]])
    expect(await one.read()).toMatchObject({ lastStatus: null, trouble: null })
  },
)
