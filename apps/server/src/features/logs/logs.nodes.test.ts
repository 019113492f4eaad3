import type { FlowFault, LogNode } from '@app/contract'
import { expect, onTestFinished, test } from 'vitest'
import { openStream, openWorkshop, send, type Stream } from '../../../testing/index.ts'

const { server, owner, running, script, raw, settled, act, inState, read } = await openWorkshop()

const oven = { id: 'oven', label: 'Oven line' }
const order: LogNode = { id: 'order', type: 'function', name: 'order flour', tab: oven }
const mixes: LogNode = {
  id: 'mixes',
  type: 'function',
  tab: { id: 'mixer', label: 'Mixer' },
  path: [oven, { id: 'of-mixer', label: 'mixer 1' }],
}
const broker: LogNode = { id: 'broker', type: 'mqtt-broker' }
const flows = [
  { id: 'oven', type: 'tab', label: 'Oven line' },
  { id: 'mixer', type: 'subflow', name: 'Mixer' },
  { id: 'order', type: 'function', z: 'oven', name: 'order flour', func: 'return msg' },
  { id: 'mixes', type: 'function', z: 'mixer', name: '' },
  { id: 'broker', type: 'mqtt-broker', broker: 'very-private-host' },
]

test('the log is narrowed down to a node, a tab, a subflow or one instance of it, in pages and as a file', async () => {
  const { id } = await running()
  const { ts } = script().log(id, 'no flour', 'error', order)
  script().log(id, 'too dry', 'warn', mixes)
  script().log(id, 'refused', 'error', broker)
  script().log(id, 'Started flows')
  const lines = async (query: object) => {
    const { log } = await owner.client.call('instance.logs', { params: { instanceId: id }, query })
    return log.map(({ msg }) => msg)
  }
  expect(await lines({ node: 'order' })).toEqual(['no flour'])
  expect(await lines({ node: 'oven' })).toEqual(['no flour', 'too dry'])
  expect(await lines({ node: 'mixer' })).toEqual(['too dry'])
  expect(await lines({ node: 'of-mixer' })).toEqual(['too dry'])
  expect(await lines({ node: 'broker', level: 'error' })).toEqual(['refused'])
  expect(await lines({ node: 'oven', search: 'DRY' })).toEqual(['too dry'])
  expect(await lines({ node: 'never' })).toEqual([])
  expect((await raw('GET', `/${id}/logs?node=${'n'.repeat(201)}`)).status).toBe(400)

  const file = async (query: string) => {
    const { text } = await send(server.address, 'GET', `/api/v1/projects/${id}/logs/download?${query}`, {
      headers: { cookie: owner.cookie },
    })
    return text.trimEnd().split('\n')
  }
  const [only, ...others] = await file('format=ndjson&node=order')
  expect(JSON.parse(only!)).toEqual({ ts, level: 'error', msg: 'no flour', src: '57ab', node: order })
  expect(others).toEqual([])
  const text = (await file('')).map((line) => line.replace(/^\S+ /, '')).slice(-4)
  expect(text).toEqual([
    'error [57ab] (order on Oven line) no flour',
    'warn [57ab] (mixes on Mixer) too dry',
    'error [57ab] (broker) refused',
    'info [57ab] Started flows',
  ])
})

test('a node is found by its id while the deployed flows have it, without its properties', async () => {
  const { id } = await running()
  await raw('POST', `/${id}/import`, { flows: JSON.stringify(flows) })
  await settled(id)
  const node = async (nodeId: string) => (await raw('GET', `/${id}/nodes/${nodeId}`)).json as unknown
  expect(await node('order')).toEqual(order)
  expect(await node('mixes')).toEqual({ id: 'mixes', type: 'function', tab: mixes.tab })
  expect(await node('broker')).toEqual(broker)
  expect(await node('oven')).toEqual({ id: 'oven', type: 'tab', name: 'Oven line' })
  expect(await raw('GET', `/${id}/nodes/gone`)).toMatchObject({ status: 404, json: { code: 'not_found' } })
})

const fault = (message: string, more: Partial<FlowFault> = {}): FlowFault => ({
  kind: 'error',
  node: order,
  message,
  count: 1,
  at: 1_000,
  ...more,
})

test('errors that the flows have now are listed, the latest first, until they do not run', async () => {
  const made = await running()
  const { id } = made
  const errors = async () => owner.client.call('instance.errors', { params: { instanceId: id } })
  expect(await errors()).toEqual({ count: 0, errors: [] })
  const [older, newer] = [fault('no flour', { count: 3 }), fault('not connected', { kind: 'status', at: 2_000 })]
  script().haveFlows(id, { faults: [older, newer] })
  await act('restart', id)
  await settled(id)
  expect(await errors()).toEqual({ count: 2, errors: [newer, older] })
  await act('suspend', id)
  await inState(id, 'suspended')
  expect(await errors()).toEqual({ count: 0, errors: [] })
})

test('a change of the errors is pushed to the pages of the team, and to nobody else', async () => {
  const { id, team } = await running()
  const stranger = await server.build.user()
  const theirs = await server.build.team(stranger)
  const streams = await Promise.all([owner, stranger].map(({ cookie }) => openStream(server.address, { cookie })))
  onTestFinished(() => streams.forEach((stream) => stream.close()))
  const [mine, other] = streams as [Stream, Stream]
  script().changeFaults(id, [fault('no flour')])
  expect(await mine.heard(({ type }) => type === 'errors')).toEqual({ type: 'errors', team: team.id, id })
  const { errors } = await owner.client.call('instance.errors', { params: { instanceId: id } })
  expect(errors).toEqual([fault('no flour')])
  await stranger.client.call('team.update', { params: { teamId: theirs.id }, body: { name: 'Another bakery' } })
  await other.heard(({ type }) => type === 'team')
  expect(other.events.filter(({ type }) => type === 'errors')).toEqual([])
})

test('of several processes the errors are those of all, counted together', async () => {
  const { id } = await running()
  script().haveFlows(id, { faults: [fault('no flour', { count: 2 })], faultCount: 2 })
  await owner.client.call('ha.enable', { params: { instanceId: id }, body: { replicas: 2 } })
  await settled(id)
  expect((await read(id)).meta.state).toBe('running')
  const { errors } = await owner.client.call('instance.errors', { params: { instanceId: id } })
  expect(errors).toEqual([fault('no flour', { count: 4 })])
})
