import { type Instance, mayPublish, maySubscribe, type TopicRights } from '@app/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BrokerClient, connectBroker, embeddedBroker } from '../../../testing/broker.ts'
import { startServer, type TestServer, type TestTeam, type TestUser, until } from '../../../testing/index.ts'

/**
 * Every kind of client against every kind of topic, of its own team and of another. What is allowed is written here once
 * more, in other words than those of the platform.
 */
const clients = ['platform', 'instance', 'replica', 'assigned device', 'device nodes', 'lone device'] as const
type Kind = (typeof clients)[number]
/** `share`: in a group of its own id, `join`: in one of another instance. */
type Act = 'publish' | 'subscribe' | 'share' | 'join'

const kinds = ['l/command', 'l/status', 'd/command', 'd/status', 'd/logs', 'd/response', 'p/command'] as const
const messages = ['p/in', 'p/out', 'p/res', 'p/res-1f'] as const
/** Owners of a topic: the client itself, another one of the team, all of the team at once, one of another team. */
const owners = ['own', 'sibling', 'every', 'foreign'] as const
type Owner = (typeof owners)[number]

interface Team {
  id: string
  instances: string[]
  devices: string[]
}
let server: TestServer
let mine: Team
let theirs: Team
const open: Partial<Record<Kind, BrokerClient>> = {}

beforeAll(async () => {
  server = await startServer({ config: { broker: embeddedBroker } })
  const { owner, team } = await server.build.platform()
  const other = await server.build.user()
  mine = await build(owner, team)
  theirs = await build(other, await server.build.team(other))
  const { brokerClients, brokerProcess } = server.app.services
  const url = brokerProcess!.localUrl()!
  const [assigned, lone] = [passwords.get(mine.devices[0]!)!, passwords.get(mine.devices[2]!)!]
  open['assigned device'] = await connectBroker(url, assigned)
  open['lone device'] = await connectBroker(url, lone)
  const instance = { id: mine.instances[0]!, teamId: mine.id }
  const credentials = (await brokerClients.ofInstance(instance))!
  open.instance = await connectBroker(url, credentials)
  // The nodes for messages have a session of their own, and so have those of each replica.
  open.replica = await connectBroker(url, credentials, { clientId: `${credentials.username}:n:1f2e` })
  open['device nodes'] = await connectBroker(url, assigned, { clientId: `${assigned.username}:n` })
  const platform = { username: 'forge_platform', password: brokerClients.platformPassword }
  open.platform = await connectBroker(url, platform, { clientId: 'forge_platform:matrix' })
})
afterAll(async () => {
  await Promise.all(Object.values(open).map((client) => client.end()))
  await server.close()
})

const passwords = new Map<string, { username: string; password: string }>()
/** Two instances and three devices: the first two of the first and second instance, the third of none. */
async function build(owner: TestUser, team: TestTeam): Promise<Team> {
  const application = await server.build.application(owner, team)
  const instances: Instance[] = []
  const devices: string[] = []
  for (const name of ['one', 'two'])
    instances.push(await server.build.instance(owner, application, `${name}-${team.slug}`))
  for (const instance of [instances[0], instances[1], undefined]) {
    const body = { name: 'Oven', type: 'Pi', team: team.id }
    const { id, credentials } = await owner.client.call('device.create', { body })
    passwords.set(id, credentials.broker!)
    devices.push(id)
    if (instance)
      await owner.client.call('device.update', { params: { deviceId: id }, body: { instance: instance.id } })
  }
  return { id: team.id, instances: instances.map(({ id }) => id), devices }
}

function topicOf(what: string, whose: Owner, client: Kind): string {
  const [kind, rest] = what.split('/') as [string, string]
  const team = whose === 'foreign' ? theirs : mine
  const list = kind === 'd' ? team.devices : team.instances
  // A device without an instance has none of its own: it asks for the one that others have.
  const own = kind === 'd' && client === 'lone device' ? 2 : 0
  const id = { own: list[own], sibling: list[1], every: '+', foreign: list[0] }[whose]
  const isMessage = (messages as readonly string[]).includes(what)
  return `ff/v1/${team.id}/${kind}/${id}/${rest}${isMessage ? (whose === 'every' ? '/#' : '/line/1') : ''}`
}

/** Is this allowed, by the words of the protocol? */
function expected(client: Kind, act: Act, what: string, whose: Owner): boolean {
  const isEvery = whose === 'every'
  // A topic has no wildcards, so nobody publishes to one.
  if (act === 'publish' && isEvery) return false
  if (client === 'platform') {
    if (act === 'publish') return what.endsWith('/command')
    // It asks for all teams at once: one of them is part of that.
    return act === 'subscribe' && ['l/status', 'd/status', 'd/logs', 'd/response'].includes(what)
  }
  if (whose === 'foreign' || act === 'join') return false
  const isOwn = whose === 'own'
  if (client === 'instance' || client === 'replica') {
    if (what === 'l/command') return act === 'subscribe' && isOwn
    if (what === 'l/status') return act === 'publish' && isOwn
    if (what === 'p/in') return act === 'publish' || isOwn
    if (what === 'p/out') return act === 'publish' ? isOwn : true
    if (what.startsWith('p/res')) return act === 'publish' || (act === 'subscribe' && isOwn)
    return false
  }
  if (what === 'd/command') return act === 'subscribe' && isOwn
  if (['d/status', 'd/logs', 'd/response'].includes(what)) return act === 'publish' && isOwn
  if (client === 'lone device' || act === 'share') return false
  if (what === 'p/command') return act === 'subscribe' && isOwn
  if (what === 'p/in' || what === 'p/res') return act === 'publish' || isOwn
  if (what === 'p/out') return act === 'publish' ? isOwn : true
  return false
}

const every = clients.flatMap((client) =>
  (['publish', 'subscribe', 'share', 'join'] as const).flatMap((act) =>
    [...kinds, ...messages].flatMap((what) => owners.map((whose) => [client, act, what, whose] as const)),
  ),
)

test('every kind of client gets from the broker what the protocol allows it, and nothing of another team', async () => {
  const wrong: string[] = []
  for (const [client, act, what, whose] of every) {
    const { client: mqtt, publish, subscribe } = open[client]!
    const topic = topicOf(what, whose, client)
    // The library refuses to send what no broker would take.
    if (act === 'publish' && whose === 'every') continue
    const isInstance = client === 'instance' || client === 'replica'
    const group = act === 'join' ? mine.instances[1] : isInstance ? mine.instances[0] : 'group'
    const filter = act === 'share' || act === 'join' ? `$share/${group}/${topic}` : topic
    const may = act === 'publish' ? await publish(topic, 1) : await subscribe(filter)
    if (may && act !== 'publish') await mqtt.unsubscribeAsync(filter)
    if (may !== expected(client, act, what, whose)) wrong.push(`${client} ${act} ${what} of ${whose}: ${may}`)
  }
  expect(wrong).toEqual([])
  expect(every.length).toBe(clients.length * 4 * (kinds.length + messages.length) * owners.length)
})

test('a group is an own one, and nobody asks for everything or for the broker itself', async () => {
  const [own, other] = mine.instances
  const { subscribe } = open.instance!
  expect(await subscribe(`$share/${own}/ff/v1/${mine.id}/p/${own}/in/#`)).toBe(true)
  expect(await subscribe(`$share/${other}/ff/v1/${mine.id}/p/${own}/in/#`)).toBe(false)
  expect(await subscribe(`$share/x/$share/${own}/ff/v1/${mine.id}/p/${own}/in/#`)).toBe(false)
  const all = [
    '#',
    '+/#',
    'ff/#',
    'ff/v1/#',
    `ff/v1/${mine.id}/#`,
    `ff/v1/${mine.id}/p/#`,
    `ff/v1/+/p/+/out/#`,
    '$SYS/#',
  ]
  for (const { subscribe: ask } of [open.instance!, open['assigned device']!, open['lone device']!])
    for (const filter of all) expect([filter, await ask(filter)]).toEqual([filter, false])
})

test('a message of one team reaches nobody of another, also where both listen to everything they may', async () => {
  const url = server.app.services.brokerProcess!.localUrl()!
  const id = theirs.instances[0]!
  const credentials = (await server.app.services.brokerClients.ofInstance({ id, teamId: theirs.id }))!
  const stranger = await connectBroker(url, credentials)
  expect(await stranger.subscribe(`ff/v1/${theirs.id}/p/+/out/#`)).toBe(true)
  expect(await stranger.subscribe(`ff/v1/${theirs.id}/p/${id}/in/#`)).toBe(true)
  const { subscribe, publish, heard } = open.instance!
  expect(await subscribe(`ff/v1/${mine.id}/p/+/out/#`)).toBe(true)
  expect(await publish(`ff/v1/${mine.id}/p/${mine.instances[0]}/out/line`, 'ours')).toBe(true)
  expect(await publish(`ff/v1/${mine.id}/p/${id}/in/line`, 'to an id of theirs')).toBe(true)
  expect(await stranger.publish(`ff/v1/${theirs.id}/p/${id}/out/line`, 'theirs')).toBe(true)
  await until(
    async () => [heard.at(-1)?.body, stranger.heard.at(-1)?.body],
    ([ours, their]) => ours === 'ours' && their === 'theirs',
  )
  expect(stranger.heard.map(({ body }) => body)).toEqual(['theirs'])
  await stranger.end()
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
