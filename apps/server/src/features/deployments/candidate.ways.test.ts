import { DriverError } from '@app/drivers'
import { expect, test } from 'vitest'
import { testClock, until } from '../../../testing/index.ts'
import { candidates } from '../../../testing/candidates.ts'

const { at, begin, running, script, settled, visit, raw, flows, acting, deploy, checked, answeredBy, orderOf } =
  candidates()

const unknown = [
  { id: 'tab', type: 'tab', label: 'Other' },
  { id: 'robot', z: 'tab', type: 'robot-arm' },
]

test.each([
  ['held', acting, undefined, 'The mqtt in node “orders” acts by itself.'],
  ['stop-first', unknown, undefined, 'It is not known what the robot-arm node does when it starts.'],
  ['held', flows, 'held', 'Its settings say so.'],
  ['stop-first', flows, 'stop-first', 'Its settings say so.'],
] as const)('flows that take over %s: the old ones stop before the new ones act', async (way, given, setting, why) => {
  await begin(0)
  const { id, name } = await running()
  const from = script().calls.length
  const preview = await at.owner.client.call('deployment.preview', {
    params: { instanceId: id },
    body: { files: { flows: JSON.stringify(given) } },
  })
  const expected = setting === undefined ? { way, why } : { way: 'beside' }
  expect(preview.takeover).toMatchObject(expected)
  const { job, deployment } = await deploy(id, given, setting)
  expect(job?.state).toBe('done')
  const waits = way === 'stop-first' ? ['start-held 1'] : []
  expect(orderOf(id, from)).toEqual(['start 1', 'pause 0', ...waits, 'release 1', 'stop 0'])
  expect(deployment.takeover).toEqual({ way, why, gapMs: expect.any(Number) as number, late: 0, dropped: 0 })
  expect(await answeredBy(name)).toBe(`${id}~1`)
})

test('messages that no version handled while none acted are counted in the answer', async () => {
  await begin(0)
  const { id } = await running()
  const { release } = at.server.driver.pair!
  at.server.driver.pair!.release = async (...given) => ({ ...(await release(...given)), late: 2, dropped: 3 })
  const { deployment } = await deploy(id, acting)
  expect(deployment.takeover).toMatchObject({ way: 'held', late: 2, dropped: 3 })
})

test('the step and the takeover say that Node-RED was stopped if no process can be started beside after all', async () => {
  await begin(0)
  const { id } = await running()
  const from = script().calls.length
  at.server.driver.pair!.startCandidate = async () => {
    throw new DriverError('not_beside', 'Its modules change')
  }
  const { job, deployment } = await deploy(id, flows)
  expect(job?.state).toBe('done')
  expect(orderOf(id, from).slice(-2)).toEqual(['start 0', 'release 0'])
  expect(deployment.takeover).toEqual({
    way: 'restart',
    why: 'Its modules change.',
    gapMs: expect.any(Number) as number,
    late: 0,
    dropped: 0,
  })
  const [, stop] = deployment.steps
  expect(stop).toMatchObject({
    name: 'Stop Node-RED or keep it serving',
    state: 'done',
    text: 'Stopped later. Its modules change.',
  })
})

/** Has flows put into an instance that has to be stopped for them; the new process answers its check so. */
async function restarted(id: string, status: number) {
  const healthCheck = { path: '/well', status: 204, seconds: 1 }
  await at.owner.client.call('instance.update', { params: { instanceId: id }, body: { healthCheck } })
  const { driver } = at.server
  const [{ obstacle }, { start }] = [driver.pair!, driver]
  driver.pair!.obstacle = async () => 'Its modules change'
  driver.start = async (...given) => {
    await start(...given)
    script().onRequest(id, (_request, answer) => void answer.writeHead(status).end())
    driver.start = start
  }
  return deploy(id, acting).finally(() => (driver.pair!.obstacle = obstacle))
}

test('the new version is judged before it acts if Node-RED is stopped first, and the gap is counted', async () => {
  await begin(0)
  const { id } = await running()
  const from = script().calls.length
  const { release } = at.server.driver.pair!
  at.server.driver.pair!.release = async (...given) => ({ ...(await release(...given)), late: 2, dropped: 3 })
  const { deployment } = await restarted(id, 204)
  const gapMs = expect.any(Number) as number
  expect(deployment).toMatchObject({ state: 'done', takeover: { way: 'restart', gapMs, late: 2, dropped: 3 } })
  // Its flows are stopped before its process is, so that what they have in hand is handled.
  expect([...new Set(orderOf(id, from))]).toEqual(['pause 0', 'stop 0', 'start 0', 'release 0'])
})

test('a process that does not stop for the new version gets its flows back', async () => {
  await begin(0)
  const { id, name } = await running()
  const from = script().calls.length
  script().failNext('stop')
  const { job } = await restarted(id, 204)
  expect(job?.state).toBe('failed')
  expect(orderOf(id, from)).toEqual(['pause 0', 'stop 0', 'resume 0'])
  expect(await answeredBy(name)).toBe(id)
})

test('a version that does not pass has not acted if Node-RED is stopped first, and the gap is told', async () => {
  await begin(0)
  const { id, name } = await running()
  const from = script().calls.length
  const { deployment } = await restarted(id, 404)
  expect(deployment).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining('/well had to answer with 204') as string,
    takeover: { way: 'restart', gapMs: expect.any(Number) as number },
  })
  expect(orderOf(id, from)).not.toContain('release 0')
  expect((await visit(name)).status).toBe(200)
})

test('a version that is refused and does not stop does not act', async () => {
  await begin(0)
  const { id } = await running()
  const from = script().calls.length
  const { release } = at.server.driver.pair!
  at.server.driver.pair!.release = async (...given) => {
    await release(...given)
    script().failNext('stop')
    throw new DriverError('not_released', 'It cannot listen')
  }
  const { deployment } = await restarted(id, 204)
  expect(deployment).toMatchObject({
    state: 'failed',
    reason: expect.stringMatching(/^It cannot listen\. .* But it does not start: /) as string,
  })
  expect(orderOf(id, from).slice(-3)).toEqual(['release 0', 'pause 0', 'stop 0'])
})

test('nobody reaches a version that is held while nothing else serves', async () => {
  await begin(0)
  const { id, name } = await running()
  const { release } = at.server.driver.pair!
  const statuses: number[] = []
  at.server.driver.pair!.release = async (...given) => {
    statuses.push((await visit(name)).status)
    return release(...given)
  }
  await restarted(id, 204)
  statuses.push((await visit(name)).status)
  expect(statuses).toEqual([503, 204])
})

test('flows that act only when they are asked take over beside, and an instance may be set to that', async () => {
  await begin(0)
  const { id } = await running()
  const from = script().calls.length
  const { deployment } = await deploy(id, acting, 'beside')
  expect(orderOf(id, from)).toEqual(['start 1', 'stop 0'])
  expect(deployment.takeover).toEqual({ way: 'beside', why: 'Its settings say so.' })
})

test('a listener of before that the new version does not get puts back what served, with its flows', async () => {
  await begin(0)
  const { id, name } = await running()
  const from = script().calls.length
  script().setOpens(id, { listens: ['tcp 3842'], connects: [], timers: 0, serial: [], programs: 0, kept: [] })
  script().refuseListeners(id, ['tcp 3842'])
  const { job, deployment } = await deploy(id, flows)
  expect(job).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('cannot listen on tcp 3842') as string,
  })
  expect(deployment.takeover).toEqual({
    way: 'held',
    why: 'It listens on tcp 3842, which only one process can.',
    gapMs: expect.any(Number) as number,
  })
  expect(orderOf(id, from)).toEqual(['start 1', 'pause 0', 'release 1', 'resume 0'])
  expect(await answeredBy(name)).toBe(id)
})

test('flows that stop those before first are judged before they act, and those that do not pass never do', async () => {
  await begin(0)
  const { id, name } = await running()
  const from = script().calls.length
  const { deployment } = await checked(id, 'stop-first', 404)
  expect(deployment.reason).toContain('/well had to answer with 204 within 1 s; the last answer was 404')
  expect(orderOf(id, from)).toEqual(['start 1', 'pause 0', 'start-held 1', 'resume 0'])
  expect(await answeredBy(name)).toBe(id)
})

test('flows before that can neither be started again nor be stopped are not taken for serving: they start anew', async () => {
  await begin(0)
  const { id, name } = await running()
  const from = script().calls.length
  script().failNext('resume')
  script().failNext('stop')
  const { job } = await checked(id, 'stop-first', 404)
  expect(job?.error).toContain('The previous version is back.')
  expect(orderOf(id, from).slice(-5)).toEqual(['resume 0', 'stop 0', 'stop 0', 'stop 0', 'start 0'])
  expect(await answeredBy(name)).toBe(id)
})

test('a check that may wait for connections is asked again when they are open, and says so where they are not', async () => {
  await begin(0)
  const { id } = await running()
  const hint = 'if the check needs them, set Takeover of the instance to “Stop first”'
  expect((await checked(id, 'held', 503)).deployment.reason).toContain(hint)
  const from = script().calls.length
  const { deployment } = await checked(id, 'stop-first', 503)
  expect(orderOf(id, from)).toEqual(['start 1', 'pause 0', 'start-held 1', 'release 1', 'resume 0'])
  expect(deployment.reason).toContain('the last answer was 503')
  expect(deployment.reason).not.toContain(hint)
})

test('held flows that end their process once they act are put back, and those before go on', async () => {
  const clock = testClock()
  await begin(600, clock)
  const { id, name } = await running()
  const from = script().calls.length
  expect((await raw('POST', `/${id}/import`, { flows: JSON.stringify(acting) })).status).toBe(200)
  await until(
    async () => {
      clock.turn(60_000)
      return orderOf(id, from)
    },
    (calls) => calls.includes('release 1'),
  )
  script().crash(`${id}~1`, 'TypeError: bread is not defined')
  const [job] = await settled(id)
  expect(job).toMatchObject({ state: 'failed', error: expect.stringContaining('bread is not defined') as string })
  expect(orderOf(id, from)).toEqual(['start 1', 'pause 0', 'release 1', 'resume 0'])
  expect(await answeredBy(name)).toBe(id)
})
