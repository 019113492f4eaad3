import { versionsFor } from '@app/drivers/testing/versions'
import type { Deployment, Instance } from '@app/contract'
import { rm } from 'node:fs/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  homeWithStacks,
  instanceCalls,
  startServer,
  type TestServer,
  type TestUser,
  until,
} from '../../../testing/index.ts'
import { openDriver } from '../../drivers.ts'

let server: TestServer
let owner: TestUser
let application: { id: string }
const { running, raw, settled, read, visit } = instanceCalls(() => ({ server, owner, application }))

/** A platform whose instances run on this version of Node-RED. */
async function begin(nodered: string): Promise<void> {
  const home = await homeWithStacks()
  server = await startServer({ config: { home, databaseUrl: '', steadySeconds: 1 }, driver: openDriver })
  onTestFinished(async () => {
    // Instances go on without their server.
    for (const id of await server.driver.adopt()) await server.driver.remove(id)
    await server.close()
    await rm(home, { recursive: true, force: true })
  })
  const platform = await server.build.platform()
  owner = platform.owner
  application = await server.build.application(owner, platform.team)
  stack = nodered
}
let stack = ''
const stackNamed = async (nodered: string) => {
  const { stacks } = await owner.client.call('stack.list', { query: { filter: 'active' } })
  return stacks.find(({ properties }) => properties.nodered === nodered)!
}

const web = (
  word: string,
  more: Record<string, unknown>[] = [],
  func = `msg.payload = '${word}'; return msg`,
): Record<string, unknown>[] => [
  { id: 'tab', type: 'tab', label: 'Oven' },
  { id: 'in', z: 'tab', x: 1, y: 1, type: 'http in', url: '/word', method: 'get', wires: [['fn']] },
  { id: 'fn', z: 'tab', x: 1, y: 1, type: 'function', name: 'enrich', func, outputs: 1, wires: [['out']] },
  { id: 'out', z: 'tab', x: 1, y: 1, type: 'http response', wires: [] },
  ...more,
]
/** Answers whatever becomes of the function beside it: flows of which no node works are refused at once. */
const works = [
  { id: 'asked', z: 'tab', x: 1, y: 2, type: 'http in', url: '/alive', method: 'get', wires: [['alive']] },
  { id: 'alive', z: 'tab', x: 1, y: 2, type: 'http response', wires: [] },
]
const lacking = { id: 'modbus', z: 'tab', x: 1, y: 1, type: 'modbus-read', wires: [[]] }
const needing = {
  id: 'needs',
  z: 'tab',
  x: 1,
  y: 1,
  type: 'function',
  func: '',
  libs: [{ var: 'x', module: 'no-such-module-qqq-7731' }],
  wires: [[]],
}

const last = async ({ id }: { id: string }): Promise<Deployment> =>
  (await owner.client.call('deployment.list', { params: { instanceId: id }, query: {} })).deployments[0]!
const importTo = async ({ id }: { id: string }, flows: object[]) => {
  expect((await raw('POST', `/${id}/import`, { flows: JSON.stringify(flows) })).status).toBe(200)
  await settled(id)
  return last({ id })
}
/** An instance that answers with a word. */
async function serves(word: string): Promise<Instance> {
  const instance = await running()
  const chosen = await stackNamed(stack)
  if (instance.stack.id !== chosen.id) await raw('PUT', `/${instance.id}`, { stack: chosen.id })
  await settled(instance.id)
  expect(await importTo(instance, web(word))).toMatchObject({ state: 'done' })
  expect((await visit(instance.name, '/word')).text).toBe(word)
  return instance
}
const push = async (source: { id: string }, target: { id: string }) => {
  const options = { flows: true, credentials: true, nodes: true, envVars: 'keys' }
  expect((await raw('PUT', `/${target.id}`, { sourceProject: { id: source.id, options } })).status).toBe(200)
  await settled(target.id)
  return last(target)
}
const reasonOf = (what: string) => ({
  state: 'failed',
  reason: expect.stringContaining(`Its flows do not run: ${what}`) as string,
})

describe.each(versionsFor(import.meta.filename))('on Node-RED %s', (nodered) => {
  test('a missing type is put back in an import, a rollback and a push; a missing module fails before anything is touched', async () => {
    await begin(nodered)
    const [one, dev] = [await serves('before'), await serves('dev')]
    const still = async () => expect((await visit(one.name, '/word')).text).toBe('before')
    const type = reasonOf('node type modbus-read is missing.')

    const imported = await importTo(one, web('new', [lacking]))
    expect(imported).toMatchObject({
      ...type,
      faults: [{ kind: 'type', node: { id: 'modbus', tab: { label: 'Oven' } } }],
    })
    expect(imported.log?.some(({ msg }) => msg.includes('modbus-read'))).toBe(true)
    await still()
    // Modules of functions are fetched with all others, so that this one is missed before anything is touched.
    const lacksModule = await importTo(one, web('new', [needing]))
    expect(lacksModule).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('no-such-module-qqq-7731') as string,
    })
    expect(lacksModule.steps.map(({ state }) => state)).toEqual(['failed', 'waiting', 'waiting', 'waiting'])
    await still()

    const params = { instanceId: one.id }
    const body = { name: 'Bad', flows: web('new', [lacking]) }
    const { id: snapshot } = await owner.client.call('snapshot.create', { params, body })
    await owner.client.call('deployment.rollback', { params, body: { snapshot } })
    await settled(one.id)
    expect(await last(one)).toMatchObject({ kind: 'rollback', ...type })
    await still()

    // As in an editor: what is deployed there is saved, and does not run.
    const token = await server.build.instanceToken(dev)
    const deployed = await fetch(`${server.address}/storage/${dev.id}/flows`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(web('dev', [lacking])),
    })
    expect(deployed.status).toBe(200)
    expect(await push(dev, one)).toMatchObject({ kind: 'push', ...type })
    await still()
    expect((await read(one.id)).meta).toMatchObject({ state: 'running' })
    expect((await read(one.id)).meta).not.toHaveProperty('flowsStopped')
  })

  test('flows with errors are done and name them; where errors are refused, what was there goes on', async () => {
    await begin(nodered)
    const one = await serves('before')
    const bad = web('new', works, 'msg.payload = {;')
    expect((await raw('PUT', `/${one.id}`, { onErrors: 'refuse' })).status).toBe(200)
    const refused = await importTo(one, bad)
    expect(refused.reason).toMatch(/Its flows run with 1 new error in function “enrich” on “Oven”: SyntaxError/)
    expect((await visit(one.name, '/word')).text).toBe('before')
    await raw('PUT', `/${one.id}`, { onErrors: 'pass' })
    expect(await importTo(one, bad)).toMatchObject({
      state: 'done',
      faults: [
        { kind: 'compile', node: { id: 'fn', type: 'function', name: 'enrich', tab: { id: 'tab', label: 'Oven' } } },
      ],
    })
    // Nobody needs to hear of the same errors again.
    expect(await importTo(one, [...bad, { id: 'other', type: 'tab', label: 'Other' }])).not.toHaveProperty('faults')
  })

  test('neither of two processes is left with flows that do not run', async () => {
    await begin(nodered)
    const one = await serves('before')
    await raw('PUT', `/${one.id}/ha`, { replicas: 2 })
    await settled(one.id)
    await until(
      async () => server.driver.pair!.serving(one.id).length,
      (count) => count === 2,
    )
    expect(await importTo(one, web('new', [lacking]))).toMatchObject(reasonOf('node type modbus-read is missing.'))
    const words = await Promise.all([1, 2, 3, 4].map(async () => (await visit(one.name, '/word')).text))
    expect(words).toEqual(['before', 'before', 'before', 'before'])
  })

  test('an instance that comes up without its flows says so', async () => {
    await begin(nodered)
    const one = await serves('before')
    const token = await server.build.instanceToken(one)
    await fetch(`${server.address}/storage/${one.id}/flows`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(web('dev', [lacking])),
    })
    await raw('POST', `/${one.id}/actions/restart`)
    await settled(one.id)
    const { meta } = await until(
      async () => read(one.id),
      (found) => found.meta.flowsStopped !== undefined,
    )
    expect(meta).toMatchObject({
      state: 'running',
      flowsStopped: {
        reason: 'Its flows do not run: node type modbus-read is missing.',
        missingTypes: ['modbus-read'],
      },
    })
  })
})
