import type { Instance } from '@app/contract'
import { globSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createDatabase, startPostgres } from '../../../tools/test/postgres.ts'
import { openDriver } from '../src/drivers.ts'
import { embeddedBroker } from './broker.ts'
import { startServer, until } from './index.ts'
import {
  anyNews,
  asked,
  call,
  file,
  linesOf,
  noted,
  replicate,
  sending,
  startDevice,
  startOldDevice,
  tab,
  talkers,
  toOwn,
  visitSocket,
} from './messages.world.ts'
import { openRealPlatform, type RealPlatform } from './real.platform.ts'

/*
 * The nodes `project link in`, `out` and `call` in real instances and on a device, over the embedded broker.
 */
let platform: RealPlatform
beforeAll(async () => {
  platform = await openRealPlatform({ broker: embeddedBroker })
})
afterAll(() => platform.close())

/** The process of the embedded broker. */
const brokerPid = (home: string): number =>
  Number(
    globSync('/proc/[0-9]*/fd/1')
      .find((path) => {
        try {
          return readlinkSync(path) === join(home, 'broker/output.log')
        } catch {
          return false
        }
      })
      ?.split('/')[2],
  )

describe.each(['5.0.7', '4.1.15'])('Node-RED %s', (version) => {
  let pair: Awaited<ReturnType<typeof talkers>>
  beforeAll(async () => {
    pair = await talkers(platform, version)
  })

  test('an instance sends to another one, calls it and tells all; each message arrives once by each way', async () => {
    const { ask, answered, arrives, got } = pair
    await ask('send', 'rye')
    await arrives('sent rye')
    expect(await answered('rye')).toMatchObject({ status: 200 })
    await ask('tell', 'open')
    await arrives('any open')
    const lines = await arrives('one open')
    expect(lines.filter((line) => /rye|open/.test(line)).toSorted()).toEqual(['any open', 'one open', 'sent rye'])
    expect(await got()).toEqual(lines)
  })

  test('what is sent to an instance that is away for a moment waits for it', async () => {
    await platform.act('stop', pair.to.id)
    await platform.settled(pair.to.id)
    await pair.ask('send', 'waits')
    await platform.act('start', pair.to.id)
    expect(await pair.arrives('sent waits')).toContain('sent waits')
  })
})

describe('Node-RED 5.0.7', () => {
  let pair: Awaited<ReturnType<typeof talkers>>
  beforeAll(async () => {
    pair = await talkers(platform, '5.0.7')
  })

  test('one of two replicas handles each message, and answers reach the replica that asked', async () => {
    await replicate(platform, pair)
    const names = Array.from({ length: 12 }, (_, number) => `shared-${number}`)
    for (const name of names) await pair.ask('send', name)
    await pair.arrives(`sent ${names.at(-1)}`)
    const answers = await Promise.all(names.slice(0, 6).map(async (name) => (await pair.ask('ask', name)).text))
    expect(answers).toEqual(names.slice(0, 6).map((name) => `yes, ${name}`))
    const lines = await until(pair.got, (all) => names.every((name) => all.includes(`sent ${name}`)))
    expect(lines.filter((line) => line.startsWith('sent shared-')).toSorted()).toEqual(
      names.map((name) => `sent ${name}`).toSorted(),
    )
  })

  test('when the broker is killed, it is started again and messages go on', async () => {
    const pid = brokerPid(platform.home)
    process.kill(pid, 'SIGKILL')
    await pair.connected('again')
    expect(brokerPid(platform.home)).not.toBe(pid)
    expect(await pair.answered('again')).toMatchObject({ status: 200 })
  })

  test('a device of ours calls an instance and hears what another one tells', async () => {
    const flows = [tab, ...asked('ask', call(pair.to.id)), ...noted('any', 'any', anyNews), file]
    const { agent, got } = await startDevice(platform, pair.from, flows)
    await until(
      () => agent.visit('/ask?text=oven'),
      ({ text }) => text === 'yes, oven',
      90_000,
    )
    await pair.ask('tell', 'closed')
    expect(await until(got, (lines) => lines.length > 0)).toEqual(['any closed'])
  })

  test('the package of 2023 in a Node-RED elsewhere calls an instance here and hears what another one tells', async () => {
    const news = [...noted('any', 'any', anyNews), file]
    const old = await startOldDevice(platform, pair.from, [tab, ...asked('ask', call(pair.to.id)), ...news])
    await until(
      // A call that is made before its nodes have subscribed to the answers is lost, and nothing answers then.
      () => old.visit('ask', 'old'),
      (text) => text === 'yes, old',
      90_000,
    )
    await pair.ask('tell', 'late')
    expect(await until(old.got, (lines) => lines.length > 0)).toEqual(['any late'])
  })

  test('an instance of another team neither hears nor reaches anybody here', async () => {
    const { server, owner } = platform
    const team = await server.build.team(owner)
    const application = await server.build.application(owner, team)
    const choice = await platform.choiceOf('5.0.7')
    const created = { body: { name: 'strangers', applicationId: application.id, ...choice } }
    const stranger: Instance = await owner.client.call('instance.create', created)
    await platform.inState(stranger.id, 'running')
    // It listens to all, and sends to the instance here by its id.
    await platform.importTo(stranger, [...sending(pair.to.id), ...noted('any', 'any', anyNews), file])
    const heard = async () => linesOf(join(platform.home, 'instances', stranger.id, 'user', 'got.txt'))
    await until(
      async () => {
        await platform.visit(stranger.name, '/tell?text=ours')
        return heard()
      },
      (lines) => lines.includes('any ours'),
    )
    await platform.visit(stranger.name, '/send?text=theirs')
    await pair.ask('tell', 'secret')
    await pair.arrives('any secret')
    await pair.connected('after')
    expect((await pair.got()).filter((line) => /theirs|ours/.test(line))).toEqual([])
    expect((await heard()).filter((line) => line.includes('secret'))).toEqual([])
  })
})

test.each(['SQLite', 'PostgreSQL'])(
  'messages go on while the platform is away, and after it is back: on %s, with a device',
  async (database) => {
    const cluster = database === 'SQLite' ? undefined : await startPostgres({ durable: false })
    onTestFinished(async () => cluster?.stop())
    const databaseUrl = cluster ? await createDatabase(cluster.url) : ''
    const own = await openRealPlatform({ broker: embeddedBroker, databaseUrl })
    onTestFinished(() => own.sweep())
    const { from, to, ask, answered, arrives } = await talkers(own, '5.0.7')
    const device = await startDevice(own, to, [tab, ...noted('sent', 'sent', toOwn), file])
    const heard = async (line: string) => until(device.got, (lines) => lines.includes(line), 60_000)
    await until(
      async () => {
        await ask('send', 'before')
        return device.got()
      },
      (lines) => lines.includes('sent before'),
      90_000,
    )
    const at = own.server.driver.endpoint(from.id) as { socketPath: string }
    await own.server.stop()
    await visitSocket(at.socketPath, '/send?text=dark')
    await arrives('sent dark')
    await visitSocket(at.socketPath, '/ask?text=dark')
    const again = await startServer({ config: own.server.config, driver: openDriver })
    onTestFinished(() => again.close())
    // It waited for the device, whose connection goes through the server.
    await heard('sent dark')
    await visitSocket(at.socketPath, '/send?text=light')
    expect(await arrives('sent light')).toContain('sent light')
    await heard('sent light')
    expect(await answered('light')).toMatchObject({ status: 200 })
  },
)
