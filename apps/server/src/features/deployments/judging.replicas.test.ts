import { expect, test } from 'vitest'
import { openWorkshop, until } from '../../../testing/index.ts'

const { server, owner, running, raw, read, script, settled } = await openWorkshop()

/** An instance of two processes, the second of which has crashed, so that both are stopped for a deployment. */
async function halved(): Promise<string> {
  const { id } = await running()
  await owner.client.call('ha.enable', { params: { instanceId: id }, body: { replicas: 2 } })
  await until(
    async () => read(id),
    ({ meta }) => meta.state === 'running' && meta.replicas?.length === 2,
  )
  await settled(id)
  script().crash(`${id}~1`, 'Node-RED ended unexpectedly')
  return id
}
async function deploy(id: string) {
  const flows = JSON.stringify([{ id: 'tab', type: 'tab', label: 'Other' }])
  expect((await raw('POST', `/${id}/import`, { flows })).status).toBe(200)
  await settled(id)
  const { deployments } = await owner.client.call('deployment.list', { params: { instanceId: id }, query: {} })
  return deployments[0]!
}

test('both of two restarted processes are judged, and one that ends takes what was there before back', async () => {
  const id = await halved()
  const pair = server.driver.pair!
  const { start: usual } = pair
  pair.start = async (...given) => {
    await usual(...given)
    if (given[1] !== 1) return
    pair.start = usual
    script().crash(`${id}~1`, 'TypeError: bread is not defined')
  }
  const from = script().calls.length
  const deployment = await deploy(id)
  expect(deployment).toMatchObject({ state: 'failed', takeover: { way: 'restart' } })
  expect(deployment.reason).toMatch(/^The second replica \(57ac\) did not pass: .*bread is not defined/)
  const calls = script().calls.slice(from)
  const started = calls.flatMap((call) => (call.operation === 'start' ? [call.id] : []))
  expect(started).toEqual([id, `${id}~1`, id, `${id}~1`])
  expect((await read(id)).meta).toMatchObject({
    state: 'running',
    replicas: [{ state: 'running' }, { state: 'running' }],
  })
})

test('the flows of both restarted processes are judged, but not that the first has the port', async () => {
  const id = await halved()
  const pair = server.driver.pair!
  const { flows: usual } = pair
  const fault = (kind: 'listen' | 'error') => ({ kind, node: { id: kind, type: 'x' }, message: 'no', count: 1, at: 1 })
  const faults = [fault('listen'), fault('error')]
  pair.flows = async (...given) => {
    const report = await usual(...given)
    return report && (given[1] === 1 ? { ...report, faults } : report)
  }
  const deployment = await deploy(id)
  pair.flows = usual
  expect(deployment).toMatchObject({ state: 'done', takeover: { way: 'restart' }, faults: [{ kind: 'error' }] })
  expect(deployment.faults).toHaveLength(1)
})
