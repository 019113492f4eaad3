/*
 * Fills a server of the former version with a platform, as people would: see README.md beside this file.
 *   node make.ts <address>
 */
import { createCipheriv, createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

const [origin = ''] = process.argv.slice(2)
const password = 'correct horse battery'
type Named = { id: string; name: string }

/** Signs somebody in. Returns what calls the server as this person. */
async function signIn(username: string) {
  let cookie = ''
  async function call<T = Named>(method: string, path: string, body?: object): Promise<T> {
    const headers = { origin, cookie, ...(body && { 'content-type': 'application/json' }) }
    const reply = await fetch(origin + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path}: ${text}`)
    cookie ||= reply.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ')
    return (text ? JSON.parse(text) : undefined) as T
  }
  await call('POST', '/account/login', { username, password })
  return call
}

const alice = await signIn('alice')
const first = async (path: string, key: string) => (await alice<Record<string, Named[]>>('GET', path))[key]![0]!
for (const username of ['bob', 'carol']) {
  const person = { username, email: `${username}@example.com`, password, createDefaultTeam: false }
  await alice('POST', '/api/v1/users', { ...person, name: username })
}
const type = (await first('/api/v1/team-types', 'types')).id
const team = await alice('POST', '/api/v1/teams', { name: 'Example Bakery', slug: 'example-bakery', type })
await alice('POST', `/api/v1/teams/${team.id}/invitations`, { user: 'bob', role: 30 })
await alice('POST', `/api/v1/teams/${team.id}/invitations`, { user: 'carol', role: 10 })
const bob = await signIn('bob')
const { invitations } = await bob<{ invitations: Named[] }>('GET', '/api/v1/user/invitations')
await bob('PATCH', `/api/v1/user/invitations/${invitations[0]!.id}`)

const ovens = await alice('POST', '/api/v1/applications', { name: 'Ovens', teamId: team.id })
const packing = await alice('POST', '/api/v1/applications', { name: 'Packing', teamId: team.id })
const made = {
  projectType: (await first('/api/v1/project-types', 'types')).id,
  stack: (await first('/api/v1/stacks', 'stacks')).id,
  template: (await first('/api/v1/templates', 'templates')).id,
}
async function inState({ id }: Named, wanted: string): Promise<void> {
  for (let left = 240; left > 0; left -= 1, await delay(500)) {
    const { meta } = await alice<{ meta: { state: string; isDeploying?: boolean } }>('GET', `/api/v1/projects/${id}`)
    if (meta.state === wanted && !meta.isDeploying) return
  }
  throw new Error(`${id} is not ${wanted}`)
}
async function instance(name: string, application: Named) {
  const one = await alice('POST', '/api/v1/projects', { name, applicationId: application.id, ...made })
  await inState(one, 'running')
  return one
}
const [oven, staging, packer] = [
  await instance('oven', ovens),
  await instance('staging', ovens),
  await instance('packer', packing),
]

const credsSecret = 'the-secret-of-a-file'
const iv = Buffer.alloc(16)
const cipher = createCipheriv('aes-256-ctr', createHash('sha256').update(credsSecret).digest(), iv)
const plain = JSON.stringify({ h1: { user: 'miller', password: 'of the mill' } })
const credentials = JSON.stringify({
  $: iv.toString('hex') + cipher.update(plain, 'utf8', 'base64') + cipher.final('base64'),
})
const func = (text: string) =>
  `global.set("n", (global.get("n", "persistent") || 0) + 1, "persistent"); msg.payload = "${text} " + env.get("SHOP"); return msg`
const flows = (text: string) => [
  { id: 'a1', type: 'tab', label: 'Orders' },
  { id: 'b1', type: 'http in', z: 'a1', url: '/orders', method: 'get', x: 120, y: 80, wires: [['c1']] },
  { id: 'c1', type: 'function', z: 'a1', func: func(text), outputs: 1, x: 300, y: 80, wires: [['d1']] },
  { id: 'd1', type: 'http response', z: 'a1', x: 480, y: 80, wires: [] },
  { id: 'b2', type: 'http in', z: 'a1', url: '/mill', method: 'get', x: 120, y: 200, wires: [['h1']] },
  {
    id: 'h1',
    type: 'http request',
    z: 'a1',
    method: 'GET',
    url: 'http://127.0.0.1:4599/',
    x: 300,
    y: 200,
    wires: [['d2']],
  },
  { id: 'd2', type: 'http response', z: 'a1', x: 480, y: 200, wires: [] },
]
async function fill(one: Named, text: string): Promise<void> {
  const env = [
    { name: 'SHOP', value: 'Main Street' },
    { name: 'KEY', value: 'of the till', encrypted: true },
  ]
  await alice('PUT', `/api/v1/projects/${one.id}`, { settings: { env } })
  const body = { flows: JSON.stringify(flows(text)), credentials, credsSecret }
  await alice('POST', `/api/v1/projects/${one.id}/import`, body)
  await inState(one, 'running')
}
await fill(packer, '3 boxes')
await fill(oven, '12 loaves')
const snapshot = await alice('POST', `/api/v1/projects/${oven.id}/snapshots`, { name: 'Before Christmas' })
await fill(oven, '14 loaves')
await alice('POST', `/api/v1/projects/${oven.id}/snapshots`, { name: 'Fourteen' })

const pipeline = await alice('POST', `/api/v1/applications/${ovens.id}/pipelines`, { name: 'To the shop' })
const stages = `/api/v1/pipelines/${pipeline.id}/stages`
const stage = await alice('POST', stages, { name: 'Try', instanceId: oven.id })
await alice('POST', stages, { name: 'Sell', instanceId: staging.id, source: stage.id })
const sourceProject = { id: oven.id, options: { flows: true, credentials: true } }
await alice('PUT', `/api/v1/projects/${staging.id}`, { sourceProject })
await inState(staging, 'running')

const library = `/storage/library/${team.id}`
const meta = { outputs: 1 }
await alice('POST', `${library}/bread/dough`, { type: 'functions', name: 'dough', meta, body: 'return msg' })
await alice('POST', `${library}/bread/oven`, { type: 'flows', name: 'oven', meta, body: [{ id: 'x', type: 'inject' }] })
const device = await alice('POST', '/api/v1/devices', { name: 'Oven 3', type: 'Pi', team: team.id })
await alice('PUT', `/api/v1/devices/${device.id}`, { instance: oven.id })
await alice('PUT', `/api/v1/devices/${device.id}/settings`, { env: [{ name: 'PLACE', value: 'Cellar' }] })
await alice('POST', `/api/v1/projects/${oven.id}/devices/settings`, { targetSnapshot: snapshot.id })
const expiresAt = '2030-01-01T00:00:00.000Z'
await alice('POST', '/api/v1/user/tokens', { name: 'Nightly', scopes: ['project:read'], expiresAt })
await alice('POST', `/api/v1/projects/${packer.id}/actions/suspend`)
await inState(packer, 'suspended')
