import type { Instance } from '@app/contract'
import { DriverError } from '@app/drivers'
import { expect, onTestFinished, test } from 'vitest'
import { instanceCalls, startServer, testClock, type TestServer, type TestUser, until } from '../../../testing/index.ts'

let server: TestServer
let owner: TestUser
let application: { id: string }

/** A platform on which new contents must stay up for so long. */
async function begin(steadySeconds: number, clock?: ReturnType<typeof testClock>): Promise<void> {
  server = await startServer({ config: { steadySeconds }, ...(clock ? { clock } : {}) })
  onTestFinished(() => server.close())
  const platform = await server.build.platform()
  owner = platform.owner
  application = await server.build.application(owner, platform.team)
}

const { running, script, settled, visit, read, jobs, raw } = instanceCalls(() => ({ server, owner, application }))
const flows = [{ id: 'tab', type: 'tab', label: 'Other' }]

/** Has a snapshot with other flows put into a running instance. */
async function push(person: TestUser, id: string): Promise<string> {
  const params = { instanceId: id }
  const { id: snapshot } = await person.client.call('snapshot.create', { params, body: { name: 'Other', flows } })
  await person.client.call('deployment.rollback', { params, body: { snapshot } })
  return snapshot
}
const differs = async (person: TestUser, instanceId: string, snapshotId: string) =>
  (await person.client.call('snapshot.changes', { params: { instanceId, snapshotId }, query: {} })).nodes.length
/** Asks which version answers, over and over until told to end. */
function ask(name: string) {
  const answers: string[] = []
  let over = false
  const done = (async () => {
    while (!over) {
      const { status, text } = await visit(name)
      answers.push(status === 200 ? (JSON.parse(text) as { id: string }).id : String(status))
    }
  })()
  return {
    end: async () => {
      over = true
      await done
      return answers
    },
  }
}
const operations = (id: string, from: number) =>
  script()
    .calls.slice(from)
    .filter((call) => call.id.startsWith(id) && /^(start|stop)$/.test(call.operation))
    .map((call) => `${call.operation} ${call.id.endsWith('~1') ? 1 : 0}`)

/** Ways to have an instance start on something else. */
const ways: Record<string, (instance: Instance) => Promise<unknown>> = {
  'a rollback': async ({ id }) => push(owner, id),
  async 'a push'({ id }) {
    const source = await running()
    expect((await raw('POST', `/${source.id}/import`, { flows: JSON.stringify(flows) })).status).toBe(200)
    await settled(source.id)
    const options = { flows: true, credentials: true, nodes: true, envVars: 'keys' }
    expect((await raw('PUT', `/${id}`, { sourceProject: { id: source.id, options } })).status).toBe(200)
  },
  async 'another stack'({ id, stack }) {
    const { stacks } = await owner.client.call('stack.list', { query: { filter: 'active' } })
    const other = stacks.find((one) => one.id !== stack.id)!
    expect((await raw('PUT', `/${id}`, { stack: other.id })).status).toBe(200)
  },
}

test.each(Object.keys(ways))(
  '%s comes up beside, takes over without a request lost, and the old one ends',
  async (way) => {
    await begin(0.5)
    const instance = await running()
    const { id, name } = instance
    const from = script().calls.length
    const asking = ask(name)
    await ways[way]!(instance)
    const [job] = await settled(id)
    const answers = await asking.end()
    expect(job?.state).toBe('done')
    expect(operations(id, from)).toEqual(['start 1', 'stop 0'])
    expect(new Set(answers)).toEqual(new Set([id, `${id}~1`]))
    expect(answers.toSorted()).toEqual(answers)
    expect((await read(id)).meta).toMatchObject({ state: 'running' })
  },
)

test('contents that do not stay up are put back, and what served goes on without a restart', async () => {
  await begin(600)
  const { id, name } = await running()
  const from = script().calls.length
  const asking = ask(name)
  const snapshot = await push(owner, id)
  await until(
    async () => jobs(id),
    ([job]) => job?.steps.at(-1)?.state === 'running',
  )
  await until(
    async () => server.driver.pair!.trial(id),
    ({ state }) => state === 'running',
  )
  script().crash(`${id}~1`, 'TypeError: bread is not defined')
  const [job] = await settled(id)
  const answers = await asking.end()
  expect(job).toMatchObject({ state: 'failed', error: expect.stringContaining('bread is not defined') as string })
  expect(operations(id, from)).toEqual(['start 1'])
  expect(new Set(answers)).toEqual(new Set([id]))
  expect(await differs(owner, id, snapshot)).toBe(1)
  expect((await read(id)).meta.state).toBe('running')
})

/** Runs as two processes, both of them serving. */
async function doubled() {
  const { id } = await running()
  await owner.client.call('ha.enable', { params: { instanceId: id }, body: { replicas: 2 } })
  return until(
    async () => read(id),
    ({ meta }) => meta.state === 'running' && meta.replicas?.length === 2,
  )
}

test('of two processes one after the other gets new contents, and requests are answered all the while', async () => {
  await begin(0)
  const { id, name } = await doubled()
  await settled(id)
  const from = script().calls.length
  const asking = ask(name)
  const snapshot = await push(owner, id)
  const [job] = await settled(id)
  const answers = await asking.end()
  expect(job?.state).toBe('done')
  expect(job?.steps[1]?.text).toBe('One replica keeps serving while the other is replaced')
  expect(await differs(owner, id, snapshot)).toBe(0)
  expect(operations(id, from)).toEqual(['stop 0', 'start 0', 'stop 1', 'start 1'])
  expect(new Set(answers)).toEqual(new Set([id, `${id}~1`]))
})

test('of two processes the one that does not pass goes back, and the other has served all the while', async () => {
  await begin(600)
  const { id, name } = await doubled()
  await settled(id)
  const from = script().calls.length
  const snapshot = await push(owner, id)
  await until(
    async () => server.driver.pair!.members(id),
    ([first]) => operations(id, from).length === 2 && first?.state === 'running',
  )
  const asking = ask(name)
  // It is judged first, and gets nothing to do.
  script().crash(id, 'TypeError: bread is not defined')
  const [job] = await settled(id)
  const answers = await asking.end()
  expect(job?.state).toBe('failed')
  expect(job?.error).toMatch(/^The first replica \(57ab\) did not pass: .*bread is not defined/)
  expect(operations(id, from)).toEqual(['stop 0', 'start 0', 'stop 0', 'start 0'])
  expect([answers[0], answers.filter((one) => !one.startsWith(id))]).toEqual([`${id}~1`, []])
  expect(await differs(owner, id, snapshot)).toBe(1)
  const { meta } = await until(
    async () => read(id),
    (now) => now.meta.replicas?.every(({ state }) => state === 'running') === true,
  )
  expect(meta.state).toBe('running')
})

test('what is on trial answers the check of the instance before it takes over', async () => {
  await begin(0)
  const { id, name } = await running()
  const healthCheck = { path: '/well', status: 204, seconds: 300 }
  await owner.client.call('instance.update', { params: { instanceId: id }, body: { healthCheck } })
  await push(owner, id)
  await until(
    async () => server.driver.pair!.trial(id),
    ({ state }) => state === 'running',
  )
  expect(JSON.parse((await visit(name)).text)).toMatchObject({ id })
  script().onRequest(`${id}~1`, ({ url }, answer) => void answer.writeHead(url === '/well' ? 204 : 200).end('new'))
  expect((await settled(id))[0]?.state).toBe('done')
  expect((await visit(name)).text).toBe('new')
})

const acting = [
  { id: 'tab', type: 'tab', label: 'Other' },
  { id: 'broker', type: 'mqtt-broker' },
  { id: 'in', z: 'tab', type: 'mqtt in', name: 'orders', broker: 'broker' },
]
const unknown = [
  { id: 'tab', type: 'tab', label: 'Other' },
  { id: 'robot', z: 'tab', type: 'robot-arm' },
]

/** Has other flows put into an instance; `way`: what it is set to. */
async function deploy(id: string, flows: object[], way?: 'beside' | 'held' | 'stop-first') {
  const params = { instanceId: id }
  if (way) await owner.client.call('instance.update', { params, body: { takeover: way } })
  expect((await raw('POST', `/${id}/import`, { flows: JSON.stringify(flows) })).status).toBe(200)
  const [job] = await settled(id)
  const { deployments } = await owner.client.call('deployment.list', { params, query: {} })
  return { job, deployment: deployments[0]! }
}
const orderOf = (id: string, from: number) =>
  script()
    .calls.slice(from)
    .filter((call) => call.id.startsWith(id) && /^(start|stop|pause|start-held|resume|release)$/.test(call.operation))
    .map((call) => `${call.operation} ${call.id.endsWith('~1') ? 1 : 0}`)

test.each([
  ['held', acting, undefined, 'The mqtt in node “orders” acts by itself.'],
  ['stop-first', unknown, undefined, 'It is not known what the robot-arm node does when it starts.'],
  ['held', flows, 'held', 'Its settings say so.'],
  ['stop-first', flows, 'stop-first', 'Its settings say so.'],
] as const)('flows that take over %s: the old ones stop before the new ones act', async (way, given, setting, why) => {
  await begin(0)
  const { id, name } = await running()
  const from = script().calls.length
  const preview = await owner.client.call('deployment.preview', {
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
  expect((JSON.parse((await visit(name)).text) as { id: string }).id).toBe(`${id}~1`)
})

test('messages that no version handled while none acted are counted in the answer', async () => {
  await begin(0)
  const { id } = await running()
  const { release } = server.driver.pair!
  server.driver.pair!.release = async (...given) => ({ ...(await release(...given)), late: 2, dropped: 3 })
  const { deployment } = await deploy(id, acting)
  expect(deployment.takeover).toMatchObject({ way: 'held', late: 2, dropped: 3 })
})

test('where no process can be started beside after all, the step and the takeover say that Node-RED was stopped', async () => {
  await begin(0)
  const { id } = await running()
  const from = script().calls.length
  server.driver.pair!.startBeside = async () => {
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
  await owner.client.call('instance.update', { params: { instanceId: id }, body: { healthCheck } })
  const { driver } = server
  const [{ obstacle }, { start }] = [driver.pair!, driver]
  driver.pair!.obstacle = async () => 'Its modules change'
  driver.start = async (...given) => {
    await start(...given)
    script().onRequest(id, (_request, answer) => void answer.writeHead(status).end())
    driver.start = start
  }
  return deploy(id, acting).finally(() => (driver.pair!.obstacle = obstacle))
}

test('where Node-RED is stopped first, the new version is judged before it acts, and the gap is counted', async () => {
  await begin(0)
  const { id } = await running()
  const from = script().calls.length
  const { release } = server.driver.pair!
  server.driver.pair!.release = async (...given) => ({ ...(await release(...given)), late: 2, dropped: 3 })
  const { deployment } = await restarted(id, 204)
  const gapMs = expect.any(Number) as number
  expect(deployment).toMatchObject({ state: 'done', takeover: { way: 'restart', gapMs, late: 2, dropped: 3 } })
  // Its flows are stopped before its process is, so that what they have in hand is handled.
  expect([...new Set(orderOf(id, from))]).toEqual(['pause 0', 'stop 0', 'start 0', 'release 0'])
})

test('where Node-RED is stopped first, a version that does not pass has not acted, and the gap is told', async () => {
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

test('nobody reaches a version that is held while nothing else serves', async () => {
  await begin(0)
  const { id, name } = await running()
  const { release } = server.driver.pair!
  const statuses: number[] = []
  server.driver.pair!.release = async (...given) => {
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
  expect((JSON.parse((await visit(name)).text) as { id: string }).id).toBe(id)
})

/** Has an instance checked, whose new version answers so. */
async function checked(id: string, way: 'held' | 'stop-first', status: number) {
  const healthCheck = { path: '/well', status: 204, seconds: 1 }
  await owner.client.call('instance.update', { params: { instanceId: id }, body: { healthCheck } })
  const { startBeside } = server.driver.pair!
  server.driver.pair!.startBeside = async (...given) => {
    await startBeside(...given)
    script().onRequest(`${id}~1`, (_request, answer) => void answer.writeHead(status).end())
  }
  return deploy(id, flows, way).finally(() => (server.driver.pair!.startBeside = startBeside))
}

test('flows that stop those before first are judged before they act, and those that do not pass never do', async () => {
  await begin(0)
  const { id, name } = await running()
  const from = script().calls.length
  const { deployment } = await checked(id, 'stop-first', 404)
  expect(deployment.reason).toContain('/well had to answer with 204 within 1 s; the last answer was 404')
  expect(orderOf(id, from)).toEqual(['start 1', 'pause 0', 'start-held 1', 'resume 0'])
  expect((JSON.parse((await visit(name)).text) as { id: string }).id).toBe(id)
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
  expect((JSON.parse((await visit(name)).text) as { id: string }).id).toBe(id)
})

test('of two processes each is started with its inputs closed and released once it has passed', async () => {
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
  await owner.client.call('instance.update', { params: { instanceId: id }, body: { healthCheck } })
  const { start } = server.driver.pair!
  let isFirst = true
  server.driver.pair!.start = async (...given) => {
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
  const { driver } = server
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
  await owner.client.call('instance.update', { params: { instanceId: id }, body: { healthCheck } })
  const { release } = server.driver.pair!
  server.driver.pair!.release = async (...given) => {
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
