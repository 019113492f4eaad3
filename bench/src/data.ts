import { password, startServer, until } from '@app/server/testing'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fillAuditLog } from './data.audit.ts'

const cache = join(import.meta.dirname, '../../.cache/bench')
const migrations = join(import.meta.dirname, '../../apps/server/migrations')

/** Sizes of the data; small ones to try the bench itself. */
export const sizes = {
  full: { teams: 50, auditRows: 1_000_000, ownAuditRows: 200_000, instances: 20, members: 200 },
  /** For what shows itself only with many instances. */
  long: { teams: 3, auditRows: 3_000, ownAuditRows: 1_000, instances: 100, members: 0 },
  quick: { teams: 3, auditRows: 3_000, ownAuditRows: 1_000, instances: 2, members: 4 },
}
export type Sizes = (typeof sizes)['full']

/** Facts about the data that measures need. */
export interface Data {
  username: string
  password: string
  /** Ten more users with the same password: tries at one account are limited. */
  people: string[]
  /** Members of the other teams, evenly spread, with the same password. */
  members: { username: string; teamId: string }[]
  /** Ten applications with nine suspended instances each, and its part of the audit log. */
  teamId: string
  /** Suspended instances with a flow that answers GET /ping, in a team of their own. */
  instances: { id: string; name: string }[]
  applicationId: string
  choice: { projectType: string; stack: string; template: string }
}

/** Answers GET /ping with a short text, the least that Node-RED does for a request; GET /line?n=1 logs the number too. */
export const pingFlow = [
  { id: 'a1', type: 'tab', label: 'Ping' },
  { id: 'a2', type: 'http in', z: 'a1', name: '', url: '/ping', method: 'get', wires: [['a3']], x: 100, y: 100 },
  {
    id: 'a3',
    type: 'template',
    z: 'a1',
    name: '',
    field: 'payload',
    template: 'pong',
    output: 'str',
    wires: [['a4']],
    x: 250,
    y: 100,
  },
  { id: 'a4', type: 'http response', z: 'a1', name: '', statusCode: '200', headers: {}, wires: [], x: 400, y: 100 },
  { id: 'b2', type: 'http in', z: 'a1', name: '', url: '/line', method: 'get', wires: [['b3']], x: 100, y: 200 },
  {
    id: 'b3',
    type: 'function',
    z: 'a1',
    name: '',
    func: 'node.warn(`line ${msg.payload.n}`); return msg',
    outputs: 1,
    libs: [],
    wires: [['a4']],
    x: 250,
    y: 200,
  },
]

/** A fresh copy of the data, which is made once for each state of the schema. Remove `home` afterwards. */
export async function freshCopy(wanted: Sizes): Promise<{ home: string; data: Data }> {
  const made = join(cache, digest(wanted))
  if (!existsSync(made)) {
    rmSync(cache, { recursive: true, force: true })
    // The users of instances have to get past it to their folders.
    mkdirSync(cache, { recursive: true, mode: 0o755 })
    const unfinished = join(cache, 'unfinished')
    const data = await make(unfinished, wanted)
    writeFileSync(join(unfinished, 'bench.json'), JSON.stringify(data))
    renameSync(unfinished, made)
  }
  const home = join(cache, `run-${process.pid}`)
  cpSync(made, home, { recursive: true })
  return { home, data: JSON.parse(readFileSync(join(home, 'bench.json'), 'utf8')) as Data }
}

/** Through the services that make these things in production, except for the mass of audit entries. */
async function make(home: string, wanted: Sizes): Promise<Data> {
  const server = await startServer({ config: { home } })
  const { build } = server
  await build.choice()
  const owner = await build.user()
  const people: string[] = []
  for (let i = 0; i < 10; i++) people.push((await build.user()).username)
  const team = await build.team(owner)
  for (let i = 0; i < 10; i++) {
    const application = await build.application(owner, team)
    for (let j = 0; j < 9; j++) await suspendedInstance(application)
  }
  const real = await build.team(owner)
  const application = await build.application(owner, real)
  const instances: Data['instances'] = []
  for (let i = 0; i < wanted.instances; i++) instances.push(await withFlow(await suspendedInstance(application)))
  const others = []
  for (let i = 0; i < wanted.teams - 1; i++) others.push(await build.team(owner))
  const members: Data['members'] = []
  for (let i = 0; i < wanted.members; i++) {
    const of = others[i % others.length]!
    members.push({ username: (await build.member(of, 30)).username, teamId: of.id })
  }
  const choice = await build.choice()
  await server.stop()
  fillAuditLog(join(home, 'forge.db'), {
    rows: wanted.auditRows,
    own: wanted.ownAuditRows,
    team: team.id,
    others: others.map(({ id }) => id),
    user: owner,
  })
  // Otherwise every server that is measured would do it beside.
  const sealing = await startServer({ config: server.config })
  await sealing.app.services.sealer.seal()
  await sealing.stop()
  return {
    username: owner.username,
    password,
    people,
    members,
    teamId: team.id,
    instances,
    applicationId: application.id,
    choice,
  }

  /** Suspended, so that a server started on the data has nothing to start. */
  async function suspendedInstance(parent: { id: string }) {
    const { id, name, team } = await build.instance(owner, parent)
    const inState = (state: string) =>
      until(
        () => owner.client.call('instance.get', { params: { instanceId: id } }),
        (instance) => instance.meta.state === state,
      )
    await inState('running')
    await owner.client.call('instance.suspend', { params: { instanceId: id } })
    await inState('suspended')
    return { id, name, team }
  }

  async function withFlow(instance: { id: string; name: string; team: { id: string } }) {
    const headers = {
      authorization: `Bearer ${await build.instanceToken(instance)}`,
      'content-type': 'application/json',
    }
    const reply = await fetch(`${server.address}/storage/${instance.id}/flows`, {
      method: 'POST',
      headers,
      body: JSON.stringify(pingFlow),
    })
    if (!reply.ok) throw new Error(`The flow was not stored: ${reply.status} ${await reply.text()}`)
    return { id: instance.id, name: instance.name }
  }
}

/** Names a state of the schema, of what is made and of how. */
function digest(wanted: Sizes): string {
  const hash = createHash('sha256').update(JSON.stringify(wanted))
  for (const folder of [migrations, import.meta.dirname])
    for (const name of readdirSync(folder).sort())
      if (folder === migrations || name.startsWith('data')) hash.update(readFileSync(join(folder, name)))
  return hash.digest('hex').slice(0, 16)
}
