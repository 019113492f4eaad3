import type { Instance } from '@app/contract'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  instanceCalls,
  startServer,
  type TestServer,
  type TestTeam,
  type TestUser,
  until,
} from '../../../testing/index.ts'
import { embeddedBroker } from '../../../testing/broker.ts'
import { type Release, startScriptedAgent } from '../../../testing/scripted.agent.ts'

let server: TestServer
let owner: TestUser
let team: TestTeam
let application: { id: string; name: string }
let oven: Instance
beforeAll(async () => {
  server = await startServer({ config: { broker: embeddedBroker } })
  ;({ owner, team } = await server.build.platform())
  application = await server.build.application(owner, team)
  oven = await create('oven')
})
afterAll(async () => server.close())

const { create } = instanceCalls(() => ({ server, owner, application }))
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

test('[DEV-56] the credentials of a device name the broker, its user and a password', async () => {
  const { id, credentials } = await add()
  expect(credentials.broker).toEqual({
    url: `ws://localhost:${server.config.port}/mqtt`,
    username: `device:${team.id}:${id}`,
    password: expect.stringMatching(/^ffbd_/),
  })
  const renewed = await owner.client.call('device.generateCredentials', { params: { deviceId: id } })
  expect(renewed.broker).toMatchObject({ username: credentials.broker!.username })
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
    // Changes are told in their order: once this one was, no earlier one is on its way.
    const hash = scripted.now.settings
    await owner.client.call('device.update', { params: { deviceId: device.id }, body: { type: 'Pi 5' } })
    await until(
      async () => scripted.now.settings,
      (now) => now !== hash,
    )
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

test.each(releases)('an agent %s is told at once of another target, name, variable and assignment', async (release) => {
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
})

test('the agent of a busy device says nothing but that it is there, and nobody is told anything for nonsense', async () => {
  const device = await add()
  const scripted = await agent('1.9.4', device)
  await until(
    async () => scripted.now.settings,
    (hash) => hash !== null,
  )
  const seen = (await read(device.id)).lastSeenAt
  const told = scripted.updates.length
  const { client } = scripted.client()
  const topic = `ff/v1/${team.id}/d/${device.id}/status`
  for (const text of ['nonsense', '[]', '"x"', '{"state":7}', 'null'])
    await client.publishAsync(topic, text, { qos: 1 })
  await until(
    async () => read(device.id),
    ({ lastSeenAt }) => lastSeenAt !== seen,
  )
  expect(scripted.updates.length).toBe(told)
  expect(await read(device.id)).toMatchObject({ status: 'stopped' })
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
