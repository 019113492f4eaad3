import { describe, expect, test } from 'vitest'
import { openWorkshop, send } from '../../../testing/index.ts'

const { server, owner, application, running, raw, settled, inState } = await openWorkshop()

const line = Array.from({ length: 258 }, (_, at) => ({
  id: `n${at}`,
  type: 'function',
  z: 'tab',
  name: `n${at}`,
  func: 'return msg',
  x: 100,
  y: at * 40,
  wires: [],
}))
const tab = { id: 'tab', type: 'tab', label: 'Oven' }
const before = [tab, ...line]
/** Everything nudged, and five nodes changed as well. */
const after = [tab, ...line.map((node, at) => ({ ...node, x: 120, ...(at < 5 ? { func: 'return null' } : {}) }))]
const counts = { added: 0, changed: 5, moved: 253, removed: 0 }

const at = (instanceId: string) => ({ params: { instanceId } })
const deployments = async (id: string) =>
  (await owner.client.call('deployment.list', { ...at(id), query: {} })).deployments
const versions = async (id: string) => (await owner.client.call('version.list', at(id))).versions
const take = async (id: string) =>
  (await owner.client.call('snapshot.create', { ...at(id), body: { name: 'Good' } })).id
async function bring(id: string, flows: object[]) {
  expect((await raw('POST', `/${id}/import`, { flows: JSON.stringify(flows) })).status).toBe(200)
  await settled(id)
  await inState(id, 'running')
}
async function deploy(instance: Awaited<ReturnType<typeof running>>, flows: object[]) {
  const headers = { authorization: `Bearer ${await server.build.instanceToken(instance)}` }
  expect((await send(server.address, 'POST', `/storage/${instance.id}/flows`, { headers, body: flows })).status).toBe(
    200,
  )
}
const told = (nodes: readonly { change: string; moved?: boolean }[]) => {
  const count = (kind: string) => nodes.filter(({ change }) => change === kind).length
  return { added: count('added'), changed: count('changed'), moved: count('moved'), removed: count('removed') }
}

describe('253 moved and 5 changed are told apart', () => {
  test('in versions, in snapshots, and in deployments with their previews', async () => {
    const instance = await running()
    const { id } = instance
    await bring(id, before)
    const good = await take(id)
    await deploy(instance, after)
    const [newest, oldest] = await versions(id)
    expect(newest?.changes).toEqual({ ...counts, tabs: [{ tab: 'Oven', ...counts }] })

    const other = { ...at(id).params, snapshotId: await take(id) }
    const compared = await owner.client.call('snapshot.changes', { params: other, query: { from: good } })
    expect(told(compared.nodes)).toEqual(counts)
    expect(compared.nodes.filter(({ moved }) => moved)).toHaveLength(258)
    expect(compared.was.map(({ x }) => x)).toEqual(line.map(() => 100))

    const draft = async (body: object) => {
      const answer = await owner.client.call('deployment.preview', { ...at(id), body })
      return told(answer.changes.nodes)
    }
    expect(await draft({ snapshot: good })).toEqual(counts)
    expect(await draft({ version: oldest!.id })).toEqual(counts)
    expect(await draft({ files: { flows: JSON.stringify(before) } })).toEqual(counts)

    await owner.client.call('deployment.rollback', { ...at(id), body: { snapshot: good } })
    await settled(id)
    await bring(id, after)
    await owner.client.call('version.restore', { params: { instanceId: id, versionId: oldest!.id }, body: {} })
    await settled(id)
    const found = await deployments(id)
    expect(found.map(({ kind, changes }) => [kind, changes.nodes])).toEqual([
      ['restore', counts],
      ['import', counts],
      ['rollback', counts],
      ['import', { added: 259, changed: 0, moved: 0, removed: 0 }],
    ])
  })

  test('in pushes and their previews', async () => {
    const [dev, prod] = [await running(), await running()]
    await bring(dev.id, after)
    await bring(prod.id, before)
    const made = await owner.client.call('pipeline.create', {
      params: { applicationId: application.id },
      body: { name: 'Line' },
    })
    const stage = async (name: string, instanceId: string, source?: string) =>
      owner.client.call('pipeline.addStage', {
        params: { pipelineId: made.id },
        body: { name, instanceId, ...(source ? { source } : {}) },
      })
    const first = await stage('Dev', dev.id)
    await stage('Prod', prod.id, first.id)
    const params = { pipelineId: made.id, stageId: first.id }
    expect(told((await owner.client.call('pipeline.changes', { params })).difference.nodes)).toEqual(counts)
    const options = { flows: true, credentials: true, nodes: true, template: false, settings: false, envVars: 'keys' }
    expect((await raw('PUT', `/${prod.id}`, { sourceProject: { id: dev.id, options } })).status).toBe(200)
    await settled(prod.id)
    expect((await deployments(prod.id))[0]).toMatchObject({ kind: 'push', changes: { nodes: counts } })
  })
})

describe('a version is compared', () => {
  test('with what the instance holds now, or with another version', async () => {
    const instance = await running()
    await bring(instance.id, before)
    await deploy(instance, after)
    const [newest, oldest] = await versions(instance.id)
    const compare = async (versionId: string, from?: string) =>
      owner.client.call('version.changes', {
        params: { instanceId: instance.id, versionId },
        query: from === undefined ? {} : { from },
      })
    const forth = await compare(newest!.id, oldest!.id)
    expect(told(forth.changes.nodes)).toEqual(counts)
    expect(forth.changes.nodes[0]).toMatchObject({
      moved: true,
      properties: [{ key: 'func', old: 'return msg', new: 'return null' }],
    })
    expect([forth.drawing.length, forth.drawing[1]?.x, forth.was.length, forth.was[0]?.x]).toEqual([259, 120, 258, 100])
    expect(told((await compare(oldest!.id)).changes.nodes)).toEqual(counts)
    expect((await compare(newest!.id)).changes.nodes).toEqual([])
  })

  test('but not one of another instance', async () => {
    const [one, other] = [await running(), await running()]
    await bring(one.id, before)
    await bring(other.id, before)
    const [own, foreign] = [(await versions(one.id))[0]!.id, (await versions(other.id))[0]!.id]
    const params = { instanceId: one.id, versionId: own }
    await expect(owner.client.call('version.changes', { params, query: { from: foreign } })).rejects.toMatchObject({
      status: 404,
    })
  })
})
