import { expect, test } from 'vitest'
import { candidates } from '../../../testing/candidates.ts'

const { at, begin, doubled, script, settled, visit, read, flows, acting, deploy, orderOf } = candidates()

test('each of two processes is started with its inputs closed and released once it has passed', async () => {
  await begin(0)
  const { id } = await doubled()
  await settled(id)
  const from = script().calls.length
  const { job } = await deploy(id, acting)
  expect(job?.state).toBe('done')
  expect(job?.steps[1]?.text).toContain('replaced; each new one starts with its inputs closed')
  expect(orderOf(id, from)).toEqual(['stop 0', 'start 0', 'release 0', 'stop 1', 'start 1', 'release 1'])
})

test('the second of two processes is judged like the first; when it does not pass, both go back', async () => {
  await begin(0)
  const { id } = await doubled()
  await settled(id)
  const healthCheck = { path: '/well', status: 200, seconds: 1 }
  await at.owner.client.call('instance.update', { params: { instanceId: id }, body: { healthCheck } })
  const { start } = at.server.driver.pair!
  let isFirst = true
  at.server.driver.pair!.start = async (...given) => {
    await start(...given)
    if (given[1] !== 1 || !isFirst) return
    isFirst = false
    script().onRequest(`${id}~1`, (_request, answer) => void answer.writeHead(404).end())
  }
  const from = script().calls.length
  const { deployment } = await deploy(id, flows)
  expect(deployment.state).toBe('failed')
  expect(deployment.reason).toMatch(/^The second replica \(57ac\) did not pass: .*the last answer was 404/)
  const first = ['stop 0', 'start 0', 'stop 1', 'start 1']
  expect(orderOf(id, from)).toEqual([...first, 'stop 1', 'start 1', 'stop 0', 'start 0'])
})

test('errors of the second of two processes are on record, but not that the first has the port', async () => {
  await begin(0)
  const { id } = await doubled()
  await settled(id)
  const { driver } = at.server
  const usual = driver.pair!.flows
  const fault = (kind: 'listen' | 'error') => ({ kind, node: { id: kind, type: 'x' }, message: 'no', count: 1, at: 1 })
  driver.pair!.flows = async (...given) => {
    const report = await usual(...given)
    return report && (given[1] === 1 ? { ...report, faults: [fault('listen'), fault('error')] } : report)
  }
  const { flows: before } = driver
  driver.flows = async () => ({ ...(await usual(id, 0))!, faults: [] })
  const { deployment } = await deploy(id, flows)
  driver.flows = before
  expect(deployment).toMatchObject({ state: 'done', faults: [{ kind: 'error' }] })
  expect(deployment.faults).toHaveLength(1)
})

test('flows that fail only once they act are taken from the first of two processes, and the second never gets them', async () => {
  await begin(0)
  const { id, name } = await doubled()
  const healthCheck = { path: '/well', status: 200, seconds: 1 }
  await at.owner.client.call('instance.update', { params: { instanceId: id }, body: { healthCheck } })
  const { release } = at.server.driver.pair!
  at.server.driver.pair!.release = async (...given) => {
    const released = await release(...given)
    script().onRequest(given[1] === 0 ? id : `${id}~1`, (_request, answer) => void answer.writeHead(404).end())
    return released
  }
  const from = script().calls.length
  const { deployment } = await deploy(id, acting)
  expect(deployment.reason).toContain('/well had to answer with 200 within 1 s; the last answer was 404')
  expect(orderOf(id, from)).toEqual(['stop 0', 'start 0', 'release 0', 'stop 0', 'start 0'])
  expect((await visit(name)).status).toBe(200)
  expect((await read(id)).meta).toMatchObject({
    state: 'running',
    replicas: [{ state: 'running' }, { state: 'running' }],
  })
})
