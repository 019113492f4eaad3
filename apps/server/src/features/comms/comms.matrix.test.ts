import { mayPublish, maySubscribe, type TopicRights } from '@app/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectBroker, embeddedBroker } from '../../../testing/broker.ts'
import { type MatrixClient, type MatrixWorld, openMatrix } from '../../../testing/broker.matrix.ts'
import { send, startServer, type TestServer, until } from '../../../testing/index.ts'
import { openMosquitto } from '../../../testing/mosquitto.ts'

interface Credentials {
  username: string
  password: string
}

/** A client that asks as a broker does which asks this server over HTTP about each connection, message and subscription. */
async function connectByHooks(
  server: TestServer,
  { username, password }: Credentials,
  clientid = username,
): Promise<MatrixClient> {
  const ask = async (what: string, body: object) => {
    const { status } = await send(server.address, 'POST', `/api/comms/auth/${what}`, { body })
    if (status !== 200 && status !== 401) throw new Error(`the hook answered ${status}`)
    return status === 200
  }
  if (!(await ask('client', { clientid, username, password }))) throw new Error('refused')
  return {
    publish: async (topic) => ask('acl', { clientid, username, topic, acc: 2 }),
    subscribe: async (topic) => ask('acl', { clientid, username, topic, acc: 4 }),
    unsubscribe: async () => {},
    end: async () => {},
  }
}

const ways = [
  {
    name: 'the embedded broker',
    async begin() {
      const server = await startServer({ config: { broker: embeddedBroker } })
      const url = () => server.app.services.brokerProcess!.localUrl()!
      return { server, url, settled: async () => undefined, close: async () => undefined }
    },
  },
  {
    name: 'Mosquitto',
    async begin() {
      const mosquitto = await openMosquitto()
      const server = await startServer({ config: { broker: mosquitto.broker } })
      const settled = async () => {
        const { recheck, isInStep } = server.app.services.mosquitto!
        await until(async () => isInStep(), Boolean)
        recheck()
        await until(async () => isInStep(), Boolean)
      }
      return { server, url: () => mosquitto.url, settled, close: mosquitto.close }
    },
  },
] as const

describe.each(ways)('$name', ({ begin }) => {
  let server: TestServer
  let world: MatrixWorld
  let close: () => Promise<unknown>
  let url: () => string
  const connect = async (credentials: Credentials, clientId?: string) => {
    const { client, ...calls } = await connectBroker(url(), credentials, clientId === undefined ? {} : { clientId })
    return { ...calls, unsubscribe: async (filter: string) => void (await client.unsubscribeAsync(filter)) }
  }
  beforeAll(async () => {
    const begun = await begin()
    ;({ server, close, url } = begun)
    world = await openMatrix(server, connect, begun.settled)
  })
  afterAll(async () => {
    await world.close()
    await server.close()
    await close()
  })

  test('gives every kind of client what the protocol allows it, and nothing of another team', async () => {
    expect(await world.tryAll(10)).toEqual({ wrong: [], tried: 990 })
  })

  test('lets a group be an own one, and lets nobody ask for everything or for the broker itself', async () => {
    for (const [filter, may] of world.groups())
      expect([filter, await world.open.instance.subscribe(filter)]).toEqual([filter, may])
    for (const kind of ['instance', 'assigned device', 'lone device'] as const)
      for (const filter of world.everything())
        expect([filter, await world.open[kind].subscribe(filter)]).toEqual([filter, false])
  })

  test('brings no message to another team, also where both listen to everything they may', async () => {
    const { mine, theirs } = world
    const [own, id] = [mine.instances[0]!, theirs.instances[0]!]
    const [ours, stranger] = [
      await connectBroker(url(), world.instance, { clientId: `${world.instance.username}:n:0001` }),
      await connectBroker(url(), world.stranger),
    ]
    expect(await stranger.subscribe(`ff/v1/${theirs.id}/p/+/out/#`)).toBe(true)
    expect(await stranger.subscribe(`ff/v1/${theirs.id}/p/${id}/in/#`)).toBe(true)
    expect(await ours.subscribe(`ff/v1/${mine.id}/p/+/out/#`)).toBe(true)
    expect(await ours.publish(`ff/v1/${mine.id}/p/${own}/out/line`, 'ours')).toBe(true)
    expect(await ours.publish(`ff/v1/${mine.id}/p/${id}/in/line`, 'to an id of theirs')).toBe(true)
    expect(await stranger.publish(`ff/v1/${theirs.id}/p/${id}/out/line`, 'theirs')).toBe(true)
    await until(
      async () => [ours.heard.at(-1)?.body, stranger.heard.at(-1)?.body],
      ([left, right]) => left === 'ours' && right === 'theirs',
    )
    expect(stranger.heard.map(({ body }) => body)).toEqual(['theirs'])
    await Promise.all([ours.end(), stranger.end()])
  })
})

describe('a broker that asks over HTTP', () => {
  let server: TestServer
  let world: MatrixWorld
  beforeAll(async () => {
    const broker = { url: 'mqtt://127.0.0.1:9', password: 'of-the-platform-itself', hooksFrom: ['loopback'] }
    server = await startServer({ config: { broker } })
    world = await openMatrix(
      server,
      (credentials, clientId) => connectByHooks(server, credentials, clientId),
      async () => undefined,
    )
  })
  afterAll(async () => server.close())

  test('is told to give every kind of client what the protocol allows it, and nothing of another team', async () => {
    expect(await world.tryAll(100)).toEqual({ wrong: [], tried: 990 })
  })

  test('is told of own groups only, and of nobody who may hear everything', async () => {
    for (const [filter, may] of world.groups())
      expect([filter, await world.open.instance.subscribe(filter)]).toEqual([filter, may])
    for (const kind of ['instance', 'assigned device', 'lone device', 'platform'] as const)
      for (const filter of world.everything())
        expect([filter, await world.open[kind].subscribe(filter)]).toEqual([filter, false])
  })
})

describe('a million random topics', () => {
  const levels = ['ff', 'v1', 'a', 'b', 'p', 'd', 'in', 'out', 'res', 'res-1', '+', '#', '', '$share', 'x']
  /** The same question answered by a regular expression. */
  const pattern = (right: string) =>
    new RegExp(
      `^${right
        .split('/')
        .map((level) => (level === '+' ? '[^/]*' : level === 'res*' ? 'res(-[^/]*)?' : level.replace('$', '\\$')))
        .join('/')
        .replace(/\/#$/, '(/.*)?')}$`,
    )
  const rights: TopicRights = {
    publish: ['ff/v1/a/p/+/in/#', 'ff/v1/a/p/+/res*/#', 'ff/v1/a/d/x/status'],
    subscribe: ['ff/v1/a/p/+/out/#', 'ff/v1/a/p/b/in/#'],
  }

  test('are judged as a regular expression judges them', () => {
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((seed / 2_147_483_648) * below)
    }
    const patterns = rights.publish.map(pattern)
    const wrong: string[] = []
    let allowed = 0
    for (let n = 0; n < 1_000_000; n += 1) {
      const depth = 1 + random(4)
      const begin = random(3) === 0 ? [] : ['ff', 'v1', random(4) === 0 ? 'b' : 'a', random(4) === 0 ? 'd' : 'p']
      const topic = [...begin, ...Array.from({ length: depth }, () => levels[random(levels.length)]!)].join('/')
      const isTopic = topic !== '' && !/[+#]/.test(topic)
      const is = mayPublish(rights, topic)
      if (is !== (isTopic && patterns.some((one) => one.test(topic)))) wrong.push(topic)
      if (is) allowed += 1
      // No filter that may be subscribed to reaches beyond the team.
      if (maySubscribe(rights, topic) && !topic.startsWith('ff/v1/a/p/')) wrong.push(topic)
    }
    expect(wrong).toEqual([])
    expect(allowed).toBeGreaterThan(1_000)
  })
})
