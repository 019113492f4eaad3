import { describe, expect, onTestFinished, test } from 'vitest'
import { askInstance, bearer, signIn } from '../../testing/instance.http.ts'
import { openLocal, runs, versionsFor } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'

const tab = { id: 'tab', type: 'tab', label: 'Oven' }
const broken = 'return {;'
const bare = (id: string, func: string, more: object = {}) => ({
  id,
  z: 'tab',
  type: 'function',
  func,
  outputs: 1,
  ...more,
})
const fn = (id: string, func: string, more: object = {}) => bare(id, func, { x: 1, y: 1, wires: [[]], ...more })
const subflow = (id: string) => ({ id, type: 'subflow', name: id, in: [], out: [] })
const instance = (id: string, of: string, more: object = {}) => ({
  id,
  type: `subflow:${of}`,
  z: 'tab',
  x: 1,
  y: 1,
  wires: [],
  ...more,
})
const config = { id: 'tls', z: 'tab', type: 'tls-config', name: '', cert: '', key: '', ca: '' }

/** Starts Node-RED with these flows. */
async function begin(nodered: string, flows: object[]) {
  const { driver, putFlows, spec, close } = await openLocal()
  onTestFinished(close)
  const one = spec(nodered)
  putFlows(one.id, flows)
  await driver.start(one)
  await runs(driver, one.id)
  const report = async () => (await driver.flows(one.id))!
  const counts = async () => {
    const { state, nodes, enabled, configs, faultCount } = await report()
    return { state, nodes, enabled, configs, faultCount }
  }
  const deploy = async (next: object[], type: string) => {
    const endpoint = driver.endpoint(one.id)!
    const headers = { ...bearer(await signIn(endpoint)), 'Node-RED-Deployment-Type': type }
    expect((await askInstance(endpoint, '/flows', { body: next, headers })).status).toBe(204)
  }
  return { report, counts, deploy }
}

describe.each(versionsFor(import.meta.filename))(
  'on Node-RED %s a node that can do nothing does not count as running',
  (nodered) => {
    test('also when there are more of them than faults are kept, or their ids are long', async () => {
      const many = Array.from({ length: 51 }, (_, number) => fn(`fn-${number}`, broken))
      const flows = [tab, ...many, fn('long'.repeat(60), broken)]
      const { counts, deploy } = await begin(nodered, flows)
      await expect.poll(counts).toMatchObject({ state: 'started', nodes: 0, enabled: 52, faultCount: 52 })
      const mended = flows.map((node) => (node === tab ? node : { ...node, func: 'return msg' }))
      await deploy(mended, 'nodes')
      await until('they run', async () => (await counts()).state === 'started')
      expect(await counts()).toMatchObject({ nodes: 52, enabled: 52 })
    })

    test('an instance of a subflow does nothing when no node in it does', async () => {
      const fails = "if (env.get('fail')) throw new Error('no flour')"
      const { counts } = await begin(nodered, [
        tab,
        subflow('dead'),
        fn('broken', broken, { z: 'dead' }),
        fn('off', 'return msg', { z: 'dead', d: true }),
        subflow('outer'),
        instance('nested', 'dead', { z: 'outer' }),
        subflow('mixed'),
        fn('bad', broken, { z: 'mixed' }),
        fn('good', 'return msg', { z: 'mixed' }),
        subflow('setup'),
        fn('fails', 'return msg', { z: 'setup', initialize: fails }),
        instance('one', 'dead'),
        instance('two', 'outer'),
        instance('three', 'mixed'),
        instance('four', 'setup', { env: [{ name: 'fail', type: 'str', value: 'yes' }] }),
        instance('five', 'setup'),
      ])
      // Running are those with a node that works, and the instance whose setup code does not fail.
      await expect.poll(counts).toMatchObject({ state: 'started', nodes: 2, enabled: 5, faultCount: 4 })
    })

    test('nor does one whose nodes are all disabled, unless messages go straight through it', async () => {
      const straight = { ...subflow('straight'), in: [{ x: 1, y: 1, wires: [] }] }
      const { counts } = await begin(nodered, [
        tab,
        subflow('off'),
        fn('one', 'return msg', { z: 'off', d: true }),
        subflow('outer'),
        instance('nested', 'off', { z: 'outer' }),
        { ...straight, out: [{ x: 2, y: 1, wires: [{ id: 'straight', port: 0 }] }] },
        instance('first', 'off'),
        instance('second', 'outer'),
        { ...instance('inject', 'none', { wires: [['first']] }), type: 'inject', props: [] },
        instance('third', 'straight'),
      ])
      await expect.poll(counts).toMatchObject({ state: 'started', nodes: 1, enabled: 4, faultCount: 0 })
    })

    test('nor do nodes beside a dead one that nothing reaches, and links are followed', async () => {
      const node = (id: string, type: string, more: object = {}) => ({
        id,
        z: 'tab',
        type,
        x: 1,
        y: 1,
        wires: [],
        ...more,
      })
      const flows = [
        tab,
        node('in', 'http in', { url: '/a', method: 'get', wires: [['leave']] }),
        node('leave', 'link out', { mode: 'link', links: ['come'] }),
        node('come', 'link in', { links: ['leave'], wires: [['dead']] }),
        fn('dead', broken, { wires: [['out']] }),
        node('out', 'http response'),
        node('all', 'catch', { scope: null, wires: [['log']] }),
        node('some', 'status', { scope: ['dead'], wires: [['log']] }),
        node('log', 'debug'),
        node('alone', 'debug'),
      ]
      const { counts, deploy } = await begin(nodered, flows)
      await expect.poll(counts).toMatchObject({ state: 'started', nodes: 0, enabled: 9 })
      await deploy([...flows, node('beat', 'inject', { props: [], wires: [['alone']] })], 'nodes')
      await expect.poll(counts).toMatchObject({ state: 'started', nodes: 4, enabled: 10 })
    })

    test('nor an instance of a subflow whose nodes could not be started, which are told by the ids that the flows have', async () => {
      const libs = [{ var: 'x', module: 'fs/none' }]
      const { report, counts } = await begin(nodered, [
        tab,
        subflow('inner-one'),
        fn('un-started', 'return msg', { z: 'inner-one', libs }),
        subflow('outer'),
        instance('nested', 'inner-one', { z: 'outer' }),
        instance('one', 'inner-one'),
        instance('two', 'outer'),
      ])
      await expect.poll(counts).toMatchObject({ state: 'started', nodes: 0, enabled: 2 })
      const ids = (await report()).faults.map(({ node }) => node?.id)
      expect(new Set(ids)).toEqual(new Set(['un-started']))
    })

    test('a function whose setup code throws drops its messages; one whose setup code reports an error does not', async () => {
      const { counts } = await begin(nodered, [
        tab,
        fn('throws', 'return msg', { initialize: "throw new Error('no flour')" }),
        fn('later', 'return msg', { initialize: "await Promise.reject('no flour')" }),
        fn('endless', 'return msg', { initialize: 'while (true) {}', timeout: '0.1' }),
        fn('reports', 'return msg', { initialize: "node.error(new Error('no flour'))" }),
      ])
      await expect.poll(counts).toMatchObject({ state: 'started', nodes: 1, enabled: 4, faultCount: 4 })
    })

    test('a function whose setup code has not ended is told until it ends, also in an instance of a subflow', async () => {
      const never = 'await new Promise(() => {})'
      const { report, deploy } = await begin(nodered, [
        tab,
        subflow('sub'),
        fn('inner', 'return msg', { z: 'sub', initialize: never }),
        instance('use', 'sub'),
        fn('never', 'return msg', { initialize: never }),
        fn('long', 'return msg', { initialize: 'await new Promise((done) => setTimeout(done, 1000))' }),
        { id: 'inject', z: 'tab', type: 'inject', x: 1, y: 1, wires: [['never']] },
      ])
      const pending = async () => {
        const { nodes, pending: found } = await report()
        return { nodes, works: found?.nodes, ids: found?.faults.map(({ node }) => node?.id).toSorted() }
      }
      await expect.poll(pending).toEqual({ nodes: 4, works: 0, ids: ['inner', 'long', 'never'] })
      await expect.poll(pending, { timeout: 5_000 }).toEqual({ nodes: 4, works: 1, ids: ['inner', 'never'] })
      expect((await report()).pending?.faults.find(({ node }) => node?.id === 'inner')).toMatchObject({
        kind: 'setup',
        node: { type: 'function', tab: { id: 'sub' } },
      })
      await deploy([tab, fn('never', 'return msg'), fn('other', 'return msg', { initialize: never })], 'nodes')
      await expect.poll(pending).toEqual({ nodes: 2, works: 1, ids: ['other'] })
    })

    test('nodes that have only such nodes to pass messages to, or to get them from, do not count either', async () => {
      const flows = [
        tab,
        { id: 'in', z: 'tab', type: 'http in', url: '/a', method: 'get', x: 1, y: 1, wires: [['dead']] },
        fn('dead', broken, { wires: [['out']] }),
        { id: 'out', z: 'tab', type: 'http response', x: 1, y: 1, wires: [] },
      ]
      const { counts, deploy } = await begin(nodered, flows)
      await expect.poll(counts).toMatchObject({ state: 'started', nodes: 0, enabled: 3, faultCount: 1 })
      await deploy(
        [...flows, { ...instance('log', 'none'), type: 'debug' }, { ...fn('ok', 'return msg', { wires: [['log']] }) }],
        'full',
      )
      await expect.poll(counts).toMatchObject({ state: 'started', nodes: 2, enabled: 5 })
    })

    test('a node of a file made by hand counts without position and wires; configuration of a tab does not', async () => {
      const { counts } = await begin(nodered, [tab, bare('bare', broken), fn('uses', broken, { tls: 'tls' }), config])
      await expect.poll(counts).toEqual({ state: 'started', nodes: 0, enabled: 2, configs: 1, faultCount: 2 })
    })
  },
)
