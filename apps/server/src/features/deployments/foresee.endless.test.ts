import { expect, test } from 'vitest'
import { openWorkshop } from '../../../testing/index.ts'

const { owner, running } = await openWorkshop()

const tab = { id: 'tab', type: 'tab', label: 'Oven' }
const node = (id: string, type: string, more: object = {}) => ({ id, type, z: 'tab', x: 1, y: 1, wires: [], ...more })
const subflow = (id: string, inner: string[]) => [
  { id, type: 'subflow', name: id, in: [], out: [] },
  ...inner.map((type, at) => node(`${id}-${at}`, type, { z: id })),
]
const foreseen = async (flows: object[]) => {
  const params = { instanceId: (await running()).id }
  const body = { files: { flows: JSON.stringify(flows) } }
  return (await owner.client.call('deployment.preview', { params, body })).foreseen
}

test('a subflow that contains itself is told with its name, unless nothing uses it', async () => {
  const loop = [tab, ...subflow('Bake', ['debug', 'subflow:Knead']), ...subflow('Knead', ['subflow:Bake'])]
  expect(await foreseen([...loop, node('use', 'subflow:Knead')])).toEqual([
    {
      kind: 'nodes',
      sentence:
        'The subflow “Knead” contains itself. Node-RED would never finish starting these flows, so they are not started.',
      stops: true,
      codes: ['reason:subflow-in-itself'],
      node: expect.objectContaining({ id: 'Knead', type: 'subflow' }) as object,
    },
  ])
  expect(await foreseen([...loop, node('log', 'debug')])).toEqual([])
  expect(await foreseen([...loop, node('use', 'subflow:Knead', { d: true }), node('log', 'debug')])).toEqual([])
})

test('a group in itself, or in one that is not on its tab, is told; one in another is not', async () => {
  const group = (id: string, g?: string) => ({ id, type: 'group', z: 'tab', name: id, nodes: [], ...(g ? { g } : {}) })
  const told = async (...groups: object[]) =>
    (await foreseen([tab, node('beat', 'inject', { repeat: '5' }), ...groups])).map(({ codes }) => codes)
  const codes = [['reason:group-in-no-group']]
  expect(await told(group('a', 'a'))).toEqual(codes)
  expect(await told(group('a', 'b'), group('b', 'a'))).toEqual(codes)
  expect(await told(group('a', 'gone'))).toEqual(codes)
  expect(await told({ id: 'other', type: 'tab' }, group('a', 'b'), { ...group('b'), z: 'other' })).toEqual(codes)
  expect(await told(group('a', 'b'), group('b', 'c'), group('c'))).toEqual([])
})

test('ten instances in each of ten, over and over, are told at once', async () => {
  const levels = Array.from({ length: 12 }, (_, at) => at)
  const flows = levels.flatMap((at) =>
    subflow(
      `s${at}`,
      Array.from({ length: 10 }, () => (at < 11 ? `subflow:s${at + 1}` : 'debug')),
    ),
  )
  expect(await foreseen([tab, node('use', 'subflow:s0'), ...flows])).toMatchObject([
    { sentence: expect.stringContaining('too many instances of subflows') as string, codes: ['reason:too-many-nodes'] },
  ])
})

test('an inject with a time that never comes waits for ever', async () => {
  const never = { ...node('never', 'inject', { repeat: '', crontab: '0 0 31 2 *' }), name: 'Feast' }
  expect(await foreseen([tab, never, node('beat', 'inject', { repeat: '5' })])).toMatchObject([
    { kind: 'nodes', sentence: 'The inject node "Feast" has a time that never comes, so it waits for ever.' },
  ])
  const { name: _name, ...nameless } = never
  expect(await foreseen([tab, nameless, node('beat', 'inject', { repeat: '5' })])).toMatchObject([
    { sentence: 'An inject node has a time that never comes, so it waits for ever.' },
  ])
})
