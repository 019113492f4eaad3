import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { wrongClock } from './agent.clock.ts'
import { badNetwork } from './agent.network.ts'
import { openAgent } from './agent.ts'
import { type AgentWorld, openAgentWorld } from './agent.world.ts'
import { embeddedBroker } from './broker.ts'
import { until } from './build.ts'
import { watchLog } from './log.watcher.ts'
import { labelled, on } from './real.platform.ts'

let world: AgentWorld
beforeAll(async () => {
  world = await openAgentWorld({ config: { broker: embeddedBroker, steadySeconds: 0.5 } })
})
afterAll(async () => world.close())

/** A device that keeps everything on a small disk. */
async function onSmallDisk() {
  const mount = mkdtempSync(join(tmpdir(), 'forge-agent-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'forge-test', mount])
  const [folder, filler] = [join(mount, 'agent'), join(mount, 'filler')]
  mkdirSync(folder)
  const machine = await world.machine({ folder })
  onTestFinished(async () => {
    await machine.agent.close()
    execFileSync('umount', [mount])
    rmSync(mount, { recursive: true })
  })
  return {
    ...machine,
    /** Writes until nothing fits, as flows can. */
    fill(): void {
      for (const size of [1024 * 1024, 4096, 1])
        for (;;)
          try {
            appendFileSync(filler, Buffer.alloc(size, 1))
          } catch {
            break
          }
    },
    /** Has room for so many bytes again; for everything if none are given. */
    free: (bytes?: number) =>
      bytes === undefined ? rmSync(filler) : truncateSync(filler, statSync(filler).size - bytes),
  }
}

// Only root may mount a small disk.
test.runIf(process.getuid?.() === 0)(
  'on a full disk a device goes on, also after a power cut, says why, and takes its target once there is room',
  async () => {
    const { device, agent, fill, free } = await onSmallDisk()
    await world.target('First', labelled('first').slice(0, 4))
    agent.start()
    await agent.answers('first')
    await until(device.read, ({ status }) => status === 'running')
    fill()
    // Room for a part of the target.
    free(16 * 1024)
    const asked = agent.asking()
    const long = on('long', 'comment', { name: 'x'.repeat(100_000) })
    const second = await world.target('Second', [...labelled('second').slice(0, 4), long])
    const { refused } = await until(device.read, (one) => one.refused?.snapshot === second)
    expect(refused).toMatchObject({ code: 'disk_full', final: false })
    const { lastSeenAt } = await device.read()
    await until(device.read, (now) => Date.parse(now.lastSeenAt!) > Date.parse(lastSeenAt!) + 500)
    expect((await asked.stop()).filter(({ text }) => text !== 'first')).toEqual([])

    await agent.cutPower()
    fill()
    agent.start()
    await agent.answers('first')
    await until(device.read, ({ status, lastSeenMs }) => status === 'running' && lastSeenMs! < 1_000)

    await agent.cutPower()
    free()
    agent.start()
    await agent.answers('second')
    await until(device.read, ({ activeSnapshot }) => activeSnapshot?.id === second)
    await agent.end()
  },
)

const yearMs = 365 * 86_400_000
/** Node-RED is started five times, also on a machine that is busy with something else. */
const patience = 240_000

test.each([
  ['ahead', yearMs],
  ['behind', -yearMs],
])(
  'a clock that is a year %s delays nothing on a device, and neither does its being put right',
  async (_which, off) => {
    const { device, agent } = await world.machine({ nodeArgs: wrongClock(off) })
    await world.target('First', labelled('first'))
    agent.start()
    await agent.answers('first')
    const isAsOfNow = (at: string | null | undefined) => Math.abs(Date.parse(at!) - Date.now()) < 60_000
    const ran = await until(
      device.read,
      ({ status, lastDeployment }) => status === 'running' && lastDeployment !== null,
    )
    expect([ran.lastSeenAt, ran.lastDeployment!.reportedAt].map(isAsOfNow)).toEqual([true, true])
    expect(isAsOfNow(agent.lines()[0]!.split(' ', 1)[0])).toBe(false)
    const watcher = await watchLog(world.server.address, device.id, { cookie: world.owner.cookie })
    onTestFinished(() => watcher.close())
    await until(
      async () => watcher.messages(),
      (all) => all.includes('Running First'),
    )
    for (let crashes = 0; crashes < 2; crashes += 1) {
      const [pid] = await until(agent.nodeReds, (all) => all.length === 1)
      process.kill(-pid!, 'SIGKILL')
      await until(agent.nodeReds, (all) => all.length === 1 && all[0] !== pid)
      await agent.answers('first')
    }
    await agent.cutPower()
    agent.setNodeArgs([])
    agent.start()
    await agent.answers('first')
    await world.target('Second', labelled('second'))
    await agent.answers('second')
    await until(device.read, ({ activeSnapshot }) => activeSnapshot?.name === 'Second')
    const later = await watchLog(world.server.address, device.id, { cookie: world.owner.cookie })
    onTestFinished(() => later.close())
    await until(
      async () => later.messages(),
      (all) => all.includes('Running First') && all.includes('Running Second'),
    )
    await agent.end()
  },
  patience,
)

test('two machines with the identity of one device go on with their flows, and the platform says so', async () => {
  const { device, agent } = await world.machine()
  await world.target('First', labelled('first').slice(0, 4))
  agent.start()
  await agent.answers('first')
  await agent.said(/Connected to the broker/)
  expect((await device.read()).sharedIdentity).toBe(false)
  const other = world.track(await openAgent({ file: device.file }))
  other.start()
  await other.answers('first')
  await until(device.read, ({ sharedIdentity }) => sharedIdentity)
  // They take the broker from each other, and both take the next target all the same.
  await world.target('Second', labelled('second').slice(0, 4))
  await Promise.all([agent.answers('second'), other.answers('second')])
  await other.end()
  await until(
    async () => agent.lines().findLastIndex((line) => line.includes('Connected to the broker')),
    (at) => at > agent.lines().findLastIndex((line) => line.includes('The connection to the broker ended')),
    60_000,
  )
  await agent.end()
})

test.each([
  ['the broker', {}],
  ['HTTP', { brokerURL: undefined }],
])(
  'over %s by a proxy that delays, cuts and reorders, a device takes its target, and its flows do not notice',
  async (_way, file) => {
    const network = world.track(await badNetwork())
    const { device, agent } = await world.machine()
    agent.write({ ...file, proxy: network.proxy })
    await world.target('First', labelled('first'))
    agent.start()
    await agent.answers('first')
    const asked = agent.asking()
    const second = await world.target('Second', labelled('second'))
    await agent.answers('second')
    await until(device.read, ({ activeSnapshot }) => activeSnapshot?.id === second, 60_000)
    expect((await asked.stop()).filter(({ status }) => status !== 200)).toEqual([])
    expect(network.connections()).toBeGreaterThan(6)
    await agent.end()
  },
)
