import { roles } from '@app/contract'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  clientWith,
  openStream,
  startServer,
  testClock,
  type TestServer,
  type TestTeam,
  type TestUser,
  until,
} from '../../../../testing/index.ts'
import { embeddedBroker } from '../../../../testing/broker.ts'
import { type Release, startScriptedAgent } from '../../../../testing/scripted.agent.ts'
import { readKeyFile } from '../../../platform/keys/key.file.ts'

const clock = testClock()
let server: TestServer
let owner: TestUser
let team: TestTeam
beforeAll(async () => {
  server = await startServer({ clock, config: { broker: embeddedBroker } })
  ;({ owner, team } = await server.build.platform())
})
afterAll(async () => server.close())

/** A device whose agent runs and is known to the platform. */
async function begin(release: Release = '4.2.1') {
  const device = await owner.client.call('device.create', { body: { name: 'Oven 3', type: 'Pi', team: team.id } })
  const params = { deviceId: device.id }
  const read = async () => owner.client.call('device.get', { params })
  const agent = await startScriptedAgent(server.address, release, device)
  onTestFinished(() => agent.end())
  await until(
    async () => agent.now.settings,
    (hash) => hash !== null,
  )
  agent.setState('running')
  await agent.report()
  await until(read, ({ status, agentVersion }) => status !== 'offline' && agentVersion === release)
  return { device, params, agent, read }
}
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

test('[DEV-63] what cannot be done is refused with a sentence, and nothing is recorded', async () => {
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

if (process.env.TEST_DATABASE === 'postgres')
  test('another server, which has no connection to the broker, acts on devices too', async () => {
    const { params, agent } = await begin()
    const { databaseUrl } = server.config
    const other = await startServer({
      clock,
      config: {
        databaseUrl: databaseUrl!,
        secretKey: readKeyFile(server.config.home)!,
        baseUrl: server.config.baseUrl,
        broker: embeddedBroker,
      },
    })
    onTestFinished(() => other.close())
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
