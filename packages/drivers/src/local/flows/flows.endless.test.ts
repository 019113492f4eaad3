import { describe, expect, onTestFinished, test } from 'vitest'
import { askInstance, bearer, signIn } from '../../testing/instance.http.ts'
import { openLocal, runs, versionsFor } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'

const tab = { id: 'tab', type: 'tab', label: 'Oven' }
const on = (id: string, type: string, more: object = {}) => ({ id, type, z: 'tab', x: 1, y: 1, wires: [[]], ...more })
const subflow = (id: string, ...types: string[]) => [
  { id, type: 'subflow', name: `Sub ${id}`, in: [], out: [] },
  ...types.map((type, at) => on(`${id}-${at}`, type, { z: id })),
]
const ten = (of: string): string[] => Array.from({ length: 10 }, () => of)

const loop = [tab, on('use', 'subflow:a'), ...subflow('a', 'debug', 'subflow:b'), ...subflow('b', 'subflow:a')]
/** Ten times ten, eight times over. */
const bomb = [
  tab,
  on('use', 'subflow:s0'),
  ...[0, 1, 2, 3, 4, 5, 6, 7].flatMap((at) => subflow(`s${at}`, ...ten(at < 7 ? `subflow:s${at + 1}` : 'debug'))),
]

/** Starts Node-RED with these flows. */
async function begin(nodered: string, flows: object[]) {
  const { driver, putFlows, spec, close } = await openLocal()
  onTestFinished(close)
  const one = spec(nodered)
  putFlows(one.id, flows)
  await driver.start(one)
  await runs(driver, one.id)
  const deploy = async (next: object[]) => {
    const endpoint = driver.endpoint(one.id)!
    const headers = { ...bearer(await signIn(endpoint)), 'Node-RED-Deployment-Type': 'full' }
    return askInstance(endpoint, '/flows', { body: next, headers })
  }
  return { report: async () => (await driver.flows(one.id))!, deploy }
}

describe.each(versionsFor(import.meta.filename))('on Node-RED %s', (nodered) => {
  test('a subflow that contains itself is not started, and a deploy without it runs', async () => {
    const { report, deploy } = await begin(nodered, loop)
    await until('they are stopped', async () => (await report()).state === 'stopped')
    expect(await report()).toMatchObject({
      reason: 'subflow-in-itself',
      nodes: 0,
      faults: [{ kind: 'error', node: { id: 'a', type: 'subflow' }, message: 'The subflow “Sub a” contains itself.' }],
    })
    const refused = await deploy(loop)
    expect([refused.status, refused.text]).toEqual([400, 'The subflow “Sub a” contains itself. Nothing was deployed.'])
    // One that nothing uses does no harm.
    expect((await deploy(loop.filter(({ id }) => id !== 'use'))).status).toBe(204)
    await until('they run', async () => (await report()).state === 'started')
    expect((await report()).faults).toEqual([])
  })

  test.each([
    ['in itself', [{ id: 'g', type: 'group', z: 'tab', g: 'g', name: 'Line', nodes: ['g'] }]],
    ['in one that is not there', [{ id: 'g', type: 'group', z: 'tab', g: 'gone', name: 'Line', nodes: [] }]],
  ])('nor is a group %s', async (_where, groups) => {
    const { report, deploy } = await begin(nodered, [tab, on('log', 'debug'), ...groups])
    await until('they are stopped', async () => (await report()).state === 'stopped')
    expect(await report()).toMatchObject({
      reason: 'group-in-no-group',
      faults: [{ node: { id: 'g', type: 'group' } }],
    })
    expect((await deploy([tab, on('log', 'debug')])).status).toBe(204)
    await until('they run', async () => (await report()).state === 'started')
  })

  test('nor are millions of nodes in instances of subflows', async () => {
    const { report } = await begin(nodered, bomb)
    await until('they are stopped', async () => (await report()).state === 'stopped')
    expect(await report()).toMatchObject({ reason: 'too-many-nodes', faults: [] })
  })

  test('an inject with a time that never comes keeps nothing busy, and is an error unless it sends once', async () => {
    const { report } = await begin(nodered, [
      tab,
      on('never', 'inject', { crontab: '0 0 31 2 *', props: [] }),
      on('once', 'inject', { crontab: '0 0 30 2 *', once: true, onceDelay: '0.1', props: [] }),
      on('leap', 'inject', { crontab: '0 0 29 2 *', props: [] }),
      on('beat', 'inject', { repeat: '60', crontab: '0 0 31 2 *', props: [] }),
      { id: 'inner', type: 'group', z: 'tab', g: 'outer', nodes: [] },
      { id: 'outer', type: 'group', z: 'tab', nodes: ['inner'] },
    ])
    const faults = async () => (await report()).faults.map(({ node, message }) => `${node?.id}: ${message}`).toSorted()
    await expect.poll(faults).toEqual(['never', 'once'].map((id) => `${id}: It has a time that never comes`))
    expect(await report()).toMatchObject({ state: 'started', nodes: 3, enabled: 4 })
  })
})
