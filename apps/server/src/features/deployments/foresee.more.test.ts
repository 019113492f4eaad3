import type { DeploymentDraft, Instance } from '@app/contract'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { embeddedBroker } from '../../../testing/broker.ts'
import { openWorkshop, send, startServer } from '../../../testing/index.ts'

/** Counts who asks for the catalogue of nodes. */
let asked = 0
const modules = [
  { id: 'node-red-contrib-lathe', version: '3.2.1', types: ['lathe-in', 'lathe-out'] },
  { id: 'node-red-contrib-saw', version: '1.0.0', types: ['saw'] },
  { id: 'node-red-contrib-saw-two', version: '2.0.0', types: ['saw'] },
  { id: 'without-types', version: '1.0.0' },
]
const catalogue = createServer((_request, answer) => {
  asked += 1
  answer.end(JSON.stringify({ name: 'Nodes', modules }))
})
await new Promise<void>((resolve) => void catalogue.listen(0, '127.0.0.1', resolve))
afterAll(() => void catalogue.close())
const { port } = catalogue.address() as AddressInfo
const { server, owner, running, raw, read, script, settled } = await openWorkshop({
  config: { nodeCatalogueUrl: `http://127.0.0.1:${port}/catalogue.json` },
})

const tab = { id: 'tab', type: 'tab', label: 'Oven', env: [{ name: 'OF_TAB', value: '4100', type: 'num' }] }
const node = (id: string, type: string, more: object = {}) => ({ id, type, z: 'tab', name: id, wires: [], ...more })
const foreseen = async ({ id: instanceId }: Instance, body: DeploymentDraft) =>
  (await owner.client.call('deployment.preview', { params: { instanceId }, body })).foreseen
const importing = (flows: object[]) => ({ files: { flows: JSON.stringify(flows) } })
const nothing = { listens: [], connects: [], timers: 0, serial: [], programs: 0, kept: [] }

test('a port that another instance holds is told without its name; one of its own is no news', async () => {
  const [instance, other] = [await running(), await running('secret-line')]
  await raw('PUT', `/${instance.id}`, { settings: { env: [{ name: 'PORT', value: '4000' }] } })
  script().setOpens(other.id, { ...nothing, listens: ['tcp 4000', 'tcp 4100', 'tcp 4300', 'udp 4200'] })
  const flows = [
    tab,
    node('first', 'tcp in', { server: 'server', port: '${PORT}' }),
    node('second', 'tcp out', { beserver: 'server', port: '${OF_TAB}' }),
    node('third', 'udp in', { port: '4200' }),
    node('calls', 'tcp in', { server: 'client', port: '4000' }),
    node('off', 'tcp in', { server: 'server', port: '4300', d: true }),
    node('free', 'tcp in', { server: 'server', port: '4400' }),
  ]
  const told = await foreseen(instance, importing(flows))
  expect(told.map(({ kind, sentence, node: one }) => [kind, sentence, one?.id])).toEqual([
    ['listener', 'Another instance on this machine listens on TCP port 4000. The tcp in node "first" cannot.', 'first'],
    [
      'listener',
      'Another instance on this machine listens on TCP port 4100. The tcp out node "second" cannot.',
      'second',
    ],
    ['listener', 'Another instance on this machine listens on UDP port 4200. The udp in node "third" cannot.', 'third'],
  ])
  expect(JSON.stringify(told)).not.toContain('secret-line')
  script().setOpens(instance.id, { ...nothing, listens: ['tcp 4000', 'tcp 4100', 'udp 4200'] })
  expect(await foreseen(instance, importing(flows))).toEqual([])
})

test('modules that need a newer Node-RED or Node.js are told before another stack and before an install', async () => {
  const instance = await running()
  const palette = (...list: [string, string][]) => ({
    settings: { palette: { modules: list.map(([name, version]) => ({ name, version })) } },
  })
  await raw('PUT', `/${instance.id}`, palette(['node-red-node-random', '0.4.1'], ['node-red-contrib-new', '2.0.0']))
  const headers = { authorization: `Bearer ${await server.build.instanceToken(instance)}` }
  const body = [tab, node('dice', 'random')]
  await send(server.address, 'POST', `/storage/${instance.id}/flows`, { headers, body })
  script().haveNeeds({
    'node-red-node-random': { version: '0.4.1', nodered: '>=5.0.0' },
    'node-red-contrib-new': { version: '2.0.0', nodered: '>=4.0.0', node: '>=99' },
    // Another version than the wanted one.
    'node-red-node-ping': { version: '0.1.0', nodered: '>=9' },
  })
  const { stacks } = await owner.client.call('stack.list', { query: { filter: 'active' } })
  const older = stacks.find(({ properties }) => properties.nodered?.startsWith('4.'))!
  const note = {
    nodes: { 'node-red-node-random': { version: '0.4.1', local: true, nodes: { a: { types: ['random'] } } } },
  }
  await send(server.address, 'POST', `/storage/${instance.id}/settings`, { headers, body: note })
  const told = await foreseen(instance, { stack: older.id })
  expect(told).toEqual([
    {
      kind: 'stack',
      sentence: `The module node-red-node-random 0.4.1 needs Node-RED >=5.0.0. The instance has ${older.properties.nodered}.`,
      stops: true,
      codes: ['type:random'],
    },
    {
      kind: 'stack',
      sentence: expect.stringMatching(
        /^The module node-red-contrib-new 2\.0\.0 needs Node\.js >=99\. The instance has/,
      ) as string,
    },
  ])
  // The version it runs on already is not reported, and neither are needs of another version.
  const install = [{ name: 'node-red-node-ping', version: '0.3.3' }]
  expect(await foreseen(instance, { ...importing(body), install })).toEqual([])
})

test('a snapshot of a newer Node-RED says so', async () => {
  const instance = await running()
  const { stacks } = await owner.client.call('stack.list', { query: { filter: 'active' } })
  const { id: snapshot } = await owner.client.call('snapshot.create', {
    params: { instanceId: instance.id },
    body: { name: 'New', flows: [tab, node('tick', 'inject')] },
  })
  const older = stacks.find(({ properties }) => properties.nodered?.startsWith('4.'))!
  await raw('PUT', `/${instance.id}`, { stack: older.id })
  await settled(instance.id)
  const { nodered } = (await read(instance.id)).stack.properties as { nodered: string }
  expect(nodered).toBe(older.properties.nodered)
  expect(await foreseen(instance, { snapshot })).toEqual([
    {
      kind: 'stack',
      sentence: `It ran on Node-RED 5.0.7, and the instance has ${nodered}. Nodes may work differently.`,
    },
  ])
})

test('a catalogue of nodes names modules that nobody has noted, once a day; what several claim it does not', async () => {
  const instance = await running()
  const flows = [tab, node('turn', 'lathe-in'), node('cut', 'saw')]
  const before = asked
  const told = [await foreseen(instance, importing(flows)), await foreseen(instance, importing(flows))]
  for (const one of told)
    expect(one).toMatchObject([
      { kind: 'type', types: ['lathe-in'], stops: true, module: { name: 'node-red-contrib-lathe', version: '3.2.1' } },
      { kind: 'type', types: ['saw'], sentence: expect.stringContaining('no module is known') as string },
    ])
  expect(asked - before).toBe(1)
})

test.each(['import', 'rollback', 'restore', 'push', 'stack'] as const)(
  '%s: flows that are known not to run are kept where the request says that they are wanted, and refused where not',
  async (way) => {
    const [instance, source] = [await running(), await running()]
    const params = { params: { instanceId: instance.id } }
    const flows = [tab, node('odd', 'nobody-knows')]
    await raw('POST', `/${source.id}/import`, { flows: JSON.stringify(flows), allowStopped: ['type:nobody-knows'] })
    await settled(source.id)
    const { id: snapshot } = await owner.client.call('snapshot.create', {
      ...params,
      body: { name: 'Odd', flows },
    })
    await raw('POST', `/${instance.id}/import`, { flows: JSON.stringify([tab]) })
    await settled(instance.id)
    const { versions } = await owner.client.call('version.list', { ...params })
    const { stacks } = await owner.client.call('stack.list', { query: { filter: 'active' } })
    const stack = stacks.find(({ id }) => id !== instance.stack.id)!.id
    const bring = (extras: object) =>
      ({
        import: () => raw('POST', `/${instance.id}/import`, { flows: JSON.stringify(flows), ...extras }),
        rollback: () => raw('POST', `/${instance.id}/actions/rollback`, { snapshot, ...extras }),
        restore: () => raw('POST', `/${instance.id}/versions/${versions[0]!.id}/restore`, extras),
        push: () =>
          raw('PUT', `/${instance.id}`, {
            sourceProject: { id: source.id, options: { flows: true, envVars: 'keys' }, ...extras },
          }),
        stack: () => raw('PUT', `/${instance.id}`, { stack, ...extras }),
      })[way]()
    const last = async () => (await owner.client.call('deployment.list', { ...params, query: {} })).deployments[0]!
    const missing = {
      state: 'stopped' as const,
      missingTypes: ['nobody-knows'],
      missingModules: [],
      reason: 'missing-types',
    }
    script().haveFlows(instance.id, missing)
    expect((await bring({})).status).toBe(200)
    await settled(instance.id)
    expect(await last()).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('Its flows do not run') as string,
    })
    script().haveFlows(instance.id, { state: 'started' })
    await raw('POST', `/${instance.id}/actions/restart`)
    await settled(instance.id)
    script().haveFlows(instance.id, missing)
    expect((await bring({ allowStopped: ['type:nobody-knows'] })).status).toBe(200)
    await settled(instance.id)
    expect(await last()).toMatchObject({
      state: 'done',
      warning: 'Its flows do not run: node type nobody-knows is missing. They were deployed anyway.',
    })
  },
)

test.each(['push', 'restore', 'stack'] as const)(
  '%s: a missing module is installed with it on request',
  async (way) => {
    const [instance, source] = [await running(), await running()]
    const params = { params: { instanceId: instance.id } }
    const tell = async (to: Instance, flows: object[]) => {
      const headers = { authorization: `Bearer ${await server.build.instanceToken(to)}` }
      await send(server.address, 'POST', `/storage/${to.id}/flows`, { headers, body: flows })
    }
    const flows = [tab, node('dice', 'random')]
    await tell(source, flows)
    await tell(instance, flows)
    if (way !== 'stack') await tell(instance, [tab])
    const { versions } = await owner.client.call('version.list', { ...params })
    const { stacks } = await owner.client.call('stack.list', { query: { filter: 'active' } })
    const stack = stacks.find(({ id }) => id !== instance.stack.id)!.id
    const draft: Partial<Record<typeof way, DeploymentDraft>> = {
      restore: { version: versions[1]?.id ?? '' },
      stack: { stack },
    }
    const module = { name: 'node-red-node-random', version: '*' }
    const told = draft[way] ? (await foreseen(instance, draft[way]))[0] : { kind: 'type', stops: true, module }
    expect(told).toMatchObject({ kind: 'type', stops: true, module: { name: module.name } })
    script().haveModules({ 'node-red-node-random': '0.4.1' })
    const install = [module]
    const options = { flows: true, nodes: true, envVars: 'keys' }
    const answer = await {
      push: () => raw('PUT', `/${instance.id}`, { sourceProject: { id: source.id, options, install } }),
      restore: () => raw('POST', `/${instance.id}/versions/${versions[1]!.id}/restore`, { install }),
      stack: () => raw('PUT', `/${instance.id}`, { stack, install }),
    }[way]()
    expect(answer.status).toBe(200)
    await settled(instance.id)
    const last = (await owner.client.call('deployment.list', { ...params, query: {} })).deployments[0]!
    expect(last).toMatchObject({ kind: way, state: 'done', changes: { modules: ['node-red-node-random'] } })
    expect((await read(instance.id)).settings.palette?.modules).toEqual([{ ...module, version: '0.4.1', local: true }])
    expect(script().spec(instance.id)?.modules).toMatchObject({ 'node-red-node-random': expect.any(String) as string })
  },
)

test('nodes for messages are there where the platform brings them; where they are switched off, that is told', async () => {
  const flows = [
    tab,
    node('in', 'project link in', { broadcast: false, topic: 'bread' }),
    node('out', 'project link out', { mode: 'link', topic: 'bread' }),
    { id: 'all', type: 'global-config', env: [], modules: { '@flowforge/nr-project-nodes': '0.4.0' } },
  ]
  const here = await foreseen(await running(), importing(flows))
  expect(here).toMatchObject([
    {
      kind: 'type',
      sentence:
        'Messages between instances and devices are switched off on this platform, so the flows have no nodes of type project link in, project link out.',
      stops: true,
    },
  ])
  // Nobody could install it.
  expect(here[0]?.module).toBeUndefined()
  const elsewhere = await startServer({ config: { broker: embeddedBroker } })
  onTestFinished(() => elsewhere.close())
  const { owner: other, team } = await elsewhere.build.platform()
  const instance = await elsewhere.build.instance(other, await elsewhere.build.application(other, team), 'line')
  const call = { params: { instanceId: instance.id }, body: importing(flows) }
  expect((await other.client.call('deployment.preview', call)).foreseen.filter(({ kind }) => kind === 'type')).toEqual(
    [],
  )
})
