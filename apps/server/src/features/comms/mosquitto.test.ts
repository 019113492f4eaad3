import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { connectBroker } from '../../../testing/broker.ts'
import { send, startServer, type TestServer, type TestTeam, type TestUser, until } from '../../../testing/index.ts'
import { openMosquitto } from '../../../testing/mosquitto.ts'

let mosquitto: Awaited<ReturnType<typeof openMosquitto>>
let server: TestServer
let owner: TestUser
let team: TestTeam
let instances: { id: string }[]
beforeAll(async () => {
  mosquitto = await openMosquitto()
  server = await startServer({ config: { broker: mosquitto.broker } })
  ;({ owner, team } = await server.build.platform())
  const application = await server.build.application(owner, team)
  instances = [
    await server.build.instance(owner, application, 'one'),
    await server.build.instance(owner, application, 'two'),
  ]
})
afterAll(async () => {
  await server.close()
  await mosquitto.close()
})

const codeOf = async (broker: { username: string; password: string }) =>
  connectBroker(mosquitto.url, broker).then(
    async (client) => (await client.end(), 0),
    (error: { code?: number }) => error.code,
  )
const badCredentials = 0x87
/** Resolves once Mosquitto lets them in: it is told after the transaction. */
const isKnown = async (broker: { username: string; password: string }) =>
  until(
    () => codeOf(broker),
    (code) => code === 0,
  )
const isRefused = async (broker: { username: string; password: string }) =>
  until(
    () => codeOf(broker),
    (code) => code === badCredentials,
  )
/** Credentials of a device, by which it can connect once this resolves. */
async function device(instance?: { id: string }) {
  const { id, credentials } = await owner.client.call('device.create', {
    body: { name: 'Oven', type: 'Pi', team: team.id },
  })
  const params = { deviceId: id }
  const assign = async (to: { id: string }) => owner.client.call('device.update', { params, body: { instance: to.id } })
  if (instance) await assign(instance)
  await isKnown(credentials.broker!)
  return { id, params, assign, broker: credentials.broker!, topic: `ff/v1/${team.id}/d/${id}` }
}
async function connected(broker: { username: string; password: string }, options = {}) {
  const client = await connectBroker(mosquitto.url, broker, options)
  onTestFinished(() => client.end())
  let isClosed = false
  client.client.once('close', () => (isClosed = true))
  return { ...client, isClosed: () => isClosed }
}

test('a device gets its commands by Mosquitto, and what it reports arrives', async () => {
  const one = await device()
  expect(one.broker.url).toBe(mosquitto.url)
  const client = await connected(one.broker)
  expect(await client.subscribe(`${one.topic}/command`)).toBe(true)
  await until(
    async () => {
      await client.publish(`${one.topic}/status`, { state: 'unknown' })
      return client.heard.at(-1)?.body
    },
    (body) => (body as { command?: string } | undefined)?.command === 'update',
  )
  expect(await owner.client.call('device.get', { params: one.params })).toMatchObject({ status: 'unknown' })
  // Questions over HTTP have no answer here.
  const asked = { body: { clientid: one.broker.username, ...one.broker } }
  expect((await send(server.address, 'POST', '/api/comms/auth/client', asked)).status).toBe(401)
})

test('another instance means other topics at once, on the same connection', async () => {
  const [first, second] = instances
  const one = await device(first)
  const topicOf = (instance: { id: string } | undefined) => `ff/v1/${team.id}/p/${instance!.id}`
  const client = await connected(one.broker, { clientId: `${one.broker.username}:n` })
  await until(() => client.subscribe(`${topicOf(first)}/in/#`), Boolean)
  expect(await client.publish(`${topicOf(first)}/out/x`, 1)).toBe(true)
  expect(await client.publish(`${topicOf(second)}/out/x`, 1)).toBe(false)
  await one.assign(second!)
  await until(
    () => client.publish(`${topicOf(first)}/out/x`, 1),
    (may) => !may,
  )
  expect(await client.publish(`${topicOf(second)}/out/x`, 1)).toBe(true)
  expect(await client.subscribe(`${topicOf(first)}/in/x`)).toBe(false)
  expect(await client.subscribe(`${topicOf(second)}/in/#`)).toBe(true)
  // The subscription from before is still there, and brings nothing.
  const { brokerClients } = server.app.services
  const credentials = (await brokerClients.ofInstance({ id: first!.id, teamId: team.id }))!
  await isKnown(credentials)
  const sender = await connected(credentials)
  const before = client.heard.length
  expect(await sender.publish(`${topicOf(first)}/in/line`, 'to the first')).toBe(true)
  expect(await sender.publish(`${topicOf(second)}/in/line`, 'to the second')).toBe(true)
  await until(
    async () => client.heard.slice(before).map(({ body }) => body),
    (bodies) => bodies.includes('to the second'),
  )
  expect(client.heard.slice(before).map(({ body }) => body)).toEqual(['to the second'])
  expect(client.isClosed()).toBe(false)
})

test('other credentials and the deletion of a device end its connection, and the former ones are refused', async () => {
  const one = await device()
  const client = await connected(one.broker)
  const { broker } = await owner.client.call('device.generateCredentials', { params: one.params })
  await until(async () => client.isClosed(), Boolean)
  await isRefused(one.broker)
  await isKnown(broker!)
  const again = await connected(broker!)
  await owner.client.call('device.delete', { params: one.params })
  await until(async () => again.isClosed(), Boolean)
  await isRefused(broker!)
  await until(mosquitto.read, ({ clients, roles }) => !JSON.stringify([clients, roles]).includes(one.broker.username))
})

test('devices connect while no server is there, and what changed while Mosquitto was away is made up for', async () => {
  const [kept, gone] = [await device(), await device()]
  const { config } = server
  await server.stop()
  expect(await codeOf(kept.broker)).toBe(0)
  server = await startServer({ config })
  await mosquitto.end('SIGKILL')
  await owner.client.call('device.delete', { params: gone.params })
  const { credentials } = await owner.client.call('device.create', {
    body: { name: 'New oven', type: 'Pi', team: team.id },
  })
  await mosquitto.start()
  await Promise.all([isKnown(kept.broker), isRefused(gone.broker), isKnown(credentials.broker!)])
})

/** A command that an operator gives by hand. */
const control = (...args: string[]) =>
  execFileSync(
    'mosquitto_ctrl',
    ['-p', new URL(mosquitto.url).port, '-u', 'forge_platform', '-P', mosquitto.broker.password!, 'dynsec', ...args],
    { stdio: 'ignore' },
  )

test('clients and roles of the operator stay as they are, and a role that somebody changed is put right', async () => {
  const one = await device()
  control('createRole', 'meters')
  control('createClient', 'meter', '-p', 'of-the-meter')
  control('deleteRole', one.broker.username)
  await server.stop()
  server = await startServer({ config: server.config })
  // Once it has its role again it is let in by it. Getting it ends connections of before.
  const { clients, roles } = await until(mosquitto.read, ({ clients }) =>
    clients.some(({ username, roles }) => username === one.broker.username && roles.length === 1),
  )
  const client = await connected(one.broker)
  expect(await client.publish(`${one.topic}/status`, null)).toBe(true)
  expect(await client.publish('ff/v1/of-others', null)).toBe(false)
  expect(clients.map(({ username }) => username)).toContain('meter')
  expect(roles.map(({ rolename }) => rolename)).toContain('meters')
})

test('Mosquitto refuses other credentials for a client that it does not have: all are compared, also if others change', async () => {
  const one = await device()
  control('deleteClient', one.broker.username)
  const { broker } = await owner.client.call('device.generateCredentials', { params: one.params })
  // Two, so that one of them comes after the refusal.
  await device()
  await device()
  expect(await isKnown(broker!)).toBe(0)
})

test('answers to an operator are not taken for those to the platform, so that a refusal is not missed', async () => {
  const one = await device()
  control('deleteClient', one.broker.username)
  const platform = { username: 'forge_platform', password: mosquitto.broker.password! }
  const operator = await connected(platform, { clientId: 'operator' })
  const ask = { commands: [{ command: 'getDefaultACLAccess' }] }
  const asking = setInterval(() => void operator.publish('$CONTROL/dynamic-security/v1', ask), 1)
  onTestFinished(() => clearInterval(asking))
  const { broker } = await owner.client.call('device.generateCredentials', { params: one.params })
  expect(await isKnown(broker!)).toBe(0)
})
