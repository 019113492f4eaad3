import { type Instance, roles } from '@app/contract'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  clientWith,
  createStubDriver,
  instanceCalls,
  openStream,
  send,
  startServer,
  testClock,
  type TestServer,
  type TestTeam,
  type TestUser,
  until,
} from '../../../testing/index.ts'

let server: TestServer
let owner: TestUser
let team: TestTeam
let application: { id: string }
let clock: ReturnType<typeof testClock>
const { act, inState, log, raw, read, running, script, settled, visit } = instanceCalls(() => ({
  server,
  owner,
  application,
}))

beforeEach(async () => {
  clock = testClock()
  server = await startServer({ clock })
  ;({ owner, team } = await server.build.platform())
  application = await server.build.application(owner, team)
})
afterEach(() => server.close())

const minutes = (n: number) => clock.turn(n * 60_000)
const look = () => server.app.services.sleep.check()
const set = async (id: string, sleep: { enabled: boolean; after: number }) => {
  await owner.client.call('instance.update', { params: { instanceId: id }, body: { settings: { sleep } } })
  return read(id)
}
/** A running instance that may fall asleep after ten minutes. */
async function sleepy(): Promise<Instance> {
  const { id } = await running()
  return set(id, { enabled: true, after: 600 })
}
async function asleep(): Promise<Instance> {
  const { id } = await sleepy()
  minutes(11)
  await look()
  return inState(id, 'suspended')
}
/** Resolves once nothing is under way there. */
const quiet = async (id: string) =>
  until(
    async () => {
      clock.turn(1)
      return server.app.services.activity.idleFor(id)
    },
    (idle) => idle > 0,
  )
const starts = (id: string) => script().calls.filter((call) => call.operation === 'start' && call.id === id).length

describe('falling asleep', () => {
  test('an idle instance is suspended, shows that it sleeps, and says so by push', async () => {
    const stream = await openStream(server.address, { cookie: owner.cookie })
    const { id } = await sleepy()
    minutes(9)
    await look()
    expect((await read(id)).meta.state).toBe('running')
    minutes(2)
    await look()
    const sleeper = await inState(id, 'suspended')
    expect(sleeper.meta).toMatchObject({ state: 'suspended', sleeping: true })
    await stream.heard((event) => event.type === 'instance' && event.id === id && event.state.meta.sleeping === true)
    stream.close()
    // It is nobody's doing.
    expect((await log(id)).map(({ event }) => event)).toEqual(['project.settings.updated', 'project.created'])
    // Its log can still be read.
    expect((await raw('GET', `/${id}/logs`)).status).toBe(200)
  })

  test('needs to be asked for: by default an instance stays awake', async () => {
    const { id, settings, template } = await running()
    expect([settings.sleep, template.settings.sleep]).toEqual([
      { enabled: false, after: 1800 },
      { enabled: false, after: 1800 },
    ])
    minutes(1_000)
    await look()
    expect((await read(id)).meta.state).toBe('running')
  })

  test('the setting is the owner’s, as far as the template lets them, and goes into the audit log', async () => {
    const { id } = await running()
    const member = await server.build.member(team, roles.member)
    const body = { settings: { sleep: { enabled: true, after: 600 } } }
    const as = (cookie: string) => send(server.address, 'PUT', `/api/v1/projects/${id}`, { headers: { cookie }, body })
    expect((await as(member.cookie)).status).toBe(403)
    expect((await as(owner.cookie)).status).toBe(200)
    expect((await log(id))[0]?.body).toMatchObject({
      updates: [
        { key: 'sleep.enabled', old: false, new: true, dif: 'updated' },
        { key: 'sleep.after', old: 1800, new: 600, dif: 'updated' },
      ],
    })
    const { templates } = await owner.client.call('template.list', {})
    const policy = JSON.stringify({ sleep: { enabled: false, after: true } })
    const { read } = server.app.database
    await read.updateTable('templates').set({ policy }).where('id', '=', templates[0]!.id).execute()
    expect(await as(owner.cookie)).toMatchObject({
      status: 400,
      json: { code: 'invalid_request', fields: { 'settings.sleep.enabled': expect.any(String) } },
    })
  })

  test('requests, open connections, starts and deployments keep it awake', async () => {
    const one = await sleepy()
    minutes(9)
    await visit(one.name)
    minutes(9)
    await look()
    // A request that takes long, as an open editor does with its WebSocket.
    const { promise, resolve } = Promise.withResolvers<void>()
    script().onRequest(one.id, (_request, response) => void promise.then(() => response.end('late')))
    const late = visit(one.name)
    await until(
      async () => server.app.services.activity.idleFor(one.id),
      (idle) => idle === 0,
    )
    minutes(30)
    await look()
    resolve()
    expect((await late).text).toBe('late')
    const socket = await upgraded(one)
    minutes(30)
    await look()
    socket.end()
    await quiet(one.id)
    await deploy(one, [])
    minutes(9)
    await look()
    expect((await read(one.id)).meta.state).toBe('running')
    await act('restart', one.id)
    await settled(one.id)
    minutes(9)
    await look()
    expect((await read(one.id)).meta.state).toBe('running')
    minutes(2)
    await look()
    await inState(one.id, 'suspended')
  })

  test('flows that would miss something keep it awake, and it says which', async () => {
    const stream = await openStream(server.address, { cookie: owner.cookie })
    const one = await sleepy()
    expect(one.sleepObstacle).toBeNull()
    await deploy(one, [{ id: '1', type: 'inject', name: 'tick', repeat: '60' }])
    const obstacle = 'The inject node "tick" runs by the clock.'
    await stream.heard((event) => event.type === 'instance' && event.state.sleepObstacle === obstacle)
    stream.close()
    minutes(60)
    await look()
    expect(await read(one.id)).toMatchObject({ sleepObstacle: obstacle, meta: { state: 'running' } })
    await deploy(one, [{ id: '1', type: 'http in' }])
    minutes(60)
    await look()
    await inState(one.id, 'suspended')
  })
})

describe('waking up', () => {
  test('requests, with bodies and without, and WebSockets are held and answered', async () => {
    const { id, name } = await asleep()
    script().holdStarts()
    const answers = [visit(name, '/a?x=1'), visit(name, '/b', 'the body'), visit(name, '/c')]
    const socket = open(name)
    await until(
      async () => starts(id),
      (count) => count === 2,
    )
    script().onUpgrade(id, accept)
    script().release()
    const [a, b, c] = await Promise.all(answers)
    expect(JSON.parse(a!.text)).toMatchObject({ id, url: '/a?x=1' })
    expect(JSON.parse(b!.text)).toMatchObject({ id, method: 'POST', body: 'the body' })
    expect(c!.status).toBe(200)
    expect(await socket.heard).toMatch(/^HTTP\/1.1 101/)
    socket.end()
    await quiet(id)
    const { meta } = await inState(id, 'running')
    expect(meta.sleeping).toBeUndefined()
    // Woken once for all of them.
    expect(starts(id)).toBe(2)
    minutes(11)
    await look()
    await inState(id, 'suspended')
  })

  test('a request that comes while it falls asleep waits until it is awake again', async () => {
    const { id, name } = await sleepy()
    const { driver } = server
    const { promise, resolve } = Promise.withResolvers<void>()
    const { stop } = driver
    driver.stop = async (it) => promise.then(() => stop(it))
    minutes(11)
    const falling = look()
    const answer = visit(name)
    await falling
    const second = visit(name)
    driver.stop = stop
    resolve()
    expect((await answer).status).toBe(200)
    expect((await second).status).toBe(200)
    await inState(id, 'running')
  })

  test('from the moment in which it is chosen to fall asleep, nothing is sent to it', async () => {
    const { id, name } = await sleepy()
    await visit(name)
    minutes(11)
    const { sleep, directory } = server.app.services
    const host = `${name}.${server.config.instanceDomain}`
    expect(directory.resolve(host)).toMatchObject({ kind: 'ready' })
    const falling = look()
    for (let tick = 1; sleep.falling(id) === undefined; tick += 1)
      await (tick % 100 === 0 ? new Promise(setImmediate) : Promise.resolve())
    const found = directory.resolve(host)
    expect(found).toBeInstanceOf(Promise)
    await falling
    expect(await found).toMatchObject({ kind: 'ready' })
    expect(starts(id)).toBe(2)
  })

  test('a person starts it, or suspends it for good', async () => {
    const one = await asleep()
    await act('start', one.id)
    expect((await inState(one.id, 'running')).meta.sleeping).toBeUndefined()
    minutes(11)
    await look()
    await until(
      async () => (await read(one.id)).meta,
      ({ sleeping }) => sleeping === true,
    )
    await act('suspend', one.id)
    await settled(one.id)
    const { meta } = await inState(one.id, 'suspended')
    expect(meta.sleeping).toBeUndefined()
    const count = starts(one.id)
    expect(await visit(one.name)).toMatchObject({ status: 503, text: expect.stringContaining('is suspended') })
    expect(starts(one.id)).toBe(count)
  })

  test('one that cannot start says so, and is not tried again with every request', async () => {
    const { id, name } = await asleep()
    script().failNext('start')
    expect(await visit(name)).toMatchObject({ status: 503, text: expect.stringContaining('could not be started') })
    expect((await log(id))[0]).toMatchObject({ event: 'project.start-failed' })
    const count = starts(id)
    expect((await visit(name)).status).toBe(503)
    expect(starts(id)).toBe(count)
    expect((await read(id)).meta).toMatchObject({ sleeping: true, reason: expect.stringContaining('the test said so') })
    clock.turn(31_000)
    expect((await visit(name)).status).toBe(200)
  })

  test('waits for none of the starts that people asked for', async () => {
    const { name } = await asleep()
    script().holdStarts()
    for (let i = 0; i < 6; i++) await server.build.instance(owner, application)
    const answer = visit(name)
    await until(
      async () => script().calls.filter(({ operation }) => operation === 'start').length,
      (count) => count >= 3,
    )
    script().release()
    expect((await answer).status).toBe(200)
  })

  test('after a restart of the machine it sleeps on until it is asked something', async () => {
    const { id, name } = await asleep()
    await server.stop()
    const { config } = server
    server = await startServer({ clock, config, driver: () => createStubDriver() })
    expect((await read(id)).meta.sleeping).toBe(true)
    expect(starts(id)).toBe(0)
    expect((await visit(name)).status).toBe(200)
  })
})

async function deploy({ id, team: { id: teamId } }: Instance, flows: Record<string, unknown>[]): Promise<void> {
  const token = await server.build.instanceToken({ id, team: { id: teamId } })
  const client = clientWith(server.address, 'authorization', `Bearer ${token}`)
  await client.call('runtime.saveFlows', { params: { instanceId: id }, body: flows })
}

type Upgrade = Parameters<ReturnType<typeof script>['onUpgrade']>[1]
const accept: Upgrade = (_request, socket) => {
  socket.on('error', () => socket.destroy())
  socket.resume().once('end', () => socket.end())
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
}

/** Asks for a WebSocket; `heard` is the beginning of the answer. */
function open(name: string) {
  const { port } = server.config
  const socket = connect({ port, host: '127.0.0.1' })
  const heard = new Promise<string>((resolve) => socket.setEncoding('latin1').once('data', resolve))
  const lines = ['GET /comms HTTP/1.1', `Host: ${name}.localhost:${port}`, 'Connection: Upgrade', 'Upgrade: websocket']
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  return { heard, end: () => socket.destroy() }
}

async function upgraded({ id, name }: Instance) {
  script().onUpgrade(id, accept)
  const socket = open(name)
  expect(await socket.heard).toMatch(/^HTTP\/1.1 101/)
  return socket
}
