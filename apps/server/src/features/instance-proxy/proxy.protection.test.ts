import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { instanceCalls, startServer, type TestServer, type TestUser, until } from '../../../testing/index.ts'

let server: TestServer
let admin: TestUser
let owner: TestUser
let application: { id: string }
const { act, inState, read, running, script, settled, visit } = instanceCalls(() => ({ server, owner, application }))

beforeEach(async () => {
  server = await startServer()
  const platform = await server.build.platform()
  ;({ admin, owner } = platform)
  application = await server.build.application(owner, platform.team)
})
afterEach(() => server.close())

const save = (instanceId: string, settings: object) =>
  owner.client.call('instance.update', { params: { instanceId }, body: { settings } })
const basic = { httpNodeAuth: { type: 'basic', user: 'baker', pass: 'sourdough' } }
const pending = async (id: string) => (await read(id)).meta.notInForce
const asked = (id: string) => script().calls.filter((call) => call.operation === 'protect' && call.id === id).length

/** An instance that runs, and could not be told of a protection that was saved. */
async function untold() {
  const one = await running()
  script().failNext('protect')
  await save(one.id, basic)
  await until(
    async () => asked(one.id),
    (n) => n === 1,
  )
  return one
}

test('a change of settings is shown as not in force until the next start, and one that counts at once is not', async () => {
  const { id } = await running()
  await save(id, { sleep: { enabled: true, after: 600 } })
  expect(await pending(id)).toBeUndefined()
  await save(id, { header: { title: 'Oven' } })
  expect(await pending(id)).toEqual({ settings: true })
  await act('suspend', id)
  await inState(id, 'suspended')
  expect(await pending(id)).toBeUndefined()
  await act('start', id)
  await settled(id)
  expect(await pending(id)).toBeUndefined()
})

test('a protection is brought into the running instance, which is closed until then', async () => {
  const { id, name } = await running()
  expect((await visit(name)).status).toBe(200)
  const confirmed = script().holdProtect()
  await save(id, basic)
  expect(await visit(name)).toMatchObject({ status: 503, text: expect.stringContaining('is closed until its new') })
  expect(await pending(id)).toEqual({ access: true })
  confirmed()
  await until(
    () => pending(id),
    (found) => found === undefined,
  )
  expect((await visit(name)).status).toBe(200)
})

test('an instance that cannot be told of a protection stays closed, also when its restart fails, and opens with its next start', async () => {
  const { id, name } = await untold()
  expect([(await visit(name)).status, await pending(id)]).toEqual([503, { access: true }])
  script().failNext('installStack')
  script().haveStacks()
  await act('restart', id)
  expect((await settled(id))[0]?.state).toBe('failed')
  expect((await visit(name)).status).toBe(503)
  await act('restart', id)
  await settled(id)
  expect([(await visit(name)).status, await pending(id)]).toEqual([200, undefined])
})

test('a call under way is cut off if the instance cannot be told', async () => {
  const { id, name } = await running()
  script().onRequest(id, (_request, response) => void response.write('a stream'))
  const { port } = server.config
  const call = request({ host: '127.0.0.1', port, headers: { host: `${name}.localhost:${port}` }, agent: false }).end()
  const [answer] = (await once(call, 'response')) as [IncomingMessage]
  const cutOff = new Promise((resolve) => answer.resume().on('error', resolve))
  script().failNext('protect')
  await save(id, basic)
  expect(await cutOff).toMatchObject({ message: 'aborted' })
})

test('a protection that came while an instance started is enforced once it runs', async () => {
  const { id, name } = await running()
  script().holdStarts()
  await act('restart', id)
  await inState(id, 'restarting')
  await until(
    async () => script().calls.filter((call) => call.operation === 'start' && call.id === id).length,
    (n) => n === 2,
  )
  await save(id, basic)
  script().release()
  await settled(id)
  await until(
    async () => asked(id),
    (n) => n === 1,
  )
  await until(
    async () => (await visit(name)).status,
    (status) => status === 200,
  )
})

test('a template that protects its instances closes them in the same way', async () => {
  const { id, name, template } = await running()
  script().failNext('protect')
  const auth = { type: 'flowforge-user' }
  await admin.client.call('template.update', {
    params: { templateId: template.id },
    body: { settings: { httpNodeAuth: auth } },
  })
  await until(
    async () => asked(id),
    (n) => n === 1,
  )
  expect([(await visit(name)).status, await pending(id)]).toEqual([503, { settings: true, access: true }])
})

test('after a kill of the platform a protection that was saved is enforced when it starts again', async () => {
  const { id, name } = await untold()
  await server.app.services.monitor.start()
  await until(
    async () => (await visit(name)).status,
    (status) => status === 200,
  )
  expect(asked(id)).toBe(2)
})
