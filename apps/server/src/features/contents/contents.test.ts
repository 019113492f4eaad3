import { type Instance, roles } from '@app/contract'
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { openWorkshop, send } from '../../../testing/index.ts'

const { server, owner, team, application, create, running, read, log, inState, raw, script, settled } =
  await openWorkshop()

const flows = [
  { id: 'tab', type: 'tab', label: 'Oven' },
  { id: 'mq', type: 'mqtt-broker', broker: 'example.com' },
]
const secrets = { mq: { user: 'baker', password: 'rye-42' } }

// By hand and not with the product's own functions: this is how Node-RED writes and reads them.
const keyOf = (secret: string) => createHash('sha256').update(secret).digest()
function encrypted(plain: object, secret: string) {
  const iv = Buffer.alloc(16, 7)
  const cipher = createCipheriv('aes-256-ctr', keyOf(secret), iv)
  return { $: iv.toString('hex') + cipher.update(JSON.stringify(plain), 'utf8', 'base64') + cipher.final('base64') }
}
function decrypted({ $ }: { $?: string }, secret: string): unknown {
  const cipher = createDecipheriv('aes-256-ctr', keyOf(secret), Buffer.from($!.slice(0, 32), 'hex'))
  return JSON.parse(cipher.update($!.slice(32), 'base64', 'utf8') + cipher.final('utf8'))
}

/** The contents a running instance is given when it asks, and the secret it was started with. */
async function held(instance: Instance) {
  // A start makes other tokens.
  await settled(instance.id)
  const headers = { authorization: `Bearer ${await server.build.instanceToken(instance)}` }
  const ask = async (kind: string) =>
    (await send(server.address, 'GET', `/storage/${instance.id}/${kind}`, { headers })).json
  const secret = script().spec(instance.id)!.credentialSecret
  return { flows: (await ask('flows')) as unknown, credentials: (await ask('credentials')) as { $?: string }, secret }
}
const bring = async (id: string, body: object) => raw('POST', `/${id}/import`, body)

describe('import', () => {
  test('[INST-53] [INST-80] [API-89] flows and credentials from files are there, the credentials under the secret of the instance', async () => {
    const instance = await running()
    const answer = await bring(instance.id, {
      flows: JSON.stringify(flows),
      credentials: JSON.stringify(encrypted(secrets, 'the old one')),
      credsSecret: ' the old one ',
    })
    expect(answer.json).toEqual({ status: 'okay' })
    const { credentials, secret, ...rest } = await held(instance)
    expect(rest.flows).toEqual(flows)
    expect(decrypted(credentials, secret)).toEqual(secrets)
    expect((await log(instance.id)).map(({ event }) => event)).toContain('project.flow-imported')
  })

  test('a running instance restarts on them', async () => {
    const instance = await running()
    const before = (await read(instance.id)).meta.lastStartTime
    await bring(instance.id, { flows: '[]' })
    await settled(instance.id)
    const { state, lastStartTime } = (await inState(instance.id, 'running')).meta
    expect([state, lastStartTime === before]).toEqual(['running', false])
    expect((await log(instance.id)).map(({ event }) => event)).toContain('project.flow-imported')
  })

  test.each([
    [{ flows: 'no' }, 400, { flows: 'Not JSON' }],
    [{ flows: '{}' }, 400, { flows: 'Does not look like a flow file' }],
    [{ flows: '[1]' }, 400, { flows: 'Does not look like a flow file' }],
    [{ flows: '[]', credentials: 'no' }, 400, { credentials: 'Not JSON' }],
  ])('[INST-49] [INST-50] %j is refused and changes nothing', async (body, status, fields) => {
    const instance = await running()
    const answer = await bring(instance.id, body)
    expect([answer.status, answer.json.fields]).toEqual([status, fields])
    expect((await held(instance)).flows).toEqual([])
  })

  test('a wrong secret is told, and nothing is kept', async () => {
    const instance = await running()
    const credentials = JSON.stringify(encrypted(secrets, 'right'))
    const answer = await bring(instance.id, { flows: JSON.stringify(flows), credentials, credsSecret: 'wrong' })
    expect([answer.status, answer.json.code]).toEqual([403, 'invalid_credentials_secret'])
    expect((await held(instance)).flows).toEqual([])
  })

  test('10,000 nodes go through', async () => {
    const instance = await running()
    const many = Array.from({ length: 10_000 }, (_, at) => ({ id: `n${at}`, type: 'debug', z: 'tab', wires: [] }))
    expect((await bring(instance.id, { flows: JSON.stringify(many) })).status).toBe(200)
    expect((await held(instance)).flows).toHaveLength(10_000)
  })

  // So much takes long where others work too.
  const patience = { timeout: 180_000 }
  test(
    'a file of 20 MB goes through whole, and one above the limit is refused with its own words',
    patience,
    async () => {
      const instance = await running()
      const file = (megabytes: number) =>
        JSON.stringify([{ id: 'big', type: 'comment', info: 'x'.repeat(megabytes * 1024 * 1024) }])
      const flowsFile = file(20)
      expect((await bring(instance.id, { flows: flowsFile })).status).toBe(200)
      const refused = await bring(instance.id, { flows: file(33) })
      expect(refused.json).toMatchObject({ code: 'too_large', statusCode: 413, message: 'The request is too large' })
      expect(JSON.stringify((await held(instance)).flows)).toHaveLength(flowsFile.length)
    },
  )
})

describe('a copy', () => {
  async function source(): Promise<Instance> {
    const instance = await running()
    await bring(instance.id, { flows: JSON.stringify(flows), credentials: JSON.stringify(secrets) })
    await settled(instance.id)
    const env = [
      { name: 'SITE', value: 'bakery' },
      { name: 'KEY', value: 'rye-42', encrypted: true },
    ]
    const palette = { modules: [{ name: 'node-red-node-random', version: '*' }] }
    await raw('PUT', `/${instance.id}`, { settings: { env, palette } })
    await inState(instance.id, 'running')
    const headers = { authorization: `Bearer ${await server.build.instanceToken(instance)}` }
    // As Node-RED notes what its palette manager has installed.
    const nodes = { found: { name: 'found', version: '1.2.3', local: true, user: true, nodes: {} } }
    await send(server.address, 'POST', `/storage/${instance.id}/settings`, { headers, body: { nodes } })
    return read(instance.id)
  }
  async function copy(from: Instance, options?: object): Promise<Instance> {
    const { projectType, stack, template } = from
    const body = {
      name: `copy-${from.name}-${Math.random().toString(36).slice(2, 8)}`,
      applicationId: application.id,
      projectType: projectType.id,
      stack: stack.id,
      template: template.id,
      sourceProject: { id: from.id, ...(options ? { options } : {}) },
    }
    const { status, json } = await raw('POST', '', body)
    expect([status, json.code]).toEqual([200, undefined])
    return read(String(json.id))
  }
  const own = ({ settings }: Instance) => (settings.env ?? []).filter(({ platform }) => !platform)

  test('[API-72] [INST-04] [INST-80] has flows, modules (those from its editor as well) and variables, and credentials that decrypt there and only there', async () => {
    const from = await source()
    const made = await copy(from)
    const [theirs, its] = [await held(from), await held(made)]
    expect(its.flows).toEqual(flows)
    expect(decrypted(its.credentials, its.secret)).toEqual(secrets)
    expect(() => decrypted(its.credentials, theirs.secret)).toThrow()
    expect(made.settings.palette?.modules).toEqual([
      { name: 'node-red-node-random', version: '*', local: false },
      { name: 'found', version: '1.2.3', local: true },
    ])
    expect(own(made)).toEqual([
      { name: 'SITE', value: 'bakery' },
      { name: 'KEY', value: '', encrypted: true },
    ])
    await inState(made.id, 'running')
    const headers = { authorization: `Bearer ${await server.build.instanceToken(made)}` }
    const { json } = await send(server.address, 'GET', `/api/v1/projects/${made.id}/settings`, { headers })
    expect(json.env).toMatchObject({ SITE: 'bakery', KEY: 'rye-42' })
    const [entry] = (await log(made.id)).filter(({ event }) => event === 'project.duplicated')
    expect(entry?.body).toMatchObject({ sourceProject: { id: from.id, name: from.name } })
    const params = { teamId: made.team.id }
    const ofTeam = await owner.client.call('team.auditLog', {
      params,
      query: { event: 'project.duplicated', limit: 1 },
    })
    expect(ofTeam.log[0]?.body).toEqual(entry?.body)
  })

  test('[INST-44] takes what was chosen: names of variables without values, no credentials without flows', async () => {
    const from = await source()
    const made = await copy(from, { flows: false, credentials: true, nodes: false, envVars: 'keys' })
    const { flows: its, credentials } = await held(made)
    expect([its, credentials]).toEqual([[], {}])
    expect(made.settings.palette?.modules).toEqual([])
    expect(own(made).map(({ name, value }) => [name, value])).toEqual([
      ['SITE', ''],
      ['KEY', ''],
    ])
  })

  test('of an instance elsewhere or of none is refused', async () => {
    const stranger = await server.build.user()
    const theirs = await server.build.team(stranger)
    const away = await server.build.instance(stranger, await server.build.application(stranger, theirs), 'far-away')
    const beside = await server.build.instance(owner, await server.build.application(owner, team), 'beside-it')
    const { projectType, stack, template } = await create()
    const attempt = async (id: string) => {
      const body = {
        name: 'never-made',
        applicationId: application.id,
        projectType: projectType.id,
        stack: stack.id,
        template: template.id,
        sourceProject: { id },
      }
      const { status, json } = await raw('POST', '', body)
      return [status, json.code]
    }
    expect(await attempt('none')).toEqual([400, 'invalid_source_project'])
    // The answer does not tell that another team has it.
    expect(await attempt(away.id)).toEqual([400, 'invalid_source_project'])
    expect(await attempt(beside.id)).toEqual([403, 'invalid_source_project'])
    expect(
      (await owner.client.call('instance.listOfTeam', { params: { teamId: team.id }, query: { query: 'never-made' } }))
        .count,
    ).toBe(0)
  })

  test('a member neither copies nor imports', async () => {
    const member = await server.build.member(team, roles.member)
    const { id } = await create()
    const headers = { cookie: member.cookie }
    const imported = await send(server.address, 'POST', `/api/v1/projects/${id}/import`, {
      headers,
      body: { flows: '[]' },
    })
    expect(imported.status).toBe(403)
  })
})
