import { type Instance, limits, reservedInstanceNames } from '@app/contract'
import type { StubDriver } from '@app/drivers/stub'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  openStream,
  send,
  startServer,
  type Stream,
  type TestServer,
  type TestTeam,
  type TestUser,
  until,
} from '../../../testing/index.ts'

let server: TestServer
let owner: TestUser
let team: TestTeam
let application: { id: string }
let stream: Stream
let serial = 0

beforeAll(async () => {
  server = await startServer()
  ;({ owner, team } = await server.build.platform())
  application = await server.build.application(owner, team)
})
beforeEach(async () => {
  stream?.close()
  stream = await openStream(server.address, { cookie: owner.cookie })
})
afterAll(async () => {
  stream.close()
  await server.close()
})

const script = () => (server.driver as StubDriver).script
const read = async (instanceId: string): Promise<Instance> =>
  owner.client.call('instance.get', { params: { instanceId } })
const inState = (id: string, state: string) =>
  until(
    async () => read(id),
    ({ meta }) => meta.state === state,
  )
const create = async (name = `line-${(serial += 1)}`) => server.build.instance(owner, application, name)
const running = async (name?: string) => inState((await create(name)).id, 'running')
const log = async (instanceId: string) => (await owner.client.call('instance.auditLog', { params: { instanceId } })).log
const jobs = async (instanceId: string) => (await owner.client.call('instance.jobs', { params: { instanceId } })).jobs
const settled = (id: string) =>
  until(
    async () => jobs(id),
    (all) => all.every(({ state }) => state === 'done' || state === 'failed'),
  )
type Action = 'start' | 'stop' | 'restart' | 'suspend'
const act = async (action: Action, instanceId: string) =>
  owner.client.call(`instance.${action}`, { params: { instanceId } })
const raw = (action: string, id: string) =>
  send(server.address, 'POST', `/api/v1/projects/${id}/actions/${action}`, { headers: { cookie: owner.cookie } })
const attempt = async (change: object) => {
  const body = {
    name: `line-${(serial += 1)}`,
    applicationId: application.id,
    ...(await server.build.choice()),
    ...change,
  }
  return send(server.address, 'POST', '/api/v1/projects', { headers: { cookie: owner.cookie }, body })
}

/** Ends of instances wait until the returned function is called. */
function holdStops(): () => void {
  const { driver } = server
  const { stop } = driver
  const { promise, resolve } = Promise.withResolvers<void>()
  driver.stop = async (id) => promise.then(() => stop(id))
  return () => {
    driver.stop = stop
    resolve()
  }
}

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
        steps: ['Prepare Node-RED', 'Start Node-RED', 'Wait for Node-RED to answer'].map((name) => ({
          name,
          state: 'done',
        })),
      },
    })
    expect(stream.states(made.id)).toEqual(['starting', 'running'])
    const { baseUrl, port } = server.config
    const choice = await server.build.choice()
    expect(await read(made.id)).toMatchObject({
      id: made.id,
      name: 'Oven-Line',
      safeName: 'oven-line',
      url: `http://oven-line.localhost:${port}`,
      hostname: 'oven-line.localhost',
      links: { self: `${baseUrl}/api/v1/projects/${made.id}` },
      application: { id: application.id, links: { self: `${baseUrl}/api/v1/applications/${application.id}` } },
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
      settings: { dashboardUI: '/ui', env: [] },
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

  test('of twenty creations of one name at once exactly one succeeds', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => attempt({ name: n % 2 ? 'same-NAME' : 'Same-name' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 409)])
    await settled(String(answers.find(({ status }) => status === 200)!.json.id))
  })

  test.each([
    ['projectType', 'instance_types', 'invalid_project_type'],
    ['stack', 'stacks', 'invalid_stack'],
    ['template', 'templates', 'invalid_template'],
  ] as const)('[INST-61] an unknown or inactive %s is refused with its code', async (field, table, code) => {
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

describe('states', () => {
  test('[API-80] [INST-80] start, restart, stop and suspend go through their states and leave their entries', async () => {
    const { id } = await running()
    await act('restart', id)
    await settled(id)
    await act('stop', id)
    await inState(id, 'stopped')
    await act('start', id)
    await inState(id, 'running')
    await act('suspend', id)
    await inState(id, 'suspended')
    await act('start', id)
    await inState(id, 'running')
    expect(stream.states(id)).toEqual([
      'starting',
      'running',
      'restarting',
      'running',
      'stopping',
      'stopped',
      'starting',
      'running',
      'suspending',
      'suspended',
      'starting',
      'running',
    ])
    expect((await log(id)).map(({ event }) => event).reverse()).toEqual([
      'project.created',
      'project.restarted',
      'project.stopped',
      'project.started',
      'project.suspended',
      'project.started',
    ])
    expect((await log(id))[0]).toMatchObject({ trigger: { type: 'user', id: owner.id }, body: { project: { id } } })
  })

  test('starting what runs has no effect', async () => {
    const { id } = await running()
    const calls = script().calls.length
    expect(await act('start', id)).toEqual({ status: 'okay' })
    expect([await jobs(id), await log(id)].map((list) => list.length)).toEqual([1, 1])
    expect(script().calls.length).toBe(calls)
  })

  test('[NRLOG-04] whatever but start is refused while suspended', async () => {
    const { id } = await running()
    await act('suspend', id)
    await inState(id, 'suspended')
    for (const action of ['stop', 'restart', 'suspend'])
      expect((await raw(action, id)).json).toMatchObject({ code: 'project_suspended', statusCode: 400 })
    const logs = await send(server.address, 'GET', `/api/v1/projects/${id}/logs`, { headers: { cookie: owner.cookie } })
    expect(logs.json).toMatchObject({ code: 'project_suspended', statusCode: 400 })
  })

  test('while one operation is under way every other gets 409, and shows what is under way', async () => {
    script().holdStarts()
    const { id } = await create()
    for (const action of ['start', 'stop', 'restart', 'suspend'])
      expect((await raw(action, id)).json).toMatchObject({ code: 'invalid_state', statusCode: 409 })
    const deleting = await send(server.address, 'DELETE', `/api/v1/projects/${id}`, {
      headers: { cookie: owner.cookie },
    })
    expect(deleting.json).toMatchObject({ code: 'invalid_state' })
    expect((await read(id)).meta.state).toBe('starting')
    script().release()
    await inState(id, 'running')
  })

  test.each(['restart', 'suspend', 'stop'] as const)(
    'of twenty %s at once exactly one goes through',
    async (action) => {
      const { id } = await running()
      const open = holdStops()
      const answers = await Promise.all(Array.from({ length: 20 }, async () => raw(action, id)))
      open()
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ json }) => json.code === 'invalid_state')).toHaveLength(19)
      expect(await settled(id)).toHaveLength(2)
    },
  )

  test('of different operations at once those that were accepted came one after the other', async () => {
    const { id } = await running()
    const actions = ['restart', 'suspend', 'start', 'stop', 'suspend', 'restart', 'stop'] as const
    const answers = await Promise.all(actions.map(async (action) => raw(action, id)))
    const all = (await settled(id)).toReversed()
    // Starting what runs is answered with okay as well, without an operation.
    const accepted = answers.filter(({ status }, n) => status === 200 && actions[n] !== 'start').length
    expect(all.filter(({ kind }) => kind !== 'instance.create' && kind !== 'instance.start')).toHaveLength(accepted)
    expect(
      answers.every(
        ({ status, json }) => status === 200 || ['invalid_state', 'project_suspended'].includes(String(json.code)),
      ),
    ).toBe(true)
    for (const [n, job] of all.entries()) expect(n === 0 || job.startedAt! >= all[n - 1]!.endedAt!).toBe(true)
  })

  test('an operation that outlives its flight still keeps others off', async () => {
    script().holdStarts()
    const { id } = await create()
    await server.app.database.read.updateTable('instances').set({ in_flight_until: 0 }).where('id', '=', id).execute()
    expect((await raw('restart', id)).json).toMatchObject({ code: 'invalid_state', statusCode: 409 })
    script().release()
    await settled(id)
    expect((await read(id)).meta.state).toBe('running')
  })
})

describe('deleting', () => {
  const rows = async (id: string) => {
    const { read } = server.app.database
    const counts = await Promise.all([
      read.selectFrom('instances').select('id').where('id', '=', id).execute(),
      read.selectFrom('jobs').select('id').where('subject', '=', id).execute(),
      read.selectFrom('tokens').select('id').where('instance_id', '=', id).execute(),
      read.selectFrom('instance_storage').select('kind').where('instance_id', '=', id).execute(),
      read.selectFrom('oauth_requests').select('id').where('instance_id', '=', id).execute(),
    ])
    return counts.map((list) => list.length)
  }

  test.each(['running', 'suspended', 'crashed'])(
    '[API-74] a %s instance leaves no process, row, token, job or stored value',
    async (state) => {
      const { id, name } = await running()
      const token = await server.build.instanceToken(await read(id))
      await send(server.address, 'POST', `/storage/${id}/flows`, {
        headers: { authorization: `Bearer ${token}` },
        body: [{ id: 'x' }],
      })
      if (state === 'suspended') await act('suspend', id)
      if (state === 'crashed') script().crash(id)
      await inState(id, state)
      expect(await owner.client.call('instance.delete', { params: { instanceId: id } })).toEqual({ status: 'okay' })
      expect(await rows(id)).toEqual([0, 0, 0, 0, 0])
      expect(await server.driver.adopt()).not.toContain(id)
      expect(script().calls.at(-1)).toEqual({ operation: 'remove', id })
      await stream.heard((event) => event.type === 'instance.deleted' && event.id === id)
      expect(
        (await send(server.address, 'GET', `/storage/${id}/flows`, { headers: { authorization: `Bearer ${token}` } }))
          .status,
      ).toBe(401)
      await expect(read(id)).rejects.toMatchObject({ status: 404 })
      const { log: ofTeam } = await owner.client.call('team.auditLog', { params: { teamId: team.id } })
      expect(ofTeam[0]).toMatchObject({
        event: 'project.deleted',
        username: owner.username,
        body: { project: { id, name } },
      })
      expect((await create(name)).name).toBe(name)
    },
  )

  test('[INST-55] a delete that fails leaves the instance, says why, and can be tried again', async () => {
    const { id } = await running()
    script().failNext('remove')
    const failed = await send(server.address, 'DELETE', `/api/v1/projects/${id}`, { headers: { cookie: owner.cookie } })
    expect(failed.json).toMatchObject({ statusCode: 500, message: 'It failed because the test said so' })
    expect((await read(id)).meta).toMatchObject({ state: 'stopped', reason: 'It failed because the test said so' })
    expect((await log(id)).map(({ event }) => event)).not.toContain('project.deleted')
    await owner.client.call('instance.delete', { params: { instanceId: id } })
    expect(await rows(id)).toEqual([0, 0, 0, 0, 0])
  })

  test('of ten deletes at once one deletes, and the others are told', async () => {
    const { id } = await running()
    const calls = Array.from({ length: 10 }, async () =>
      send(server.address, 'DELETE', `/api/v1/projects/${id}`, { headers: { cookie: owner.cookie } }),
    )
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.every((status) => [200, 404, 409].includes(status))).toBe(true)
  })
})
