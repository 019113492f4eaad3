import type { Deployment, Instance } from '@app/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from './index.ts'
import { on, openRealPlatform, type Node, type RealPlatform } from './real.platform.ts'

let platform: RealPlatform
beforeAll(async () => {
  platform = await openRealPlatform()
})
afterAll(() => platform.close())

/** Flows that count their visits in the persistent store, and answer with their label and the count. */
const counting = (label: string): Node[] => [
  { id: 'tab', type: 'tab', label: 'Oven' },
  on('in', 'http in', { url: '/count', method: 'get', wires: [['fn']] }),
  on('fn', 'function', {
    func: `
      const next = (store) => {
        const count = (store.get('count', 'persistent') ?? 0) + 1
        store.set('count', count, 'persistent')
        return count
      }
      msg.payload = '${label} ' + next(flow) + ' ' + next(global)
      return msg`,
    outputs: 1,
    wires: [['out']],
  }),
  on('out', 'http response'),
]

const count = async ({ name }: Instance) =>
  (
    await until(
      () => platform.visit(name, '/count').catch(() => ({ status: 0, text: '' })),
      ({ status }) => status === 200,
    )
  ).text

const done = { state: 'done' } satisfies Partial<Deployment>

test('a persistent counter goes on through a rollback, a push to its instance and a move to another application', async () => {
  const { owner, server, importTo, ended, settled, inState } = platform
  const [one, dev] = [await platform.make('5.0.7'), await platform.make('5.0.7')]
  expect(await importTo(one, counting('first'))).toMatchObject(done)
  expect([await count(one), await count(one)]).toEqual(['first 1 1', 'first 2 2'])

  const body = { name: 'Back', flows: counting('snapshot') }
  const { id: snapshot } = await owner.client.call('snapshot.create', { params: { instanceId: one.id }, body })
  expect(await ended(one, 'POST', '/actions/rollback', { snapshot })).toMatchObject(done)
  expect(await count(one)).toBe('snapshot 3 3')

  expect(await importTo(dev, counting('pushed'))).toMatchObject(done)
  expect(await count(dev)).toBe('pushed 1 1')
  const options = { flows: true, credentials: true, nodes: true, envVars: 'keys' }
  expect(await ended(one, 'PUT', '', { sourceProject: { id: dev.id, options } })).toMatchObject(done)
  expect(await count(one)).toBe('pushed 4 4')

  const { id: applicationId } = await server.build.application(owner, platform.team)
  await owner.client.call('instance.move', { params: { instanceId: one.id }, body: { applicationId } })
  await settled(one.id)
  expect((await inState(one.id, 'running')).application?.id).toBe(applicationId)
  await owner.client.call('instance.restart', { params: { instanceId: one.id } })
  await settled(one.id)
  await inState(one.id, 'running')
  expect(await count(one)).toBe('pushed 5 5')
})
