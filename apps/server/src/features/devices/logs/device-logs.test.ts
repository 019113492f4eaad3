import { roles } from '@app/contract'
import { expect, onTestFinished, test } from 'vitest'
import { embeddedBroker } from '../../../../testing/broker.ts'
import { openPlatform, send, startSecondServer, until } from '../../../../testing/index.ts'
import { watchLog } from '../../../../testing/log.watcher.ts'
import { type Release, startScriptedAgent } from '../../../../testing/scripted.agent.ts'

const { server, owner, team } = await openPlatform({ config: { broker: embeddedBroker } })

const add = async () => owner.client.call('device.create', { body: { name: 'Oven 3', type: 'Pi', team: team.id } })

/** A device whose agent has been told what it shall run. */
async function begin(release: Release = '4.2.1') {
  const device = await add()
  const agent = await startScriptedAgent(server.address, release, device)
  onTestFinished(() => agent.end())
  await until(
    async () => agent.now.settings,
    (hash) => hash !== null,
  )
  return { device, agent }
}
type Agent = Awaited<ReturnType<typeof begin>>['agent']

async function watch(deviceId: string, user = owner, address = server.address) {
  const watcher = await watchLog(address, deviceId, { cookie: user.cookie })
  onTestFinished(() => watcher.close())
  return watcher
}
const told = (agent: Agent) => agent.commands.map(({ command }) => command)
const isTold = async (agent: Agent, commands: string[]) =>
  until(
    async () => told(agent),
    (now) => JSON.stringify(now) === JSON.stringify(commands),
  )

test.each<Release>(['1.9.4', '4.2.1'])(
  '[DEV-38] [API-139] an agent %s sends what it kept and then each line, to all who watch by one stream',
  async (release) => {
    const { device, agent } = await begin(release)
    await agent.log('kept')
    await agent.log('kept too', 'warn')
    expect(told(agent)).toEqual([])
    const one = await watch(device.id)
    await one.shows(['kept', 'kept too'])
    await agent.log('live', 'error')
    await one.shows(['kept', 'kept too', 'live'])
    expect(one.frames).toEqual([agent.logged.slice(0, 2), agent.logged[2]])
    const two = await watch(device.id)
    await two.shows(['kept', 'kept too', 'live'])
    await agent.log('for both')
    await Promise.all([one.shows(['live', 'for both']), two.shows(['live', 'for both'])])
    one.close()
    await one.ended
    await agent.log('for one')
    await two.shows(['for one'])
    // The first is for an agent that sends already, and would not send what it kept.
    expect(told(agent)).toEqual(['stopLog', 'startLog'])
    two.close()
    await isTold(agent, ['stopLog', 'startLog', 'stopLog'])
    expect(one.messages()).not.toContain('for one')
  },
)

test('everything that an agent takes for a line is shown, and one that nobody watches is told to stop', async () => {
  const { device, agent } = await begin()
  const watcher = await watch(device.id)
  await isTold(agent, ['stopLog', 'startLog'])
  const say = async (body: unknown) => agent.client().publish(`ff/v1/${team.id}/d/${device.id}/logs`, body)
  const from = Date.now()
  await say({ level: 'warn', msg: 'without a time' })
  await say([
    { ts: 1_700_000_000_000, msg: { oven: 3 } },
    { level: '', msg: 'after it' },
  ])
  await say('nonsense')
  await say({ ts: '17000000000000007', level: 'info', msg: 'x'.repeat(100_000) })
  await until(
    async () => watcher.messages(),
    (all) => all.length === 4,
  )
  const [first, pair, long] = watcher.frames.filter((frame) => !Array.isArray(frame) || frame.length > 0)
  expect(first).toMatchObject({ level: 'warn', msg: 'without a time' })
  expect(Number((first as { ts: string }).ts.slice(0, 13))).toBeGreaterThanOrEqual(from)
  expect(pair).toEqual([
    { ts: '1700000000000', level: 'info', msg: '{"oven":3}' },
    { ts: '1700000000000', level: 'info', msg: 'after it' },
  ])
  expect((long as { msg: string }).msg).toBe('x'.repeat(64 * 1024))
  watcher.close()
  await isTold(agent, ['stopLog', 'startLog', 'stopLog'])
  await until(
    async () => {
      await say({ level: 'info', msg: 'for nobody' })
      return told(agent).length
    },
    (count) => count === 4,
  )
})

test('a device whose agent is not connected has no log; one that loses the broker ends it', async () => {
  const { id } = await add()
  expect(await (await watch(id)).ended).toBe('unconnected')
  const { device, agent } = await begin()
  const watcher = await watch(device.id)
  await isTold(agent, ['stopLog', 'startLog'])
  await agent.end()
  expect(await watcher.ended).toBe('unconnected')
  await agent.connect()
  await agent.log('back')
  await (await watch(device.id)).shows(['back'])
}, 60_000)

test('people of the team watch a device, for as long as they may', async () => {
  const { device } = await begin()
  const viewer = await server.build.member(team, roles.viewer)
  const stranger = await server.build.user()
  await expect(watch(device.id, stranger)).rejects.toThrow('404')
  await expect(watchLog(server.address, device.id, {})).rejects.toThrow('401')
  const foreign = { cookie: viewer.cookie, origin: 'https://evil.example' }
  await expect(watchLog(server.address, device.id, foreign)).rejects.toThrow('403')
  await expect(watch('none', viewer)).rejects.toThrow('404')
  const page = await send(server.address, 'GET', `/api/v1/devices/${device.id}/logs`, {
    headers: { cookie: viewer.cookie },
  })
  expect([page.status, page.json.code]).toEqual([426, 'upgrade_required'])
  const watcher = await watch(device.id, viewer)
  await owner.client.call('team.removeMember', { params: { teamId: team.id, userId: viewer.id } })
  expect(await watcher.ended).toBe('refused')
  const other = await server.build.member(team, roles.viewer)
  const session = await watch(device.id, other)
  await other.client.call('account.logout')
  expect(await session.ended).toBe('refused')
  const admin = await watch(device.id)
  await owner.client.call('device.delete', { params: { deviceId: device.id } })
  expect(await admin.ended).toBe('refused')
})

if (process.env.TEST_DATABASE === 'postgres')
  test('a viewer at another server sees the same lines, whole and in their order', async () => {
    const other = await startSecondServer(server)
    const { device, agent } = await begin()
    await agent.log('kept')
    const there = await watch(device.id, owner, other.address)
    await there.shows(['kept'])
    const long = 'ä'.repeat(30_000)
    const lines = [long, ...Array.from({ length: 50 }, (_, n) => `line ${n}`)]
    for (const line of lines) await agent.log(line)
    await there.shows(['kept', ...lines])
    const here = await watch(device.id)
    await here.shows(['kept', ...lines])
    const late = await watch(device.id, owner, other.address)
    await late.shows(['kept', ...lines])
    here.close()
    await here.ended
    await agent.log('for the others')
    await Promise.all([there.shows(['for the others']), late.shows(['for the others'])])
    expect(told(agent)).toEqual(['stopLog', 'startLog'])
    there.close()
    late.close()
    await isTold(agent, ['stopLog', 'startLog', 'stopLog'])
    expect(await other.app.database.read.selectFrom('device_log_watchers').selectAll().execute()).toEqual([])
    await agent.end()
    const away = await watch(device.id, owner, other.address)
    expect(await away.ended).toBe('unconnected')
  })
