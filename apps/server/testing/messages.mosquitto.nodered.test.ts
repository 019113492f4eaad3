import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createDatabase, startPostgres } from '../../../tools/test/postgres.ts'
import { openDriver } from '../src/drivers.ts'
import { startServer, until } from './index.ts'
import { receiving, replicate, sending, startDevice, startOldDevice, talkers, visitSocket } from './messages.world.ts'
import { openMosquitto } from './mosquitto.ts'
import { openRealPlatform, type RealPlatform } from './real.platform.ts'

/*
 * The nodes `project link in`, `out` and `call` over a Mosquitto whose dynamic security the platform drives, on PostgreSQL.
 */
// Up to eight processes of Node-RED start here, and machines are loaded.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

let cluster: Awaited<ReturnType<typeof startPostgres>>
let mosquitto: Awaited<ReturnType<typeof openMosquitto>>
let platform: RealPlatform
let pair: Awaited<ReturnType<typeof talkers>>
let stop: () => Promise<unknown>
beforeAll(async () => {
  cluster = await startPostgres({ durable: false })
  mosquitto = await openMosquitto()
  platform = await openRealPlatform({ broker: mosquitto.broker, databaseUrl: await createDatabase(cluster.url) })
  stop = platform.server.stop
  pair = await talkers(platform, '5.0.7')
})
afterAll(async () => {
  await stop()
  await platform.sweep()
  await mosquitto.close()
  await cluster.stop()
})

test('instances send, call and tell, and each message arrives once by each way', async () => {
  const { ask, answered, arrives } = pair
  await ask('send', 'rye')
  await arrives('sent rye')
  expect(await answered('rye')).toMatchObject({ status: 200 })
  await ask('tell', 'open')
  await arrives('any open')
  const lines = await arrives('one open')
  expect(lines.filter((line) => /rye|open/.test(line)).toSorted()).toEqual(['any open', 'one open', 'sent rye'])
})

test('devices send, call, tell, hear and answer as the instances that they belong to', async () => {
  const { from, to, got, arrives } = pair
  const speaker = await startDevice(platform, from, sending(to.id))
  const hearer = await startDevice(platform, to, receiving(from.id))
  const by = async (path: string, text: string) => speaker.agent.visit(`/${path}?text=${text}`)
  const both = async (line: string) => {
    await arrives(line)
    await until(hearer.got, (lines) => lines.includes(line))
  }
  await until(
    async () => {
      await by('send', 'begin')
      return [await got(), await hearer.got()]
    },
    (all) => all.every((lines) => lines.includes('sent begin')),
    120_000,
  )
  await by('send', 'oats')
  await both('sent oats')
  await by('tell', 'spelt')
  await both('any spelt')
  await both('one spelt')
  expect(await by('ask', 'oats')).toMatchObject({ text: 'yes, oats' })
  // The device alone answers now.
  await platform.act('stop', to.id)
  await platform.settled(to.id)
  expect(await by('ask', 'alone')).toMatchObject({ text: 'yes, alone' })
  expect((await pair.ask('ask', 'instance')).text).toBe('yes, instance')
  await platform.act('start', to.id)
  await platform.settled(to.id)
  await pair.connected('afterwards')
})

test('the package of 2023 in a Node-RED elsewhere sends, calls and tells as the device that it is', async () => {
  const { visit } = await startOldDevice(platform, pair.from, sending(pair.to.id))
  await until(
    () => visit('ask', 'old'),
    (text) => text === 'yes, old',
    90_000,
  )
  await visit('send', 'old')
  await pair.arrives('sent old')
  await visit('tell', 'old')
  await pair.arrives('one old')
})

test('one of two replicas handles each message, and answers reach the replica that asked', async () => {
  await replicate(platform, pair)
  const names = Array.from({ length: 12 }, (_, number) => `shared-${number}`)
  for (const name of names) await pair.ask('send', name)
  const answers = await Promise.all(names.slice(0, 6).map(async (name) => (await pair.ask('ask', name)).text))
  expect(answers).toEqual(names.slice(0, 6).map((name) => `yes, ${name}`))
  const lines = await until(pair.got, (all) => names.every((name) => all.includes(`sent ${name}`)))
  expect(lines.filter((line) => line.startsWith('sent shared-')).toSorted()).toEqual(
    names.map((name) => `sent ${name}`).toSorted(),
  )
})

test('messages go on through a restart of the platform and of Mosquitto', async () => {
  const at = platform.server.driver.endpoint(pair.from.id) as { socketPath: string }
  await platform.server.stop()
  await visitSocket(at.socketPath, '/send?text=dark')
  await pair.arrives('sent dark')
  await mosquitto.end('SIGKILL')
  await mosquitto.start()
  // No server is there to say who may connect.
  const got = await until(
    async () => {
      await visitSocket(at.socketPath, '/send?text=alone')
      return pair.got()
    },
    (lines) => lines.includes('sent alone'),
    60_000,
  )
  expect(got).toContain('sent dark')
  ;({ stop } = await startServer({ config: platform.server.config, driver: openDriver }))
  await visitSocket(at.socketPath, '/send?text=light')
  await pair.arrives('sent light')
})
