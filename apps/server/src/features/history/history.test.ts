import { type HistoryPoint, type Instance, type QueryOf, roles, type Routes } from '@app/contract'
import { DriverError } from '@app/drivers'
import { beforeAll, describe, expect, test } from 'vitest'
import { instanceCalls, openWorkshop, send } from '../../../testing/index.ts'

const { server, owner, team, application } = await openWorkshop()
let instance: Instance

const { running, settled, inState, script } = instanceCalls(() => ({ server, owner, application }))

const flow = (word: string) => [
  { id: 'tab', type: 'tab', label: 'Oven' },
  { id: 'say', type: 'function', z: 'tab', func: `return '${word}'` },
]
const params = () => ({ params: { instanceId: instance.id } })

async function deploy(flows: object[], basis?: string): Promise<void> {
  const headers = { authorization: `Bearer ${await server.build.instanceToken(instance)}` }
  const path = `/storage/${instance.id}`
  if (basis === undefined) await send(server.address, 'POST', `${path}/flows`, { headers, body: flows })
  else await send(server.address, 'POST', `${path}/deploy`, { headers, body: { flows, basis } })
}
const take = async (name: string, person = owner) =>
  (await person.client.call('snapshot.create', { ...params(), body: { name } })).id
const page = async (query: QueryOf<Routes['history.list']> = {}, person = owner) =>
  person.client.call('history.list', { ...params(), query })

/** A point in a few words. */
function told({ version, deployment, snapshot }: HistoryPoint): string {
  const current = version?.current ? ', current' : ''
  if (snapshot) return `snapshot ${snapshot.name}`
  if (deployment) return `${deployment.kind} ${deployment.state}, ${version ? version.kind : 'no version'}${current}`
  return `${version?.kind}${current}`
}
const list = async (query: QueryOf<Routes['history.list']> = {}) => (await page(query)).history.map(told)

/** Deploys, a snapshot, a rollback that works, one that does not, and a deploy that is refused. */
beforeAll(async () => {
  instance = await running()
  await deploy(flow('first'))
  const first = await take('The first')
  await deploy(flow('second'))
  const second = await take('The second')
  await owner.client.call('deployment.rollback', { ...params(), body: { snapshot: first } })
  await settled(instance.id)
  await inState(instance.id, 'running')
  script().failNext('start', new DriverError('start_failed', 'Node-RED ended before it answered'))
  await owner.client.call('deployment.rollback', { ...params(), body: { snapshot: second } })
  await settled(instance.id)
  await inState(instance.id, 'running')
  await deploy(flow('late'), 'f'.repeat(64))
})

describe('The history of an instance', () => {
  test('holds deploys, deployments and snapshots, newest first, each once', async () => {
    expect(await list()).toEqual([
      'refused',
      'rollback failed, rollback',
      'rollback done, rollback, current',
      'snapshot The second',
      'deploy',
      'snapshot The first',
      'deploy',
    ])
  })

  test('counts and lists one kind alone', async () => {
    expect(await list({ kind: 'editor' })).toEqual(['refused', 'deploy', 'deploy'])
    expect(await list({ kind: 'deployments' })).toEqual([
      'rollback failed, rollback',
      'rollback done, rollback, current',
    ])
    expect(await list({ kind: 'snapshots' })).toEqual(['snapshot The second', 'snapshot The first'])
    expect(await list({ kind: 'problems' })).toEqual(['refused', 'rollback failed, rollback'])
    for (const [kind, count] of [
      ['editor', 3],
      ['deployments', 2],
      ['snapshots', 2],
      ['problems', 2],
    ] as const)
      expect([kind, (await page({ kind })).count]).toEqual([kind, count])
  })

  test('is searched by the names in it, in any case', async () => {
    expect(await list({ query: 'SECOND' })).toEqual(['rollback failed, rollback', 'snapshot The second'])
    expect(await list({ query: '%' })).toEqual([])
  })

  test('comes in pages that miss nothing and repeat nothing', async () => {
    const all: string[] = []
    let cursor: string | undefined
    do {
      const { history, meta, count } = await page({ limit: 2, ...(cursor ? { cursor } : {}) })
      expect(count).toBe(7)
      all.push(...history.map(told))
      cursor = meta.next_cursor
    } while (cursor)
    expect(all).toEqual(await list())
  })

  test('is for viewers, and for nobody outside of the team', async () => {
    const viewer = await server.build.member(team, roles.viewer)
    expect((await page({}, viewer)).count).toBe(7)
    const stranger = await server.build.user()
    await expect(page({}, stranger)).rejects.toMatchObject({ status: 404 })
  })
})

test('The history of a duplicate begins with what it was copied from', async () => {
  const copy = await owner.client.call('instance.create', {
    body: {
      name: 'a-copy',
      applicationId: application.id,
      ...(await server.build.choice()),
      sourceProject: { id: instance.id },
    },
  })
  const { history } = await owner.client.call('history.list', { params: { instanceId: copy.id }, query: {} })
  expect(history.map(told)).toEqual(['duplicate done, duplicate, current'])
})

describe('Two points of it', () => {
  const compare = async (to: string, from?: string) => {
    const { changes } = await owner.client.call('history.changes', {
      ...params(),
      query: { to, ...(from ? { from } : {}) },
    })
    return changes.nodes.flatMap(({ properties }) => properties)
  }
  const refOf = async (word: string) => {
    const { history } = await page()
    const { version, snapshot } = history.find((point) => told(point) === word)!
    return snapshot ? `snapshot:${snapshot.id}` : `version:${version!.id}`
  }

  test('are compared whatever they are: a version and a snapshot, or either with what there is now', async () => {
    const [refused, second] = [await refOf('refused'), await refOf('snapshot The second')]
    const words = (old: string, now: string) => [
      expect.objectContaining({ key: 'func', old: `return '${old}'`, new: `return '${now}'` }),
    ]
    expect(await compare(second, refused)).toEqual(words('late', 'second'))
    expect(await compare(refused, second)).toEqual(words('second', 'late'))
    expect(await compare(second)).toEqual(words('first', 'second'))
    expect(await compare(await refOf('snapshot The first'))).toEqual([])
  })

  test('with a version are compared by their flows alone', async () => {
    await owner.client.call('instance.update', {
      params: { instanceId: instance.id },
      body: { settings: { env: [{ name: 'OVEN', value: 'hot' }] } },
    })
    const later = `snapshot:${await take('Hot')}`
    const { changes } = await owner.client.call('history.changes', {
      ...params(),
      query: { to: later, from: await refOf('refused') },
    })
    expect(changes.env).toEqual([])
    const { changes: whole } = await owner.client.call('history.changes', {
      ...params(),
      query: { to: later, from: await refOf('snapshot The first') },
    })
    expect(whole.env).toEqual([{ name: 'OVEN', change: 'added' }])
  })

  test('of another instance are not found, and other words are refused', async () => {
    const other = await server.build.instance(owner, application)
    const ask = async (to: string) =>
      owner.client.call('history.changes', { params: { instanceId: other.id }, query: { to } })
    await expect(ask(await refOf('refused'))).rejects.toMatchObject({ status: 404 })
    await expect(ask(await refOf('snapshot The first'))).rejects.toMatchObject({ status: 404 })
    await expect(ask('flows')).rejects.toMatchObject({ status: 400 })
  })
})
