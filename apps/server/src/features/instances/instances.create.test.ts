import { limits, reservedInstanceNames } from '@app/contract'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import {
  instanceCalls,
  openPlatform,
  openStream,
  send,
  startServer,
  type Stream,
  until,
} from '../../../testing/index.ts'

let stream: Stream
const { create, log, raw, read, running, script, settled } = instanceCalls(() => ({ server, owner, application }))

const { server, owner, team } = await openPlatform()
const application = await server.build.application(owner, team, 'Oven line')
beforeEach(async () => {
  stream?.close()
  stream = await openStream(server.address, { cookie: owner.cookie })
})
afterAll(async () => {
  stream.close()
})

let serial = 0
const attempt = async (change: object) =>
  raw('POST', '', {
    name: `tried-${(serial += 1)}`,
    applicationId: application.id,
    ...(await server.build.choice()),
    ...change,
  })

describe('creating', () => {
  test('[INST-72] [INST-73] [API-72] shows named steps and states as they come, and the whole instance', async () => {
    script().haveStacks('4.1.15')
    const made = await create('Oven-Line')
    expect(made.meta).toMatchObject({ state: 'starting', isDeploying: false })
    const job = await stream.heard(
      (event) => event.type === 'job' && event.subject === made.id && event.job.state === 'done',
    )
    expect(job).toMatchObject({
      job: {
        kind: 'instance.create',
        title: 'Create instance',
        steps: ['Prepare Node-RED', 'Install modules', 'Start Node-RED', 'Wait for Node-RED to answer'].map((name) => ({
          name,
          state: 'done',
        })),
      },
    })
    await expect.poll(() => stream.states(made.id)).toEqual(['starting', 'running'])
    const { baseUrl, port } = server.config
    const choice = await server.build.choice()
    expect(await read(made.id)).toMatchObject({
      id: made.id,
      name: 'Oven-Line',
      safeName: 'oven-line',
      url: `http://oven-line.localhost:${port}`,
      hostname: 'oven-line.localhost',
      links: { self: `${baseUrl}/api/v1/projects/${made.id}` },
      application: {
        id: application.id,
        name: 'Oven line',
        links: { self: `${baseUrl}/api/v1/applications/${application.id}` },
      },
      team: { id: team.id, name: team.name, slug: team.slug, links: { self: `${baseUrl}/api/v1/teams/${team.id}` } },
      projectType: { id: choice.projectType, name: 'Standard' },
      stack: {
        id: choice.stack,
        name: 'node-red-5.0',
        label: 'Node-RED 5.0',
        properties: { nodered: '5.0.7', memory: 256 },
      },
      template: {
        id: choice.template,
        name: 'Default',
        settings: { dashboardUI: '/ui' },
        policy: { dashboardUI: true },
      },
      settings: { dashboardUI: '/ui' },
      meta: {
        state: 'running',
        versions: { 'node-red': '5.0.7', node: process.versions.node },
        lastStartTime: expect.any(String) as string,
      },
    })
    expect((await log(made.id)).map(({ event, username }) => [event, username])).toEqual([
      ['project.created', owner.username],
    ])
    const ofTeam = await owner.client.call('team.auditLog', { params: { teamId: team.id } })
    expect(ofTeam.log[0]).toMatchObject({
      event: 'project.created',
      body: { project: { id: made.id, name: 'Oven-Line' }, team: { id: team.id } },
    })
  })

  test('[INST-37] [INST-60] a name that is reserved, malformed or too long gets 409 with its sentence on the name', async () => {
    const malformed = [
      '',
      '1st',
      '-a',
      'a-',
      'a b',
      'a.b',
      'ö',
      'a_b',
      'a/../b',
      'x'.repeat(limits.instanceNameMax + 1),
    ]
    for (const name of [...reservedInstanceNames, 'WWW', 'Node-RED', ...malformed]) {
      const { status, json } = await attempt({ name })
      expect([name, status, json.code]).toEqual([name, 409, 'invalid_project_name'])
      expect((json.fields as Record<string, string>).name).toBe(json.message)
    }
    for (const name of [7, null, undefined, 'x'.repeat(1000)]) expect((await attempt({ name })).status).toBe(400)
  })

  test('[INST-60] a taken name is refused in any case, also across teams', async () => {
    const { name } = await running()
    for (const same of [name, name.toUpperCase()]) {
      expect((await attempt({ name: same })).json).toMatchObject({
        code: 'invalid_project_name',
        fields: { name: 'The name is already in use' },
      })
    }
    const other = await server.build.user()
    const theirs = await server.build.application(other, await server.build.team(other))
    await expect(server.build.instance(other, theirs, name)).rejects.toMatchObject({
      status: 409,
      code: 'invalid_project_name',
    })
  })

  test('exactly one of twenty creations of one name at once succeeds', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => attempt({ name: n % 2 ? 'same-NAME' : 'Same-name' })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 19 }, () => 409),
    ])
    await settled(String(answers.find(({ status }) => status === 200)!.json.id))
  })

  test.each([
    ['projectType', 'instance_types', 'invalid_project_type'],
    ['stack', 'stacks', 'invalid_stack'],
    ['template', 'templates', 'invalid_template'],
  ] as const)('an unknown or inactive %s is refused with its code', async (field, table, code) => {
    const choice = await server.build.choice()
    const active = (value: 0 | 1) =>
      server.app.database.read
        .updateTable(table as 'stacks')
        .set({ active: value })
        .where('id', '=', choice[field])
        .execute()
    expect((await attempt({ [field]: 'nothing' })).json).toMatchObject({ code, statusCode: 400 })
    await active(0)
    const refused = await attempt({})
    await active(1)
    expect([refused.status, refused.json.code, Object.keys(refused.json.fields as object)]).toEqual([
      400,
      code,
      [field],
    ])
  })
})

test('instances find a server that listens on one address only', async () => {
  const other = await startServer({ config: { host: '127.0.0.2' } })
  const { owner: theirs, team: its } = await other.build.platform()
  const address = `http://127.0.0.2:${other.config.port}`
  const post = async (path: string, body: object) =>
    (await send(address, 'POST', path, { headers: { cookie: theirs.cookie }, body })).json as { id: string }
  const { id: applicationId } = await post('/api/v1/applications', { name: 'Elsewhere', teamId: its.id })
  const made = await post('/api/v1/projects', { name: 'elsewhere', applicationId, ...(await other.build.choice()) })
  const spec = await until(
    async () => other.driver.script.spec(made.id),
    (started) => started !== undefined,
  )
  expect((await send(spec!.platformUrl, 'GET', '/api/v1/settings')).status).toBe(200)
  await other.close()
})
