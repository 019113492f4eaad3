import type { LogEntry } from '@app/contract/instance-link'
import { describe, expect, onTestFinished, test } from 'vitest'
import { askInstance, bearer, signIn } from '../../testing/instance.http.ts'
import { openLocal, runs, versions } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'

const tab = { id: 'tab', type: 'tab', label: 'Oven' }
const fn = (id: string, func: string, more: object = {}) => ({
  id,
  z: 'tab',
  type: 'function',
  x: 1,
  y: 1,
  name: `name of ${id}`,
  func,
  outputs: 1,
  wires: [[]],
  initialize: '',
  finalize: '',
  libs: [],
  timeout: 0,
  ...more,
})
const once = (id: string, to: string) => ({
  id,
  z: 'tab',
  type: 'inject',
  x: 1,
  y: 1,
  name: '',
  props: [],
  once: true,
  onceDelay: 0.1,
  repeat: '',
  wires: [[to]],
})

/** Starts Node-RED with these flows. */
async function begin(nodered: string, flows: object[], environment: Record<string, string> = {}) {
  const local = await openLocal()
  onTestFinished(() => local.close())
  const one = local.spec(nodered)
  local.putFlows(one.id, flows)
  local.platform.behaviour.env = environment
  await local.driver.start(one)
  await runs(local.driver, one.id)
  /** The first line that says this. */
  const line = (text: string): Promise<LogEntry> =>
    until(`a line says ${text}`, async () =>
      (await local.driver.logs(one.id, { limit: 1000 })).find(({ msg }) => msg.includes(text)),
    )
  return { ...local, one, line }
}

describe.each(versions)('lines of nodes on Node-RED %s', (nodered) => {
  test('an error is named as Node-RED prints it, with where it was thrown, its node and its tab', async () => {
    const { line } = await begin(nodered, [
      tab,
      once('go', 'throws'),
      fn('throws', 'msg.a.b.c = 1'),
      fn('reports', '', { initialize: "node.error(new RangeError('no flour'))" }),
    ])
    const thrown = await line('TypeError: Cannot read properties of undefined')
    expect(thrown.msg).toMatch(/^\[function:name of throws\] TypeError: .*\n {4}at Function node:throws/)
    const at = { id: 'tab', label: 'Oven' }
    expect(thrown.node).toEqual({ id: 'throws', type: 'function', name: 'name of throws', tab: at })
    const reported = await line('RangeError: no flour')
    expect(reported.msg).toMatch(/^\[function:name of reports\] RangeError: no flour\n {4}at /)
    expect(reported.node).toEqual({ id: 'reports', type: 'function', name: 'name of reports', tab: at })
  })

  test('a node in a subflow is that of the subflow, with the nodes on whose behalf it runs', async () => {
    const { line } = await begin(nodered, [
      tab,
      { id: 'inner', type: 'subflow', name: 'Mixer', in: [], out: [] },
      { id: 'outer', type: 'subflow', name: 'Line', in: [], out: [] },
      fn('mixes', '', { z: 'inner', initialize: "node.warn('too dry')" }),
      { id: 'of-inner', type: 'subflow:inner', z: 'outer', x: 1, y: 1, name: '', wires: [] },
      { id: 'of-outer', type: 'subflow:outer', z: 'tab', x: 1, y: 1, name: 'line 1', wires: [] },
    ])
    expect((await line('too dry')).node).toEqual({
      id: 'mixes',
      type: 'function',
      name: 'name of mixes',
      tab: { id: 'inner', label: 'Mixer' },
      path: [
        { id: 'tab', label: 'Oven' },
        { id: 'of-outer', label: 'line 1' },
        { id: 'of-inner', label: '' },
      ],
    })
  })

  test('a config node has no tab; a line of Node-RED itself no node; a name is never the value of its variable', async () => {
    const { line } = await begin(
      nodered,
      [
        tab,
        { id: 'broker', type: 'mqtt-broker', name: '${TOKEN}', broker: '127.0.0.1', port: '1', autoConnect: true },
        { id: 'mqtt', z: 'tab', type: 'mqtt in', name: '', topic: 'a', qos: '0', broker: 'broker', wires: [[]] },
      ],
      { TOKEN: 'very-secret' },
    )
    const failed = await line('[mqtt-broker:')
    expect(failed.node).toEqual({ id: 'broker', type: 'mqtt-broker', name: '${TOKEN}' })
    expect((await line('Started flows')).node).toBeUndefined()
  })

  test('a node that was deleted since keeps its lines', async () => {
    const { line, driver, one } = await begin(nodered, [tab, fn('gone', '', { initialize: "node.warn('still here')" })])
    await line('still here')
    const endpoint = driver.endpoint(one.id)!
    const headers = bearer(await signIn(endpoint))
    expect((await askInstance(endpoint, '/flows', { body: [tab], headers })).status).toBe(204)
    expect((await line('still here')).node).toMatchObject({ id: 'gone', name: 'name of gone' })
  })
})
