import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import type { Endpoint, InstanceFile } from '../../driver.ts'
import { askInstance, bearer, signIn } from '../../testing/instance.http.ts'
import { openLocal, runs, versions } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'

/** `GET /do?…` runs this code; what it throws is caught and answered with 500. */
const flowsOf = (func: string) => [
  { id: 'tab', type: 'tab', label: 'Line 4' },
  { id: 'in', z: 'tab', type: 'http in', url: '/do', method: 'get', wires: [['fn']] },
  { id: 'fn', z: 'tab', type: 'function', func, outputs: 1, wires: [['out']] },
  { id: 'caught', z: 'tab', x: 1, y: 1, type: 'catch', scope: null, wires: [['say']] },
  {
    id: 'say',
    z: 'tab',
    type: 'function',
    func: 'msg.statusCode = 500; msg.payload = msg.error.message; return msg',
    outputs: 1,
    wires: [['out']],
  },
  { id: 'out', z: 'tab', type: 'http response', wires: [] },
]

const count = `
  const count = (flow.get('oven.doors[0].count', 'persistent') ?? 0) + 1
  flow.set('oven.doors[0].count', count, 'persistent')
  global.set(['line', 'shift'], [4, 'early'], 'persistent')
  const read = (...args) => new Promise((resolve, reject) =>
    global.get(...args, 'persistent', (error, ...values) => error ? reject(error) : resolve(values)))
  msg.payload = [count, await read(['line', 'shift']), await read('none.at.all'), global.keys('persistent')]
  return msg`

const rest = [[4, 'early'], [null], ['line', 'shift']]

async function begin(version: string, func: string, contextMb?: number) {
  const local = await openLocal()
  onTestFinished(() => local.close())
  local.platform.behaviour.contextMb = contextMb
  const one = local.spec(version)
  local.putFlows(one.id, flowsOf(func))
  const start = async () => {
    await local.driver.start(one)
    await runs(local.driver, one.id)
  }
  const ask = (query = '', endpoint = local.driver.endpoint(one.id)!) => askInstance(endpoint, `/do${query}`)
  return { ...local, one, start, ask }
}

const answered = (ask: () => Promise<{ status: number; text: string }>) =>
  until('the flow answers', async () => {
    const { status, text } = await ask().catch(() => ({ status: 0, text: '' }))
    return status === 200 ? (JSON.parse(text) as unknown) : undefined
  })

test.each(versions)('with Node-RED %s a persistent value outlives a restart and kill -9', async (version) => {
  const { driver, one, start, ask, crash } = await begin(version, count)
  await start()
  expect(await answered(ask)).toEqual([1, ...rest])
  await driver.stop(one.id)
  await start()
  expect(await answered(ask)).toEqual([2, ...rest])
  await crash(one.id)
  await until('it has crashed', async () => (await driver.status(one.id)).state === 'crashed')
  await start()
  expect(await answered(ask)).toEqual([3, ...rest])
  const headers = bearer(await signIn(driver.endpoint(one.id)!))
  const settings = await askInstance(driver.endpoint(one.id)!, '/settings', { headers })
  expect(JSON.parse(settings.text)).toMatchObject({ context: { default: 'memory', stores: ['memory', 'persistent'] } })
  const log = (await driver.logs(one.id, { limit: 1000 })).map(({ msg }) => msg).join('\n')
  expect(log).not.toMatch(/experimental/i)
})

test('a persistent value outlives a change of the stack, to a newer Node-RED and back', async () => {
  const [older, newer] = versions
  const { driver, one, start, ask, spec } = await begin(older, count)
  await start()
  expect(await answered(ask)).toEqual([1, ...rest])
  for (const [version, expected] of [
    [newer, 2],
    [older, 3],
  ] as const) {
    await driver.stop(one.id)
    await driver.start({ ...one, stack: spec(version).stack })
    await runs(driver, one.id)
    expect((await driver.status(one.id)).versions?.['node-red']).toBe(version)
    expect(await answered(ask)).toEqual([expected, ...rest])
  }
})

test.each(versions)(
  'with Node-RED %s a value beyond the limit is an error that flows catch, and nothing else',
  async (version) => {
    const store = `
    global.set('big', 'x'.repeat(Number(msg.req.query.size)), 'persistent')
    msg.payload = global.get('big', 'persistent').length
    return msg`
    const { driver, one, start, ask } = await begin(version, store, 1)
    await start()
    expect(await answered(() => ask('?size=900000'))).toBe(900_000)
    const refused = await ask('?size=1100000')
    expect([refused.status, refused.text]).toEqual([
      500,
      expect.stringMatching(
        /persistent context of this instance is full.* the limit is 1\.00 MB\. Nothing was stored\./,
      ),
    ])
    expect(await driver.context(one.id)).toMatchObject({
      entries: [{ scope: 'global', key: 'big', size: 900_005 }],
      count: 1,
      bytes: 900_005,
      limit: 1_000_000,
    })
    expect(await driver.deleteContext(one.id, { scope: 'global', key: 'other' })).toBe(0)
    expect(await driver.deleteContext(one.id, { scope: 'global', key: 'big' })).toBe(1)
    expect(await driver.context(one.id)).toMatchObject({ entries: [], bytes: 0 })
    expect(await answered(() => ask('?size=3'))).toBe(3)
  },
)

test('two processes of an instance see the same values', async () => {
  const { driver, one, bothAt } = await pairOf(count)
  const answers: unknown[] = []
  for (const endpoint of [...bothAt(), ...bothAt()])
    answers.push((JSON.parse((await askInstance(endpoint, '/do')).text) as unknown[])[0])
  expect(answers).toEqual([1, 2, 3, 4])
  expect(await driver.context(one.id)).toMatchObject({ count: 3 })
})

test('what a version on trial stores is there for the one that serves, and what that stores for the one that takes over', async () => {
  const { driver, one, start, ask } = await begin(versions[1], count)
  const pair = driver.pair!
  await start()
  expect(await answered(ask)).toEqual([1, ...rest])
  const tried = async () => {
    await pair.startCandidate(one)
    await until('it runs on trial', async () => (await pair.trial(one.id)).state === 'running')
    return pair.trialEndpoint(one.id)!
  }
  const refused = await tried()
  expect(await answered(() => ask('', refused))).toEqual([2, ...rest])
  await pair.discard(one.id)
  expect(await answered(ask)).toEqual([3, ...rest])
  await tried()
  await pair.stop(one.id, (await pair.takeOver(one.id))!)
  expect(await answered(ask)).toEqual([4, ...rest])
})

test('the files of a running instance have a whole copy of its context, which another start has again', async () => {
  const { driver, one, start, ask, spec, putFlows } = await begin(versions[1], count)
  await start()
  await answered(ask)
  await answered(ask)
  const files = await Array.fromAsync(driver.files(one.id), async (file) => ({
    ...file,
    bytes: Buffer.concat(await Array.fromAsync(file.content)),
  }))
  expect(files.map(({ path }) => path).filter((path) => path.startsWith('context/'))).toEqual(['context/persistent.db'])
  const other = spec(versions[1])
  putFlows(other.id, flowsOf(count))
  await driver.putFiles(other.id, given(files))
  await driver.start(other)
  await runs(driver, other.id)
  expect(await answered(() => askInstance(driver.endpoint(other.id)!, '/do'))).toEqual([3, ...rest])
  // Nothing of the copy stays, and what it was made of goes on.
  expect(await answered(ask)).toEqual([3, ...rest])
  const again = await Array.fromAsync(driver.files(one.id), ({ path }) => path)
  expect(again.filter((path) => path.startsWith('context/'))).toEqual(['context/persistent.db'])
})

test('the files of an instance that was killed have what it had stored', async () => {
  const { driver, one, start, ask, crash, spec, putFlows } = await begin(versions[1], count)
  await start()
  await answered(ask)
  await crash(one.id)
  await until('it has crashed', async () => (await driver.status(one.id)).state === 'crashed')
  const other = spec(versions[1])
  putFlows(other.id, flowsOf(count))
  await driver.putFiles(other.id, driver.files(one.id))
  await driver.start(other)
  await runs(driver, other.id)
  expect(await answered(() => askInstance(driver.endpoint(other.id)!, '/do'))).toEqual([2, ...rest])
  expect(await driver.context(one.id)).toBeUndefined()
  expect(await driver.deleteContext(one.id, {})).toBeUndefined()
})

async function pairOf(func: string) {
  const all = await begin(versions[1], func)
  const pair = all.driver.pair!
  await pair.start(all.one, 0)
  await pair.start(all.one, 1)
  await until('both run', () => pair.serving(all.one.id).length === 2)
  return { ...all, bothAt: (): Endpoint[] => pair.serving(all.one.id).map(({ endpoint }) => endpoint) }
}

async function* given(files: { path: string; mode: number; bytes: Buffer }[]): AsyncGenerator<InstanceFile> {
  for (const { path, mode, bytes } of files) yield { path, mode, content: Readable.from([bytes]) }
}
