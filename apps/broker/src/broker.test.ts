import { covers, mayPublish, maySubscribe } from '@app/contract/comms-topics'
import type { AddressInfo } from 'node:net'
import mqtt, { type IClientOptions, type IPublishPacket, type MqttClient } from 'mqtt'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Authority, createBroker } from './broker.ts'
import { createTcp } from './listen.ts'

const rights = { publish: ['a/+/x', 'a/#'], subscribe: ['a/#', '$share/me/a/#'] }

/** A broker that knows everybody whose password is `right`. */
async function begin(authority?: Authority) {
  const broker = createBroker(authority ?? { rightsOf: async ({ password }) => (password === 'wrong' ? null : rights) })
  const server = createTcp(broker.accept)
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const clients: MqttClient[] = []
  onTestFinished(async () => {
    await Promise.all(clients.map((client) => client.endAsync(true)))
    broker.close()
    server.close()
  })
  const connect = async (clientId: string, options: IClientOptions = {}) => {
    const given = { clientId, username: clientId, password: 'right', reconnectPeriod: 0, ...options }
    const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, given)
    clients.push(client)
    const heard: IPublishPacket[] = []
    client.on('message', (_topic, _payload, packet) => heard.push(packet))
    await new Promise((resolve, reject) => client.once('connect', resolve).once('error', reject))
    client.on('error', () => {})
    return { client, heard, texts: () => heard.map(({ payload }) => payload.toString()) }
  }
  return { broker, connect }
}

test('a right covers a filter only if it covers every topic of it', () => {
  const yes = [
    ['a/+/c', 'a/b/c'],
    ['a/#', 'a/b/c'],
    ['a/#', 'a'],
    ['a/#', 'a/+/#'],
    ['a/+', 'a/+'],
    ['a/res*/#', 'a/res-1f/b'],
    ['a/res*/#', 'a/res/b'],
  ] as const
  const no = [
    ['a/+/c', 'a/#'],
    ['a/b', 'a/+'],
    ['a/+', 'a/#'],
    ['a/+', 'a/b/c'],
    ['a/b/c', 'a/b'],
    ['a/res*/#', 'a/result/b'],
    ['a/res*/#', 'a/+/b'],
    ['a/#', '#'],
    ['a/#', 'b/a'],
  ] as const
  for (const [right, filter] of yes) expect([right, filter, covers(right, filter)]).toEqual([right, filter, true])
  for (const [right, filter] of no) expect([right, filter, covers(right, filter)]).toEqual([right, filter, false])
  expect(mayPublish(rights, 'a/+')).toBe(false)
  expect(maySubscribe(rights, 'a/b+')).toBe(false)
})

describe.each([4, 5] as const)('MQTT version %i', (protocolVersion) => {
  test('messages reach who subscribed, and nobody who may not', async () => {
    const { connect } = await begin()
    const [one, two] = [await connect('one', { protocolVersion }), await connect('two', { protocolVersion })]
    expect(await two.client.subscribeAsync('a/+/x', { qos: 2 })).toMatchObject([{ qos: 1 }])
    await expect(two.client.subscribeAsync('b/#')).rejects.toThrow()
    const said = one.client.publishAsync('b/1', 'no', { qos: 1 }).then(
      () => 'taken',
      (error: { code: number }) => error.code,
    )
    // The former version has no way to say no.
    expect(await said).toBe(protocolVersion === 5 ? 0x87 : 'taken')
    for (const qos of [0, 1, 2] as const) await one.client.publishAsync('a/1/x', `${qos}`, { qos })
    await vi.waitFor(() => expect(two.texts()).toEqual(['0', '1', '2']))
    expect(two.heard.map(({ qos }) => qos)).toEqual([0, 1, 1])
    await two.client.unsubscribeAsync('a/+/x')
    await two.client.subscribeAsync('a/end')
    await one.client.publishAsync('a/1/x', 'late', { qos: 1 })
    await one.client.publishAsync('a/end', 'end', { qos: 1 })
    await vi.waitFor(() => expect(two.texts().at(-1)).toBe('end'))
    expect(two.texts()).not.toContain('late')
  })

  test('an unknown client is refused, and one is told to come back while nobody can say who it is', async () => {
    const { connect } = await begin({
      rightsOf: async ({ username }) => (username === 'early' ? undefined : null),
    })
    await expect(connect('one', { protocolVersion })).rejects.toMatchObject({ code: protocolVersion === 5 ? 0x86 : 4 })
    await expect(connect('early', { protocolVersion })).rejects.toMatchObject({
      code: protocolVersion === 5 ? 0x88 : 3,
    })
  })

  test('a session that is kept gets what came meanwhile, and what was not acknowledged again', async () => {
    const { connect } = await begin()
    const kept = {
      protocolVersion,
      clean: false,
      ...(protocolVersion === 5 && { properties: { sessionExpiryInterval: 60 } }),
    }
    const one = await connect('one')
    const first = await connect('two', kept)
    await first.client.subscribeAsync('a/#', { qos: 1 })
    first.client.stream.destroy()
    await first.client.endAsync(true)
    for (const text of ['1', '2', '3']) await one.client.publishAsync('a/b', text, { qos: 1 })
    await one.client.publishAsync('a/b', 'lost', { qos: 0 })
    const again = await connect('two', kept)
    await vi.waitFor(() => expect(again.texts()).toEqual(['1', '2', '3']))
    const clean = await connect('two', { protocolVersion, clean: true })
    await one.client.publishAsync('a/b', '4', { qos: 1 })
    await clean.client.subscribeAsync('a/end')
    await one.client.publishAsync('a/end', 'end')
    await vi.waitFor(() => expect(clean.texts()).toEqual(['end']))
  })

  test('a second client of the same id ends the first, whose will is published', async () => {
    const { connect } = await begin()
    const watcher = await connect('watcher')
    await watcher.client.subscribeAsync('a/will')
    const will = { topic: 'a/will', payload: Buffer.from('gone'), qos: 1 as const, retain: false }
    const first = await connect('one', { protocolVersion, will })
    const closed = new Promise((resolve) => first.client.once('close', () => resolve(true)))
    await connect('one', { protocolVersion })
    expect(await closed).toBe(true)
    await vi.waitFor(() => expect(watcher.texts()).toEqual(['gone']))
  })
})

test('MQTT 5: properties of a message arrive, and members of a group take turns', async () => {
  const { connect } = await begin()
  const five = { protocolVersion: 5 as const }
  const [one, two, three] = [await connect('1', five), await connect('2', five), await connect('3', five)]
  for (const { client } of [two, three]) await client.subscribeAsync('$share/me/a/turn', { qos: 1 })
  await expect(two.client.subscribeAsync('$share/other/a/turn')).rejects.toThrow()
  await two.client.subscribeAsync('a/rich')
  const properties = {
    contentType: 'application/json',
    correlationData: Buffer.from('c'),
    responseTopic: 'a/back',
    userProperties: { _projectID: 'p', many: ['1', '2'] },
  }
  await one.client.publishAsync('a/rich', '{}', { qos: 1, properties })
  await vi.waitFor(() => expect(two.heard).toHaveLength(1))
  expect(two.heard[0]?.properties).toMatchObject(properties)
  for (const text of ['1', '2', '3', '4']) await one.client.publishAsync('a/turn', text, { qos: 1 })
  await vi.waitFor(() => expect([...two.texts(), ...three.texts()].toSorted()).toEqual(['1', '2', '3', '4', '{}']))
  expect(three.texts()).toHaveLength(2)
})

test('who loses a right loses the subscription, and who is unknown now is closed', async () => {
  let given: typeof rights | null = rights
  const { broker, connect } = await begin({ rightsOf: async () => given })
  const [one, two] = [await connect('one'), await connect('two')]
  await two.client.subscribeAsync(['a/b', 'a/c'])
  given = { publish: [], subscribe: ['a/c'] }
  await broker.recheck(['two'])
  await one.client.publishAsync('a/b', 'b', { qos: 1 })
  await one.client.publishAsync('a/c', 'c', { qos: 1 })
  await vi.waitFor(() => expect(two.texts()).toEqual(['c']))
  given = null
  const closed = new Promise((resolve) => two.client.once('close', () => resolve(true)))
  await broker.recheck()
  expect(await closed).toBe(true)
})

test('what is no MQTT, or comes before the first packet, ends the connection', async () => {
  const { broker, connect } = await begin()
  const { client } = await connect('one')
  const { port } = client.options as unknown as { port: number }
  const { connect: open } = await import('node:net')
  for (const bytes of [Buffer.from('GET / HTTP/1.1\r\n\r\n'), Buffer.from([0xc0, 0]), Buffer.alloc(20_000, 0x10)]) {
    const socket = open(port, '127.0.0.1')
    const over = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {})
    socket.resume()
    socket.write(bytes)
    await over
  }
  await vi.waitFor(() => expect(broker.clients()).toBe(1))
})

test('a client of MQTT 5 gets a copy for each subscription that it has numbered, with the number', async () => {
  const { connect } = await begin()
  const one = await connect('one', { protocolVersion: 5 })
  const two = await connect('two', { protocolVersion: 5 })
  const numbered = (subscriptionIdentifier: number) => ({ qos: 1 as const, properties: { subscriptionIdentifier } })
  await two.client.subscribeAsync('a/1/x', numbered(1))
  await two.client.subscribeAsync('a/+/x', numbered(2))
  await two.client.subscribeAsync('a/#', numbered(2))
  await one.client.publishAsync('a/1/x', 'both', { qos: 1, properties: { contentType: 'text/plain' } })
  await one.client.publishAsync('a/2/x', 'second', { qos: 0 })
  await vi.waitFor(() => expect(two.heard.length).toBe(3))
  const numbers = two.heard.map(
    ({ payload, properties: sent }) => `${payload.toString()} ${String(sent?.subscriptionIdentifier)}`,
  )
  expect(numbers.toSorted()).toEqual(['both 1', 'both 2', 'second 2'])
  expect(two.heard[0]?.properties?.contentType).toBe('text/plain')
})
