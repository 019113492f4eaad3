import type { Instance } from '@app/contract'
import type { TestServer, TestTeam, TestUser } from './index.ts'

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

interface MatrixTeam {
  id: string
  instances: string[]
  devices: string[]
}
interface Credentials {
  username: string
  password: string
}
/** A client of a broker. Each call says whether it was allowed. */
export interface MatrixClient {
  publish(topic: string, body: unknown): Promise<boolean>
  subscribe(filter: string): Promise<boolean>
  unsubscribe(filter: string): Promise<void>
  end(): Promise<void>
}
type Connect = (credentials: Credentials, clientId?: string) => Promise<MatrixClient>
export type MatrixWorld = Awaited<ReturnType<typeof openMatrix>>

/** Two teams with instances and devices, and one client of each kind. `settled` resolves once the broker knows them. */
export async function openMatrix(server: TestServer, connect: Connect, settled: () => Promise<unknown>) {
  const passwords = new Map<string, Credentials>()
  const { brokerClients } = server.app.services

  /** Two instances and three devices: the first two of the first and second instance, the third of none. */
  async function build(owner: TestUser, team: TestTeam): Promise<MatrixTeam> {
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

  const { owner, team } = await server.build.platform()
  const other = await server.build.user()
  const mine = await build(owner, team)
  const theirs = await build(other, await server.build.team(other))
  const [assigned, lone] = [passwords.get(mine.devices[0]!)!, passwords.get(mine.devices[2]!)!]
  const ofInstance = async (of: MatrixTeam) =>
    (await brokerClients.ofInstance({ id: of.instances[0]!, teamId: of.id }))!
  const instance = await ofInstance(mine)
  const stranger = await ofInstance(theirs)
  await settled()
  const platform = { username: 'forge_platform', password: brokerClients.platformPassword }
  const open: Record<Kind, MatrixClient> = {
    platform: await connect(platform, 'forge_platform:matrix'),
    instance: await connect(instance),
    // The nodes for messages have a session of their own, and so have those of each replica.
    replica: await connect(instance, `${instance.username}:n:1f2e`),
    'assigned device': await connect(assigned),
    'device nodes': await connect(assigned, `${assigned.username}:n`),
    'lone device': await connect(lone),
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

  return {
    mine,
    theirs,
    owner,
    open,
    instance,
    stranger,
    assigned,

    /** Tries the whole matrix, so many cells at once. Returns what is not as it should be, and how much was tried. */
    async tryAll(atOnce: number) {
      const wrong: string[] = []
      async function tryOne([client, act, what, whose]: (typeof cells)[number]): Promise<void> {
        const { publish, subscribe, unsubscribe } = open[client]
        const topic = topicOf(what, whose, client)
        const isInstance = client === 'instance' || client === 'replica'
        const group = act === 'join' ? mine.instances[1] : isInstance ? mine.instances[0] : 'group'
        const filter = act === 'share' || act === 'join' ? `$share/${group}/${topic}` : topic
        const may = act === 'publish' ? await publish(topic, 1) : await subscribe(filter)
        if (may && act !== 'publish') await unsubscribe(filter)
        if (may !== expected(client, act, what, whose)) wrong.push(`${client} ${act} ${what} of ${whose}: ${may}`)
      }
      // The library refuses to send what no broker would take.
      const tried = cells.filter(([, act, , whose]) => act !== 'publish' || whose !== 'every')
      const rest = [...tried]
      while (rest.length > 0) await Promise.all(rest.splice(0, atOnce).map(tryOne))
      return { wrong, tried: tried.length }
    },

    /** Filters of shared groups, with what an instance may. */
    groups(): [string, boolean][] {
      const [own, other] = mine.instances
      const incoming = `ff/v1/${mine.id}/p/${own}/in/#`
      return [
        [`$share/${own}/${incoming}`, true],
        [`$share/${other}/${incoming}`, false],
        [`$share/x/$share/${own}/${incoming}`, false],
        [`$share/${own}/ff/v1/${theirs.id}/p/+/out/#`, false],
        [`$share/${own}/#`, false],
      ]
    },

    /** Filters that take in more than anybody but the platform may hear. */
    everything(): string[] {
      const { id } = mine
      const teams = ['#', '+/#', 'ff/#', 'ff/v1/#', 'ff/v1/+/p/+/out/#', '$SYS/#', '$CONTROL/#']
      return [...teams, `ff/v1/${id}/#`, `ff/v1/${id}/p/#`, `ff/v1/${id}/p/${mine.instances[0]}/#`]
    },

    async close() {
      await Promise.all(Object.values(open).map((client) => client.end()))
    },
  }
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

const cells = clients.flatMap((client) =>
  (['publish', 'subscribe', 'share', 'join'] as const).flatMap((act) =>
    [...kinds, ...messages].flatMap((what) => owners.map((whose) => [client, act, what, whose] as const)),
  ),
)
