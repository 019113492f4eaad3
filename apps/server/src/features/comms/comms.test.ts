import type { BrokerSpec } from '@app/contract'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { embeddedBroker, connectBroker } from '../../../testing/broker.ts'
import {
  freePort,
  send,
  startServer,
  type TestServer,
  type TestTeam,
  type TestUser,
  until,
} from '../../../testing/index.ts'

let server: TestServer
let owner: TestUser
let team: TestTeam
beforeAll(async () => {
  server = await startServer({ config: { broker: { ...embeddedBroker, port: await freePort() } } })
  ;({ owner, team } = await server.build.platform())
})
afterAll(async () => server.close())

const record = () => JSON.parse(readFileSync(join(server.config.home, 'broker/record.json'), 'utf8')) as BrokerSpec
async function device() {
  const body = { name: 'Oven', type: 'Pi', team: team.id }
  const { id, credentials } = await owner.client.call('device.create', { body })
  return { id, broker: credentials.broker!, topic: `ff/v1/${team.id}/d/${id}` }
}
async function connected(url: string, broker: { username: string; password: string }, options = {}) {
  const client = await connectBroker(url, broker, options)
  onTestFinished(() => client.end())
  return client
}
/** The process of the broker, as it says itself. */
async function brokerPid(): Promise<number> {
  const { createConnection } = await import('node:net')
  const { readlinkSync, readdirSync } = await import('node:fs')
  const socket = createConnection(record().webSocket)
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.destroy()
  const isBroker = (pid: string) => {
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      return args.includes(embeddedBroker.entry!) && readlinkSync(`/proc/${pid}/fd/1`).startsWith(server.config.home)
    } catch {
      return false
    }
  }
  return Number(readdirSync('/proc').find((pid) => /^\d+$/.test(pid) && isBroker(pid)))
}

test('a client connects by WebSocket at the address of the console, and by TCP where that is set', async () => {
  const { broker } = await device()
  expect(broker.url).toBe(`ws://localhost:${server.config.port}/mqtt`)
  for (const url of [broker.url, `mqtt://127.0.0.1:${server.config.broker!.port}`]) {
    const client = await connected(url, broker)
    expect(await client.publish(`ff/v1/${broker.username.split(':')[1]}/x`, 1)).toBe(false)
    await expect(connectBroker(url, { ...broker, password: 'wrong' })).rejects.toMatchObject({ code: 0x86 })
    await expect(connectBroker(url, broker, { clientId: 'somebody' })).rejects.toMatchObject({ code: 0x86 })
    await client.end()
  }
  expect((await send(server.address, 'GET', '/mqtt')).status).toBe(404)
})

test('messages are on unless they are switched off', async () => {
  const { features } = await server.build.anonymous.call('settings.get')
  expect(features.projectComms).toBe(true)
})

test('messages that are switched off end the rights of those that are connected, and leave devices their commands', async () => {
  const application = await server.build.application(owner, team)
  const instance = await server.build.instance(owner, application, 'switched')
  const one = await device()
  await owner.client.call('device.update', { params: { deviceId: one.id }, body: { instance: instance.id } })
  const { brokerClients } = server.app.services
  const ofInstance = (await brokerClients.ofInstance({ id: instance.id, teamId: team.id }))!
  const tcp = `mqtt://127.0.0.1:${server.config.broker!.port}`
  const [clientOfDevice, clientOfInstance] = [await connected(tcp, one.broker), await connected(tcp, ofInstance)]
  const own = `ff/v1/${team.id}/p/${instance.id}`
  const may = async () =>
    Promise.all([
      clientOfDevice.publish(`${own}/out/news`, 1),
      clientOfInstance.publish(`${own}/out/news`, 1),
      clientOfDevice.subscribe(`${one.topic}/command`),
    ])
  expect(await may()).toEqual([true, true, true])

  await server.stop()
  const { features } = server.config
  server = await startServer({ config: { ...server.config, features: { ...features, projectComms: false } } })
  expect((await server.build.anonymous.call('settings.get')).features.projectComms).toBe(false)
  await until(may, (allowed) => allowed.join() === 'false,false,true')
  expect(await server.app.services.brokerClients.ofInstance({ id: instance.id, teamId: team.id })).toBeUndefined()

  await server.stop()
  server = await startServer({ config: { ...server.config, features } })
  await until(may, (allowed) => allowed.every(Boolean))
})

test('connections over TCP outlive a restart of the server, and nobody is unknown meanwhile', async () => {
  const [one, two] = [await device(), await device()]
  const tcp = `mqtt://127.0.0.1:${server.config.broker!.port}`
  const kept = await connected(tcp, one.broker)
  expect(await kept.subscribe(`${one.topic}/command`)).toBe(true)
  const pid = await brokerPid()
  await server.stop()
  let isClosed = false
  kept.client.once('close', () => (isClosed = true))
  // Nobody can say who this is: it is told to come back, and not that it is unknown.
  await expect(connectBroker(tcp, two.broker)).rejects.toMatchObject({ code: 0x88 })
  expect(await kept.publish(`${one.topic}/logs`, 'on')).toBe(true)
  server = await startServer({ config: server.config })
  expect(await brokerPid()).toBe(pid)
  await owner.client.call('device.update', { params: { deviceId: one.id }, body: { name: 'Oven 2' } })
  await until(
    async () => kept.heard.at(-1)?.body,
    (body) => (body as { command?: string } | undefined)?.command === 'update',
  )
  expect(isClosed).toBe(false)
  const back = await connected(tcp, two.broker)
  expect(await back.publish(`${two.topic}/status`, null)).toBe(true)
})

test('a broker that is killed is started again at the same addresses, and one of another build is replaced', async () => {
  const { broker, topic } = await device()
  const tcp = `mqtt://127.0.0.1:${server.config.broker!.port}`
  const { local } = record()
  const pid = await brokerPid()
  process.kill(pid, 'SIGKILL')
  await until(
    async () => connectBroker(tcp, broker).catch(() => undefined),
    (client) => client !== undefined && (void client.end(), true),
  )
  expect(record().local).toEqual(local)
  await server.stop()
  const port = await freePort()
  server = await startServer({ config: { ...server.config, broker: { ...embeddedBroker, port } } })
  const client = await connected(`mqtt://127.0.0.1:${port}`, broker)
  expect(await client.publish(`${topic}/logs`, 'there')).toBe(true)
  await expect(connectBroker(tcp, broker)).rejects.toThrow()
})

test('a port that its former process has not closed yet is waited for', async () => {
  const { local } = record()
  await server.stop()
  process.kill(await brokerPid(), 'SIGKILL')
  const former = createServer()
  await until(
    () =>
      new Promise<boolean>((done) =>
        former.once('error', () => done(false)).listen(local.port, local.host, () => done(true)),
      ),
    (isListening) => isListening,
  )
  setTimeout(() => former.close(), 500)
  server = await startServer({ config: server.config })
  expect(record().local).toEqual(local)
})

test('a broker that asks over HTTP is told who may connect, and to which topics, with a form or JSON', async () => {
  const { broker, topic } = await device()
  const ask = async (what: string, body: unknown, headers = {}) =>
    (await send(server.address, 'POST', what, { body, headers })).status
  const { username, password } = broker
  const client = { clientid: username, username, password }
  expect(await ask('/api/comms/auth/client', client)).toBe(200)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  expect(await ask('/api/comms/auth/client', new URLSearchParams(client).toString(), form)).toBe(200)
  expect(await ask('/api/comms/auth/client', { ...client, clientid: `${username}:n` })).toBe(200)
  expect(await ask('/api/comms/auth/client', { ...client, clientid: 'other' })).toBe(401)
  expect(await ask('/api/comms/auth/client', { ...client, password: 'ffbd_x' })).toBe(401)
  expect(await ask('/api/comms/auth/client', { username, password })).toBe(400)
  const acl = { clientid: username, username }
  expect(await ask('/api/comms/auth/acl', { ...acl, topic: `${topic}/status`, acc: 2 })).toBe(200)
  const asForm = new URLSearchParams({ ...acl, topic: `${topic}/command`, acc: '1' }).toString()
  expect(await ask('/api/comms/auth/acl', asForm, form)).toBe(200)
  expect(await ask('/api/comms/auth/acl', { ...acl, topic: `${topic}/status`, acc: 1 })).toBe(401)
  expect(await ask('/api/comms/auth/acl', { ...acl, topic: `${topic}/command`, acc: 2 })).toBe(401)
  expect(await ask('/api/comms/auth/acl', { ...acl, topic: `${topic}/command` })).toBe(400)
  await server.stop()
  const elsewhere = { ...server.config.broker!, hooksFrom: ['10.0.0.7'] }
  server = await startServer({ config: { ...server.config, broker: elsewhere } })
  expect(await ask('/api/comms/auth/client', client)).toBe(401)
})
