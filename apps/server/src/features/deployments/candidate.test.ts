import type { Instance } from '@app/contract'
import { expect, test } from 'vitest'
import { until } from '../../../testing/index.ts'
import { candidates, differs, push } from '../../../testing/candidates.ts'

const { at, begin, running, doubled, script, settled, visit, read, jobs, raw, flows } = candidates()

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
  'a rollback': async ({ id }) => push(at.owner, id),
  async 'a push'({ id }) {
    const source = await running()
    expect((await raw('POST', `/${source.id}/import`, { flows: JSON.stringify(flows) })).status).toBe(200)
    await settled(source.id)
    const options = { flows: true, credentials: true, nodes: true, envVars: 'keys' }
    expect((await raw('PUT', `/${id}`, { sourceProject: { id: source.id, options } })).status).toBe(200)
  },
  async 'another stack'({ id, stack }) {
    const { stacks } = await at.owner.client.call('stack.list', { query: { filter: 'active' } })
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
  const snapshot = await push(at.owner, id)
  await until(
    async () => jobs(id),
    ([job]) => job?.steps.at(-1)?.state === 'running',
  )
  await until(
    async () => at.server.driver.pair!.trial(id),
    ({ state }) => state === 'running',
  )
  script().crash(`${id}~1`, 'TypeError: bread is not defined')
  const [job] = await settled(id)
  const answers = await asking.end()
  expect(job).toMatchObject({ state: 'failed', error: expect.stringContaining('bread is not defined') as string })
  expect(operations(id, from)).toEqual(['start 1'])
  expect(new Set(answers)).toEqual(new Set([id]))
  expect(await differs(at.owner, id, snapshot)).toBe(1)
  expect((await read(id)).meta.state).toBe('running')
})

test('two processes get new contents one after the other, and requests are answered all the while', async () => {
  await begin(0)
  const { id, name } = await doubled()
  await settled(id)
  const from = script().calls.length
  const asking = ask(name)
  const snapshot = await push(at.owner, id)
  const [job] = await settled(id)
  const answers = await asking.end()
  expect(job?.state).toBe('done')
  expect(job?.steps[1]?.text).toBe('One replica keeps serving while the other is replaced')
  expect(await differs(at.owner, id, snapshot)).toBe(0)
  expect(operations(id, from)).toEqual(['stop 0', 'start 0', 'stop 1', 'start 1'])
  expect(new Set(answers)).toEqual(new Set([id, `${id}~1`]))
})

test('a process that does not pass goes back, and the other of the two has served all the while', async () => {
  await begin(600)
  const { id, name } = await doubled()
  await settled(id)
  const from = script().calls.length
  const snapshot = await push(at.owner, id)
  await until(
    async () => at.server.driver.pair!.members(id),
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
  expect(await differs(at.owner, id, snapshot)).toBe(1)
  const { meta } = await until(
    async () => read(id),
    (now) => now.meta.replicas?.every(({ state }) => state === 'running') === true,
  )
  expect(meta.state).toBe('running')
})

test('a version on trial answers the check of the instance before it takes over', async () => {
  await begin(0)
  const { id, name } = await running()
  const healthCheck = { path: '/well', status: 204, seconds: 300 }
  await at.owner.client.call('instance.update', { params: { instanceId: id }, body: { healthCheck } })
  await push(at.owner, id)
  await until(
    async () => at.server.driver.pair!.trial(id),
    ({ state }) => state === 'running',
  )
  expect(JSON.parse((await visit(name)).text)).toMatchObject({ id })
  script().onRequest(`${id}~1`, ({ url }, answer) => void answer.writeHead(url === '/well' ? 204 : 200).end('new'))
  expect((await settled(id))[0]?.state).toBe('done')
  expect((await visit(name)).text).toBe('new')
})
