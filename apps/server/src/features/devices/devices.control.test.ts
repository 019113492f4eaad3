import type { DeviceReport } from '@app/contract'
import { expect, onTestFinished, test } from 'vitest'
import { openWorkshop, send, until } from '../../../testing/index.ts'
import { type BrokerClient, connectBroker, embeddedBroker } from '../../../testing/broker.ts'
import { type Release, startScriptedAgent } from '../../../testing/scripted.agent.ts'
import type { DeviceMessage } from '../comms/index.ts'
import { createDeviceControl } from './devices.control.ts'

const { server, owner, team, create } = await openWorkshop({ config: { broker: embeddedBroker } })
const oven = await create('oven')

const releases: Release[] = ['1.9.4', '4.2.1']

async function add(instance: string | null = null) {
  const device = await owner.client.call('device.create', { body: { name: 'Oven 3', type: 'Pi', team: team.id } })
  if (instance) await owner.client.call('device.update', { params: { deviceId: device.id }, body: { instance } })
  return device
}
async function agent(release: Release, device: Awaited<ReturnType<typeof add>>) {
  const started = await startScriptedAgent(server.address, release, device)
  onTestFinished(() => started.end())
  return started
}
const read = async (deviceId: string) => owner.client.call('device.get', { params: { deviceId } })
const snapshot = async (name: string) =>
  owner.client.call('snapshot.create', {
    params: { instanceId: oven.id },
    body: { name, flows: [{ id: 'a', type: 'tab', label: name }], credentials: {}, credentialSecret: '' },
  })
const setTarget = async (targetSnapshot: string | null) =>
  owner.client.call('device.setTarget', { params: { instanceId: oven.id }, body: { targetSnapshot } })

/**
 * Changes are told in their order: once this one was, no earlier one is on its way. A report of the agent that crossed a
 * change is answered with the change again, so it goes on until two in a row were told once.
 */
async function settled(scripted: Awaited<ReturnType<typeof agent>>, deviceId: string): Promise<void> {
  await until(
    async () => scripted.now.settings,
    (hash) => hash !== null,
  )
  for (let quiet = 0; quiet < 2; ) {
    await scripted.idle()
    const [before, updates] = [scripted.now.settings, scripted.updates.length]
    await owner.client.call('device.update', { params: { deviceId }, body: { type: `Pi of ${Date.now()}` } })
    await until(
      async () => scripted.now.settings,
      (hash) => hash !== before,
    )
    await scripted.idle()
    quiet = scripted.updates.length - updates === 1 ? quiet + 1 : 0
  }
}

test('[DEV-56] the credentials of a device name the broker, its user and a password', async () => {
  const { id, credentials } = await add()
  const every = {
    token: expect.stringMatching(/^ffd_/),
    credentialSecret: expect.stringMatching(/^[0-9a-f]{64}$/),
    broker: {
      url: `ws://localhost:${server.config.port}/mqtt`,
      username: `device:${team.id}:${id}`,
      password: expect.stringMatching(/^ffbd_/),
    },
  }
  expect(credentials).toMatchObject(every)
  const renewed = await owner.client.call('device.generateCredentials', { params: { deviceId: id } })
  expect(renewed).toMatchObject(every)
  expect(renewed.token).not.toBe(credentials.token)
  expect(renewed.credentialSecret).not.toBe(credentials.credentialSecret)
  expect(renewed.broker!.password).not.toBe(credentials.broker!.password)
})

test.each(releases)(
  'an agent %s is told what it shall run when it connects, and what it says is shown',
  async (release) => {
    const { id } = await snapshot('Good')
    await setTarget(id)
    const device = await add(oven.id)
    const scripted = await agent(release, device)
    await until(
      async () => read(device.id),
      ({ status, activeSnapshot }) => status === 'running' && activeSnapshot?.id === id,
    )
    expect(scripted.updates[0]).toEqual({
      command: 'update',
      ownerType: 'project',
      project: oven.id,
      snapshot: id,
      settings: expect.any(String),
      mode: 'autonomous',
      licensed: true,
    })
    expect(await read(device.id)).toMatchObject({ agentVersion: release, activeSnapshot: { name: 'Good' } })
    await settled(scripted, device.id)
    // It is as it shall be: nothing more is said.
    const told = scripted.updates.length
    await scripted.report()
    scripted.setState('unknown')
    await scripted.report()
    await until(
      async () => scripted.updates.length,
      (n) => n > told,
    )
    expect(scripted.updates.length).toBe(told + 1)
  },
)

test.each(releases)(
  '[API-84] an agent %s is told at once of another target, name, variable and assignment',
  async (release) => {
    const [one, two] = [await snapshot('One'), await snapshot('Two')]
    await setTarget(one.id)
    const device = await add(oven.id)
    const params = { deviceId: device.id }
    const scripted = await agent(release, device)
    const runs = async (id: string | null) =>
      until(
        async () => scripted.now.snapshot,
        (now) => now === id,
      )
    await runs(one.id)
    await setTarget(two.id)
    await runs(two.id)
    const hashes = [scripted.now.settings]
    const next = async () => {
      await until(
        async () => scripted.now.settings,
        (hash) => hash !== hashes.at(-1),
      )
      hashes.push(scripted.now.settings)
    }
    await owner.client.call('device.update', { params, body: { name: 'Oven 4' } })
    await next()
    await owner.client.call('device.saveSettings', { params, body: { env: [{ name: 'KEY', value: 'x' }] } })
    await next()
    await owner.client.call('device.assignMany', {
      params: { teamId: team.id },
      body: { devices: [device.id], instance: null },
    })
    await until(
      async () => scripted.now.project,
      (project) => project === null,
    )
    expect(scripted.updates.at(-1)).toMatchObject({ ownerType: null, project: null, snapshot: null })
    expect(new Set(scripted.answers)).toEqual(new Set([200]))
  },
)

test('the agent of a busy device says nothing but that it is there, and nobody is told anything for nonsense', async () => {
  const device = await add()
  const scripted = await agent('1.9.4', device)
  await until(
    async () => scripted.now.settings,
    (hash) => hash !== null,
  )
  await settled(scripted, device.id)
  const told = scripted.updates.length
  const begun = Date.now()
  const { client } = scripted.client()
  const topic = `ff/v1/${team.id}/d/${device.id}/status`
  for (const text of ['nonsense', '[]', '"x"', '{"state":7}', 'null'])
    await client.publishAsync(topic, text, { qos: 1 })
  await until(
    async () => read(device.id),
    ({ lastSeenAt }) => Date.parse(lastSeenAt!) >= begun,
  )
  expect(scripted.updates.length).toBe(told)
  expect(await read(device.id)).toMatchObject({ status: 'stopped' })
})

test('the last of reports that come one upon the other is the one that stays, however long one takes', async () => {
  let hear: (message: DeviceMessage) => void = () => {}
  const kept: string[] = []
  const [one, two] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holds: Record<string, Promise<void>> = { one: one.promise, two: two.promise }
  // A stub of the database, of which the first write of each device takes long.
  const report = async (id: string, { state }: DeviceReport) => {
    if (state === 'stopped') await holds[id]
    kept.push(`${id} ${state}`)
    return {}
  }
  createDeviceControl({
    brokerLink: { on: (_kind: string, listener: typeof hear) => void (hear = listener) },
    deviceLink: { report },
  } as never)
  for (const [deviceId, state] of [
    ['one', 'stopped'],
    ['two', 'stopped'],
    ['one', 'starting'],
    ['one', 'running'],
    ['two', 'running'],
    ['three', 'running'],
  ])
    hear({ teamId: 'team', deviceId: deviceId!, body: { state } })
  await until(
    async () => kept,
    ({ length }) => length > 0,
  )
  expect(kept).toEqual(['three running'])
  two.resolve()
  one.resolve()
  await until(
    async () => kept,
    ({ length }) => length === 5,
  )
  expect(kept.filter((said) => said.startsWith('one'))).toEqual(['one stopped', 'one running'])
  expect(kept.filter((said) => said.startsWith('two'))).toEqual(['two stopped', 'two running'])
})

test('a device that is deleted, or has other credentials, is disconnected at once', async () => {
  for (const change of ['device.delete', 'device.generateCredentials'] as const) {
    const device = await add()
    const scripted = await agent('1.9.4', device)
    const closed = new Promise((resolve) => scripted.client().client.once('close', () => resolve(true)))
    await owner.client.call(change, { params: { deviceId: device.id } })
    expect(await closed).toBe(true)
    await expect(scripted.connect()).rejects.toMatchObject({ code: 4 })
  }
})

test('an agent is told 401 only with a token that was taken from its device; one that nobody knows goes on', async () => {
  const ask = async (token: string, id: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const {
      status,
      json,
      headers: answered,
    } = await send(server.address, 'GET', `/api/v1/devices/${id}/live/state`, {
      headers,
    })
    return [status, json.code, answered.get('retry-after')]
  }
  const unknown = [503, 'device_unknown', '60']
  expect(await ask('ffd_of-a-platform-that-was-lost', 'kept')).toEqual(unknown)
  const taken: [string, string][] = []
  const [renewed, gone, bulk] = [await add(), await add(), await add()]
  for (const { id, credentials } of [renewed, gone, bulk]) taken.push([credentials.token, id])
  await owner.client.call('device.generateCredentials', { params: { deviceId: renewed.id } })
  await owner.client.call('device.delete', { params: { deviceId: gone.id } })
  await owner.client.call('device.deleteMany', { params: { teamId: team.id }, body: { devices: [bulk.id] } })
  const other = await server.build.team(owner)
  const body = { name: 'Oven', type: 'Pi', team: other.id }
  const ofTeam = await owner.client.call('device.create', { body })
  taken.push([ofTeam.credentials.token, ofTeam.id])
  await owner.client.call('team.delete', { params: { teamId: other.id } })
  for (const [token, id] of taken) expect(await ask(token, id)).toEqual([401, 'unauthorized', null])
  expect(await ask(renewed.credentials.token.replace(/.$/, '~'), renewed.id)).toEqual(unknown)
})

test('a new target reaches the last of 1,000 devices within 5 seconds', async () => {
  const many = await server.build.team(owner)
  const line = await server.build.instance(owner, await server.build.application(owner, many), 'long-line')
  const { database, services } = server.app
  const { id: model } = await owner.client.call('device.create', { body: { name: 'Oven', type: 'Pi', team: many.id } })
  const row = await database.read.selectFrom('devices').selectAll().where('id', '=', model).executeTakeFirstOrThrow()
  const ids = Array.from({ length: 1_000 }, (_, n) => `many-${n}`)
  const rows = ids.map((id) => ({ ...row, id, instance_id: line.id, token_hash: `hash-of-${id}` }))
  for (let at = 0; at < rows.length; at += 50)
    await database.read
      .insertInto('devices')
      .values(rows.slice(at, at + 50))
      .execute()
  const url = services.brokerProcess!.localUrl()!
  const credentials = await database.transact(async (tx) => {
    const all = []
    for (const id of ids) all.push(await services.brokerClients.renewDevice(tx, { id, teamId: many.id }))
    return all
  })
  const clients: BrokerClient[] = []
  for (const one of credentials) clients.push(await connectBroker(url, one!, { protocolVersion: 4 }))
  onTestFinished(async () => void (await Promise.all(clients.map((client) => client.end()))))
  await Promise.all(clients.map(({ subscribe }, n) => subscribe(`ff/v1/${many.id}/d/${ids[n]}/command`)))
  const params = { instanceId: line.id }
  const wish = { name: 'Next', flows: [], credentials: {}, credentialSecret: '' }
  const target = await owner.client.call('snapshot.create', { params, body: wish })
  const from = performance.now()
  await owner.client.call('device.setTarget', { params, body: { targetSnapshot: target.id } })
  await until(
    async () => clients.filter(({ heard }) => (heard.at(-1)?.body as { snapshot?: string })?.snapshot === target.id),
    (told) => told.length === ids.length,
  )
  expect(performance.now() - from).toBeLessThan(5_000)
})
