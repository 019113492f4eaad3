import { roles } from '@app/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  clientWith,
  openPlatform,
  openStream,
  startSecondServer,
  startRunningDevice,
  testClock,
  until,
} from '../../../../testing/index.ts'
import { embeddedBroker } from '../../../../testing/broker.ts'
import type { Release } from '../../../../testing/scripted.agent.ts'

const clock = testClock()
const { server, owner, team } = await openPlatform({ clock, config: { broker: embeddedBroker } })

const begin = async (release: Release = '4.2.1') =>
  startRunningDevice({ address: server.address, owner, team }, { release })
const commandsOf = ({ commands }: { commands: { command: string }[] }) =>
  commands.filter(({ command }) => command === 'action')
const newest = async () => {
  const { log } = await owner.client.call('team.auditLog', { params: { teamId: team.id }, query: { limit: 1 } })
  return log[0]!
}

test('[DEV-62] an agent 4.2.1 is told to suspend, start and restart; browsers hear of it, and the audit log has it', async () => {
  const { device, params, agent, read } = await begin()
  const stream = await openStream(server.address, { cookie: owner.cookie })
  onTestFinished(() => stream.close())
  for (const [action, event, status] of [
    ['suspend', 'team.device.suspended', 'suspended'],
    ['start', 'team.device.started', 'running'],
    ['restart', 'team.device.restarted', 'running'],
  ] as const) {
    expect(await owner.client.call(`deviceAction.${action}`, { params })).toEqual({ status: 'okay' })
    expect(await newest()).toMatchObject({ event, body: { device: { id: device.id, name: 'Oven 3' } } })
    await until(read, (now) => now.status === status)
  }
  await stream.heard((event) => event.type === 'device' && event.id === device.id)
  const [first] = commandsOf(agent)
  const topic = `ff/v1/${team.id}/d/${device.id}`
  expect(first).toEqual({
    command: 'action',
    deviceId: device.id,
    teamId: team.id,
    correlationData: expect.any(String),
    createdAt: expect.any(Number),
    expiresAt: expect.any(Number),
    responseTopic: `${topic}/response`,
    payload: { action: 'suspend' },
  })
})

test('[DEV-63] an action that cannot be done is refused with a sentence, and nothing is recorded', async () => {
  const { params, agent } = await begin()
  const act = async (action: 'start' | 'restart' | 'suspend') =>
    owner.client.call(`deviceAction.${action}`, { params }).catch((error: unknown) => error)
  const before = await newest()
  agent.refuse('Its flows are being changed.')
  expect(await act('restart')).toMatchObject({
    status: 409,
    code: 'invalid_state',
    message: 'The device did not restart. Its flows are being changed.',
  })
  await agent.end()
  // The broker may notice a moment later that it went.
  const gone = await until(
    async () => act('suspend'),
    (error) => /is not connected to the broker/.test(String(error)),
  )
  expect(gone).toMatchObject({ status: 503, code: 'device_unreachable' })
  clock.turn(90_000)
  expect(await act('start')).toMatchObject({
    status: 503,
    code: 'device_unreachable',
    message: 'The device is offline, so it cannot be told to start. Try again when it is back.',
  })
  const old = await begin('1.9.4')
  expect(
    await owner.client.call('deviceAction.restart', { params: old.params }).catch((error: unknown) => error),
  ).toMatchObject({ status: 409, code: 'agent_outdated', message: expect.stringContaining('1.9.4') })
  expect(commandsOf(old.agent)).toEqual([])
  expect((await newest()).event).toBe('team.device.created')
  expect(before.event).toBe('team.device.created')
})

describe('many devices at once', () => {
  const restart = async (...devices: string[]) =>
    owner.client.call('deviceAction.restartMany', { params: { teamId: team.id }, body: { devices } })

  test('[DEV-68] restart where their agents can be told, each with its entry; the others are named with the reason', async () => {
    const [one, two, busy, suspended] = [await begin(), await begin(), await begin(), await begin()]
    await owner.client.call('deviceAction.suspend', { params: suspended.params })
    busy.agent.refuse('Its flows are being changed.')
    const old = await begin('1.9.4')
    const never = await owner.client.call('device.create', { body: { name: 'New', type: '', team: team.id } })
    const stranger = await server.build.user()
    const { id: teamId } = await server.build.team(stranger)
    const foreign = await stranger.client.call('device.create', { body: { name: 'X', type: '', team: teamId } })
    const all = [one, two, busy, suspended, old].map(({ device }) => device.id)
    const { done, refused } = await restart(...all, all[0]!, never.id, foreign.id)
    expect(done).toEqual([one.device.id, two.device.id])
    expect(refused).toMatchObject([
      { id: busy.device.id, name: 'Oven 3', code: 'invalid_state', error: expect.stringContaining('being changed') },
      { id: suspended.device.id, code: 'invalid_state', error: expect.stringContaining('suspended') },
      { id: old.device.id, code: 'agent_outdated', error: expect.stringContaining('1.9.4') },
      { id: never.id, name: 'New', code: 'device_unreachable', error: expect.stringContaining('offline') },
      { id: foreign.id, code: 'not_found' },
    ])
    expect(refused.at(-1)).not.toHaveProperty('name')
    expect(commandsOf(one.agent)).toMatchObject([{ payload: { action: 'restart' } }])
    expect(commandsOf(suspended.agent)).toMatchObject([{ payload: { action: 'suspend' } }])
    const query = { event: 'team.device.restarted', limit: 10 }
    const { log } = await owner.client.call('team.auditLog', { params: { teamId: team.id }, query })
    const entries = log.map(({ body }) => (body.device as { id: string }).id).filter((id) => all.includes(id))
    expect(entries.toSorted()).toEqual([one.device.id, two.device.id].toSorted())
  })

  test('[DEV-68] [PERM-77] are at most 200, and restarted by owners alone', async () => {
    const { device, agent } = await begin()
    await expect(restart(...Array.from({ length: 201 }, (_, n) => `d${n}`))).rejects.toMatchObject({ status: 400 })
    const member = await server.build.member(team, roles.member)
    const call = { params: { teamId: team.id }, body: { devices: [device.id] } }
    await expect(member.client.call('deviceAction.restartMany', call)).rejects.toMatchObject({ status: 403 })
    expect(commandsOf(agent)).toEqual([])
  })
})

if (process.env.TEST_DATABASE === 'postgres')
  test('another server, which has no connection to the broker, acts on devices too', async () => {
    const { params, agent } = await begin()
    const other = await startSecondServer(server, { clock })
    const { call } = clientWith(other.address, 'cookie', owner.cookie)
    expect(await call('deviceAction.restart', { params })).toEqual({ status: 'okay' })
    expect(commandsOf(agent)).toMatchObject([{ payload: { action: 'restart' } }])
    expect(await newest()).toMatchObject({ event: 'team.device.restarted' })
    agent.refuse('Its flows are being changed.')
    await expect(call('deviceAction.suspend', { params })).rejects.toMatchObject({
      code: 'invalid_state',
      message: 'The device did not suspend. Its flows are being changed.',
    })
    expect(await other.app.database.read.selectFrom('device_requests').select('id').execute()).toEqual([])
  })

test('[PERM-77] only owners act on devices', async () => {
  const { params, agent } = await begin()
  const member = await server.build.member(team, roles.member)
  await expect(member.client.call('deviceAction.restart', { params })).rejects.toMatchObject({ status: 403 })
  expect(commandsOf(agent)).toEqual([])
  await owner.client.call('deviceAction.restart', { params })
  expect(commandsOf(agent).length).toBe(1)
})
