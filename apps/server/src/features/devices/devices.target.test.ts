import type { Instance } from '@app/contract'
import { describe, expect, test } from 'vitest'
import { openWorkshop, send } from '../../../testing/index.ts'

const { server, owner, team, running, raw, script } = await openWorkshop()

const tab = { id: 'tab', type: 'tab', label: 'Oven' }
const node = (id: string, type: string, more: object = {}) => ({ id, type, z: 'tab', name: id, wires: [], ...more })

/** A device of an instance, and what its agent says of itself. */
async function device(instance: Instance, name: string, said: object, env: { name: string; value: string }[] = []) {
  const { id, credentials } = await owner.client.call('device.create', { body: { name, type: 'Pi', team: team.id } })
  const params = { deviceId: id }
  await owner.client.call('device.update', { params, body: { instance: instance.id } })
  await owner.client.call('device.saveSettings', { params, body: { env } })
  const report = async (body: object) =>
    send(server.address, 'POST', `/api/v1/devices/${id}/live/state`, {
      headers: { authorization: `Bearer ${credentials.token}` },
      body: { state: 'running', ...body },
    })
  expect([200, 409]).toContain((await report({ ...said, project: instance.id })).status)
  return { id, report, read: async () => owner.client.call('device.get', { params }) }
}
const take = async ({ id: instanceId }: Instance, flows: Record<string, unknown>[]) =>
  (await owner.client.call('snapshot.create', { params: { instanceId }, body: { name: 'Good', flows } })).id
const preview = async ({ id: instanceId }: Instance, snapshot: string) =>
  owner.client.call('device.previewTarget', { params: { instanceId }, query: { snapshot } })

test('the versions that an agent reports are kept, also when a later report says nothing of them', async () => {
  const instance = await running()
  const one = await device(instance, 'Oven 1', {
    agentVersion: '4.2.1',
    nodejsVersion: '22.11.0',
    nodeRedVersion: '4.0.9',
  })
  await one.report({})
  expect(await one.read()).toMatchObject({ agentVersion: '4.2.1', nodejsVersion: '22.11.0', nodeRedVersion: '4.0.9' })
  const old = await device(instance, 'Oven 2', { agentVersion: '1.9.4' })
  expect(await old.read()).toMatchObject({ nodejsVersion: null, nodeRedVersion: null })
})

test('a target that needs a newer Node.js than devices have says which, and that others do not tell', async () => {
  const instance = await running()
  const snapshot = await take(instance, [tab, node('tick', 'inject', { x: 1, y: 1 })])
  expect(await preview(instance, snapshot)).toEqual({ devices: 0, running: 0, foreseen: [], takeovers: [] })
  await device(instance, 'New', { nodejsVersion: 'v24.1.0', snapshot })
  expect(await preview(instance, snapshot)).toEqual({ devices: 1, running: 1, foreseen: [], takeovers: [] })
  await device(instance, 'Old', { nodejsVersion: '20.18.1' })
  await device(instance, 'Silent', { agentVersion: '1.9.4' })
  expect(await preview(instance, snapshot)).toMatchObject({
    devices: 3,
    running: 1,
    foreseen: [
      {
        kind: 'stack',
        sentence: 'Node-RED 5.0.7 needs Node.js 22.9 or later. "Old" has 20.18.1.',
        stops: true,
      },
      {
        kind: 'stack',
        sentence:
          'Node-RED 5.0.7 needs Node.js 22.9 or later. The agent of "Silent" does not say what Node.js is there.',
      },
    ],
  })
})

test('the Node-RED and the Node.js count that a device will run, not those of the snapshot and the machine', async () => {
  const instance = await running()
  const snapshot = await take(instance, [tab, node('tick', 'inject', { x: 1, y: 1 })])
  const memoryLimit = { set: null, next: 256, inForce: 256 }
  const ours = { agent: 'a', memoryLimit }
  // Its agent downloads a newer Node.js.
  await device(instance, 'Brings one', { ...ours, nodejsVersion: '20.18.1' })
  const pinned = await device(instance, 'Pinned', { ...ours, nodejsVersion: '24.1.0' })
  const pin = async (version: string | null) =>
    owner.client.call('device.update', { params: { deviceId: pinned.id }, body: { nodeRed: { version } } })
  await pin('4.1.15')
  const silent = await device(instance, 'Silent', ours)
  expect((await preview(instance, snapshot)).foreseen).toMatchObject([
    { sentence: expect.stringMatching(/^Node-RED 5\.0\.7 needs .* The agent of "Silent" does not say/) as string },
  ])
  await owner.client.call('device.update', {
    params: { deviceId: silent.id },
    body: { nodeRed: { version: '4.1.15' } },
  })
  expect((await preview(instance, snapshot)).foreseen).toMatchObject([
    { sentence: expect.stringMatching(/^Node-RED 4\.1\.15 needs .* The agent of "Silent" does not say/) as string },
  ])
})

test('a target tells the types, functions, modules, variables and credentials that devices would lack, and what waits for ever', async () => {
  const instance = await running()
  const palette = { modules: [{ name: 'node-red-node-ping', version: '0.3.3' }] }
  await raw('PUT', `/${instance.id}`, { settings: { palette, env: [{ name: 'SITE', value: 'bakery' }] } })
  const snapshot = await take(instance, [
    tab,
    node('dice', 'random'),
    node('look', 'ping'),
    node('bad', 'function', { func: 'return {' }),
    node('good', 'function', { func: 'return env.get("SITE") + env.get("LINE") + env.get("ROOM")' }),
    node('ask', 'http request', { authType: 'basic' }),
    node('calls', 'http in', { url: '', method: 'get' }),
    node('page', 'http in', { url: '/', method: 'get' }),
    node('posted', 'http in', { url: '/posted', method: 'post', wires: [['bad']] }),
    node('again', 'http in', { url: '/', method: 'get' }),
  ])
  const line = { name: 'LINE', value: '1' }
  await device(instance, 'One', { nodejsVersion: '24.1.0' }, [line, { name: 'ROOM', value: 'a' }])
  await device(instance, 'Two', { nodejsVersion: '24.1.0' }, [line])
  script().haveNeeds({ 'node-red-node-ping': { version: '0.3.3', node: '>=99' } })
  const { foreseen } = await preview(instance, snapshot)
  expect(foreseen.map(({ kind, sentence }) => [kind, sentence])).toEqual([
    ['type', 'The module node-red-node-random is not in the snapshot. 1 node of type random needs it.'],
    ['stack', 'The module node-red-node-ping 0.3.3 needs Node.js >=99. "One", "Two" have others.'],
    ['function', expect.stringContaining('The function node "bad" does not parse') as string],
    ['nodes', 'The http in node "calls" has no path, so it waits for ever.'],
    // The editor of a device is apart from its flows.
    ['nodes', 'The http in node "again" has the path of an http in node that comes first, and gets no requests.'],
    ['nodes', 'The http in node "page" leads to no http response node, so its requests never get an answer.'],
    ['variable', 'The variable ROOM has no value on "Two". The function node "good" uses it.'],
    ['credentials', expect.stringContaining('The http request node "ask" has no credentials.') as string],
  ])
  expect(foreseen[0]).not.toHaveProperty('module')
})

test('the preview of a target says on which devices it takes over in which way', async () => {
  const instance = await running()
  const answers = [tab, node('in', 'http in', { url: '/a', method: 'get' })]
  const [old, acts] = [
    await take(instance, answers),
    await take(instance, [tab, node('tick', 'inject', { repeat: '5' })]),
  ]
  const snapshot = await take(instance, [...answers, node('say', 'template')])
  const open = { listens: [], connects: [], timers: 0, serial: [], programs: 0, kept: [] }
  const ours = { nodejsVersion: '24.1.0', agent: 'a', snapshot: old, opens: open }
  await device(instance, 'One', ours)
  await device(instance, 'Two', ours)
  await device(instance, 'Ticks', { ...ours, snapshot: acts })
  await device(instance, 'Listens', { ...ours, opens: { ...open, listens: ['tcp 502'] } })
  const fixed = await device(instance, 'Fixed', ours)
  await owner.client.call('device.update', { params: { deviceId: fixed.id }, body: { takeover: 'stop-first' } })
  await device(instance, 'Other', { nodejsVersion: '24.1.0', agentVersion: '4.2.1', snapshot: old })
  await device(instance, 'Runs it', { ...ours, snapshot })
  await device(instance, 'Stands', { ...ours, state: 'stopped' })
  const { takeovers } = await preview(instance, snapshot)
  const other = { way: 'restart', why: 'The agent stops the old flows first.' }
  expect(takeovers[0]).toEqual({
    way: 'beside',
    why: 'Its flows act only when they are asked.',
    devices: 2,
    names: ['One', 'Two'],
  })
  expect(takeovers.slice(1).toSorted((a, b) => (a.names[0]! < b.names[0]! ? -1 : 1))).toEqual([
    { way: 'stop-first', why: 'Its settings say so.', devices: 1, names: ['Fixed'] },
    { way: 'held', why: 'It listens on tcp 502, which only one process can.', devices: 1, names: ['Listens'] },
    { ...other, devices: 1, names: ['Other'] },
    { way: 'held', why: 'The inject node “tick” acts by itself.', devices: 1, names: ['Ticks'] },
  ])
})

test('a snapshot for devices has the modules of its functions', async () => {
  const instance = await running()
  script().haveModules({ nanoid: '3.3.20' })
  const headers = { authorization: `Bearer ${await server.build.instanceToken(instance)}` }
  const body = [tab, node('mint', 'function', { func: 'return msg', libs: [{ var: 'n', module: 'nanoid@3' }] })]
  expect((await send(server.address, 'POST', `/storage/${instance.id}/flows`, { headers, body })).status).toBe(200)
  const { id: targetSnapshot } = await owner.client.call('snapshot.create', {
    params: { instanceId: instance.id },
    body: { name: 'Functions' },
  })
  await owner.client.call('device.setTarget', { params: { instanceId: instance.id }, body: { targetSnapshot } })
  const { credentials, id } = await owner.client.call('device.create', {
    body: { name: 'Edge', type: '', team: team.id },
  })
  await owner.client.call('device.update', { params: { deviceId: id }, body: { instance: instance.id } })
  const answer = await send(server.address, 'GET', `/api/v1/devices/${id}/live/snapshot`, {
    headers: { authorization: `Bearer ${credentials.token}` },
  })
  expect(answer.json).toMatchObject({ modules: { 'node-red': '5.0.7', nanoid: '3.3.20' } })
})

describe('a target without an enabled node', () => {
  const runs = [tab, node('tick', 'inject', { x: 1, y: 1 })]
  const empty = [tab, node('tick', 'inject', { x: 1, y: 1, d: true })]
  const said = { kind: 'nodes', sentence: 'These flows have no enabled nodes: nothing will run.' }
  const foreseen = { ...said, stops: true, codes: ['nodes'] }
  const targetOf = async ({ id: instanceId }: Instance) =>
    (await owner.client.call('device.target', { params: { instanceId } })).targetSnapshot
  const set = async (instance: Instance, targetSnapshot: string, allowStopped?: string[]) =>
    raw('POST', `/${instance.id}/devices/settings`, { targetSnapshot, ...(allowStopped ? { allowStopped } : {}) })

  test('is told, and refused, where it ends flows that devices run; a yes sets it', async () => {
    const instance = await running()
    const [first, last] = [await take(instance, runs), await take(instance, empty)]
    // Devices run nothing yet, so it ends nothing.
    expect((await preview(instance, last)).foreseen).toEqual([said])
    expect((await set(instance, last)).status).toBe(200)
    expect((await set(instance, first)).status).toBe(200)
    expect((await preview(instance, last)).foreseen).toEqual([foreseen])
    for (const allowed of [undefined, ['type:random']]) {
      const refused = await set(instance, last, allowed)
      expect([refused.status, refused.json.code]).toEqual([409, 'flows_not_started'])
      expect(refused.json.message).toContain('These flows have no enabled nodes: nothing will run.')
    }
    expect(await targetOf(instance)).toBe(first)
    expect((await set(instance, last, ['nodes'])).status).toBe(200)
    expect(await targetOf(instance)).toBe(last)
    // Nothing ran before either.
    expect((await preview(instance, await take(instance, [tab]))).foreseen).toEqual([said])
  })

  test('is refused together with a new snapshot too, which is not taken then', async () => {
    const instance = await running()
    await set(instance, await take(instance, runs))
    const body = { name: 'Nothing', flows: empty, setAsTarget: true }
    const refused = await raw('POST', `/${instance.id}/snapshots`, body)
    expect([refused.status, refused.json.code]).toEqual([409, 'flows_not_started'])
    const { count } = await owner.client.call('snapshot.list', { params: { instanceId: instance.id }, query: {} })
    expect(count).toBe(1)
    const taken = await raw('POST', `/${instance.id}/snapshots`, { ...body, allowStopped: ['nodes'] })
    expect([taken.status, await targetOf(instance)]).toEqual([200, taken.json.id])
  })

  test('is refused to a device that runs flows and would come to it, unless the request says yes', async () => {
    const [from, to] = [await running(), await running()]
    const snapshot = await take(from, runs)
    await set(from, snapshot)
    expect((await set(to, await take(to, empty))).status).toBe(200)
    const [busy, idle] = [await device(from, 'Busy', { snapshot }), await device(from, 'Idle', {})]
    const put = async (path: string, body: object) =>
      send(server.address, 'PUT', `/api/v1/${path}`, { headers: { cookie: owner.cookie }, body })
    const assign = async (id: string, body: object) => (await put(`devices/${id}`, body)).json
    const many = async (body: object) =>
      put(`teams/${team.id}/devices/bulk`, { devices: [busy.id, idle.id], instance: to.id, ...body })
    const refused = await many({})
    expect([refused.status, refused.json.code]).toEqual([409, 'flows_not_started'])
    expect(await assign(busy.id, { instance: to.id })).toMatchObject({ code: 'flows_not_started' })
    for (const { read } of [busy, idle]) expect(await read()).toMatchObject({ instance: { id: from.id } })
    expect(await assign(idle.id, { instance: to.id })).toMatchObject({ instance: { id: to.id } })
    expect(await assign(busy.id, { instance: to.id, allowStopped: ['nodes'] })).toMatchObject({
      instance: { id: to.id },
    })
    // One with flows to run asks nobody.
    expect(await assign(busy.id, { instance: from.id })).toMatchObject({ instance: { id: from.id } })
    expect((await many({ allowStopped: ['nodes'] })).json).toMatchObject({ refused: [] })
    expect(await busy.read()).toMatchObject({ instance: { id: to.id } })
  })

  test('and no target at all: a device that runs flows comes to such an instance by a yes only', async () => {
    const [from, bare] = [await running(), await running()]
    const snapshot = await take(from, runs)
    await set(from, snapshot)
    const [busy, idle] = [await device(from, 'Busy', { snapshot }), await device(from, 'Idle', {})]
    const put = async (path: string, body: object) =>
      send(server.address, 'PUT', `/api/v1/${path}`, { headers: { cookie: owner.cookie }, body })
    for (const refused of [
      await put(`devices/${busy.id}`, { instance: bare.id }),
      await put(`teams/${team.id}/devices/bulk`, { devices: [busy.id, idle.id], instance: bare.id }),
    ]) {
      expect([refused.status, refused.json.code]).toEqual([409, 'flows_not_started'])
      expect(refused.json.message).toContain('The instance has no target snapshot: nothing will run.')
    }
    for (const { read } of [busy, idle]) expect(await read()).toMatchObject({ instance: { id: from.id } })
    // It runs nothing that could end.
    expect((await put(`devices/${idle.id}`, { instance: bare.id })).status).toBe(200)
    const allowed = { instance: bare.id, allowStopped: ['nodes'] }
    expect((await put(`devices/${busy.id}`, allowed)).json).toMatchObject({ instance: { id: bare.id } })
    // To be taken from its instance is to stop, so nobody is asked.
    expect((await put(`devices/${busy.id}`, { instance: null })).status).toBe(200)
  })

  test('of which no node can work is told, unless a device has the variable that it needs', async () => {
    const instance = await running()
    const snapshot = await take(instance, [tab, node('in', 'http in', { x: 1, y: 1, url: '${ROUTE}', method: 'get' })])
    await device(instance, 'One', { nodejsVersion: '24.1.0' })
    const kinds = async () => (await preview(instance, snapshot)).foreseen.map(({ codes, kind }) => [kind, codes])
    expect(await kinds()).toEqual([
      ['function', ['nodes']],
      ['variable', undefined],
    ])
    await device(instance, 'Two', { nodejsVersion: '24.1.0' }, [{ name: 'ROUTE', value: '/word' }])
    expect(await kinds()).toEqual([['variable', undefined]])
  })
})
