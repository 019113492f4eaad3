import type { Instance } from '@app/contract'
import { type Driver, DriverError } from '@app/drivers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createStubDriver, instanceCalls, openWorkshop, startServer, testClock, until } from '../../../testing/index.ts'

const { server, owner, application, act, inState, raw, read, running, script, settled } = await openWorkshop()

const tab = { id: 'tab', type: 'tab', label: 'Oven' }
const node = (id: string, type: string, more: object = {}) => ({ id, type, name: id, z: 'tab', wires: [], ...more })
const sound = [tab, node('one', 'function', { func: 'return msg' })]
const unknown = [tab, node('odd', 'nobody-knows')]
const broken = [tab, node('bad', 'function', { func: 'msg.payload = {;' })]
const lacks = {
  state: 'stopped' as const,
  missingTypes: ['nobody-knows'],
  missingModules: [],
  reason: 'missing-types',
}

const of = ({ id }: { id: string }) => ({ params: { instanceId: id } })
const all = async (instance: { id: string }, by = owner) =>
  (await by.client.call('deployment.list', { ...of(instance), query: {} })).deployments
const last = async (instance: { id: string }) => (await all(instance))[0]!

async function suspended(): Promise<Instance> {
  const instance = await running()
  await act('suspend', instance.id)
  return inState(instance.id, 'suspended')
}
async function bring(instance: Instance, flows: object[], allowStopped?: string[]) {
  const body = { flows: JSON.stringify(flows), ...(allowStopped ? { allowStopped } : {}) }
  expect(await raw('POST', `/${instance.id}/import`, body)).toMatchObject({ status: 200 })
  await settled(instance.id)
  return last(instance)
}
const judged = (instance: Instance) =>
  until(
    async () => last(instance),
    ({ verdict }) => verdict !== 'unjudged',
  )
async function start(instance: Instance) {
  await act('start', instance.id)
  await inState(instance.id, 'running')
  return judged(instance)
}

/** Its next start shows an error that the flows before did not have. */
function showsError({ id }: Instance): void {
  const node = { id: 'one', type: 'function' }
  const fault = { kind: 'error' as const, node, message: 'no flour', count: 1, at: 1 }
  script().haveFlows(id, { faults: [fault], faultCount: 1 })
}

describe('an instance that does not run', () => {
  test.each([
    [unknown, 'type:nobody-knows', 'The node type nobody-knows is missing, and no module is known that has it.'],
    [broken, 'function:bad', 'The function node "bad" does not parse: '],
  ])('takes nothing that is certain not to work without a yes: %#', async (flows, code, sentence) => {
    const instance = await suspended()
    await bring(instance, sound)
    const versions = async () => (await owner.client.call('version.list', of(instance))).versions.length
    const before = await versions()
    const refused = await bring(instance, flows)
    expect(refused).toMatchObject({ state: 'failed' })
    expect(refused.reason).toContain(sentence)
    expect(refused.reason).toContain(`The request does not allow ${code}.`)
    expect(refused).not.toHaveProperty('verdict')
    expect(await versions()).toBe(before)
    expect(refused).not.toHaveProperty('before')

    const preview = await owner.client.call('deployment.preview', {
      ...of(instance),
      body: { files: { flows: JSON.stringify(flows) } },
    })
    expect(preview.foreseen).toMatchObject([{ stops: true, codes: [code] }])
    expect(await bring(instance, flows, [code])).toMatchObject({
      state: 'done',
      verdict: 'unjudged',
      warning: 'The instance does not run, so its flows were not judged. Its next start judges them.',
    })
    expect((await read(instance.id)).meta.state).toBe('suspended')
  })

  test('does not take modules away that its flows need without a yes', async () => {
    const [instance, source] = [await suspended(), await running()]
    const install = [{ name: '@flowfuse/node-red-dashboard', version: '1.31.0' }]
    const body = { flows: JSON.stringify([tab, node('page', 'ui-base')]), install }
    expect(await raw('POST', `/${instance.id}/import`, body)).toMatchObject({ status: 200 })
    await settled(instance.id)
    expect(await last(instance)).toMatchObject({ state: 'done', verdict: 'unjudged' })
    const push = async (extras: object) => {
      const sourceProject = { id: source.id, options: { flows: false, nodes: true, envVars: false }, ...extras }
      expect(await raw('PUT', `/${instance.id}`, { sourceProject })).toMatchObject({ status: 200 })
      await settled(instance.id)
      return last(instance)
    }
    const modules = async () => (await read(instance.id)).settings.palette?.modules?.map(({ name }) => name)
    expect(await push({})).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('The request does not allow type:ui-base.') as string,
    })
    expect(await modules()).toEqual(['@flowfuse/node-red-dashboard'])
    expect(await push({ allowStopped: ['type:ui-base'] })).toMatchObject({ state: 'done', verdict: 'unjudged' })
    expect(await modules()).toEqual([])
  })

  test('has its flows judged when it starts, and says so of the deployment', async () => {
    const instance = await suspended()
    expect(await bring(instance, sound)).toMatchObject({ state: 'done', verdict: 'unjudged' })
    const passed = await start(instance)
    expect(passed).toMatchObject({ state: 'done', verdict: 'running' })
    expect(passed).not.toHaveProperty('warning')
  })

  test('names new errors that show when it starts', async () => {
    const instance = await suspended()
    await bring(instance, sound)
    showsError(instance)
    expect(await start(instance)).toMatchObject({
      state: 'done',
      verdict: 'running',
      faults: [{ message: 'no flour' }],
    })
  })

  test('has failed with what it was given when its flows turn out not to run, unless that was accepted', async () => {
    const instance = await suspended()
    script().haveFlows(instance.id, lacks)
    await bring(instance, sound)
    expect(await start(instance)).toMatchObject({
      state: 'failed',
      verdict: 'stopped',
      reason:
        'Its flows do not run: node type nobody-knows is missing. It was judged when the instance started, and stays.',
    })
    await act('suspend', instance.id)
    await inState(instance.id, 'suspended')
    await bring(instance, unknown, ['type:nobody-knows'])
    expect(await start(instance)).toMatchObject({
      state: 'done',
      verdict: 'stopped',
      warning: 'Its flows do not run: node type nobody-knows is missing. They were deployed anyway.',
    })
  })

  test('that is set to refuse errors has failed with them', async () => {
    const instance = await suspended()
    await raw('PUT', `/${instance.id}`, { onErrors: 'refuse' })
    await bring(instance, sound)
    showsError(instance)
    expect(await start(instance)).toMatchObject({
      state: 'failed',
      faults: [{ message: 'no flour' }],
      reason: expect.stringContaining('1 new error') as string,
    })
  })
})

describe('a start that does not bring the flows up', () => {
  test('is found out where one of two processes ends, though the other runs', async () => {
    const instance = await running()
    await owner.client.call('ha.enable', { ...of(instance), body: { replicas: 2 } })
    await settled(instance.id)
    await act('suspend', instance.id)
    await inState(instance.id, 'suspended')
    await bring(instance, sound)
    const pair = server.driver.pair!
    const { start: usual } = pair
    pair.start = async (...given) => {
      await usual(...given)
      if (given[0].id === instance.id && given[1] === 1)
        script().crash(`${instance.id}~1`, 'TypeError: bread is not defined')
    }
    await act('start', instance.id)
    const failed = await judged(instance)
    pair.start = usual
    expect(failed).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/^The second replica .*bread is not defined.* It was judged when/) as string,
    })
  })

  test('is the failure of a deployment that nobody has judged, until a later start judges it', async () => {
    const instance = await suspended()
    await bring(instance, sound)
    script().failNext('start', new DriverError('start_failed', 'Uncaught exception: no flour'))
    await act('start', instance.id)
    expect(
      await until(
        async () => last(instance),
        ({ state }) => state === 'failed',
      ),
    ).toMatchObject({
      verdict: 'unjudged',
      reason: 'The instance did not start: Uncaught exception: no flour',
    })
    expect(await last(instance)).not.toHaveProperty('warning')
    await inState(instance.id, 'suspended')
    const passed = await start(instance)
    expect(passed).toMatchObject({ state: 'done', verdict: 'running' })
    expect(passed).not.toHaveProperty('reason')
  })

  test('is found out where Node-RED goes into safe mode before its flows are judged, and asks for it now and then', async () => {
    const instance = await suspended()
    await bring(instance, sound)
    const { driver } = server
    const { status, watch } = driver
    let [watched, asked] = [0, 0]
    // The start watches it first, and then whoever judges it.
    driver.watch = (listener) => {
      watched += 1
      return watch(listener)
    }
    driver.status = async (id) => {
      const now = await status(id)
      if (id !== instance.id || watched < 2 || asked > 500) return now
      asked += 1
      return { ...now, state: 'safe' }
    }
    await act('start', instance.id)
    const failed = await judged(instance)
    Object.assign(driver, { status, watch })
    expect(failed).toMatchObject({
      state: 'failed',
      verdict: 'stopped',
      reason: 'Node-RED was started without its flows. It was judged when the instance started, and stays.',
      log: expect.any(Array) as unknown[],
    })
    expect(asked).toBeGreaterThan(0)
    expect(asked).toBeLessThan(100)
  })
})

describe('a deployment that nobody has judged', () => {
  test('is judged by the start, whatever failed after it and left its contents in place', async () => {
    const instance = await suspended()
    await bring(instance, sound)
    const install = [{ name: 'no-such-module-qqq', version: '1.0.0' }]
    script().failNext('prepareModules', new DriverError('not_found', 'There is no module no-such-module-qqq.'))
    await raw('POST', `/${instance.id}/import`, { flows: JSON.stringify(sound), install })
    await settled(instance.id)
    expect(await bring(instance, unknown)).toMatchObject({ state: 'failed' })
    script().haveFlows(instance.id, lacks)
    await act('start', instance.id)
    const [refused, fetched, first] = await until(
      async () => all(instance),
      (found) => found.at(-1)?.verdict !== 'unjudged',
    )
    expect(first).toMatchObject({
      state: 'failed',
      verdict: 'stopped',
      reason: expect.stringContaining('node type nobody-knows is missing.') as string,
    })
    expect([refused?.state, fetched?.state]).toEqual(['failed', 'failed'])
    for (const one of [refused, fetched]) expect(one).not.toHaveProperty('verdict')
  })

  test('is told of a start that fails, whatever failed after it', async () => {
    const instance = await suspended()
    await bring(instance, sound)
    await bring(instance, unknown)
    script().failNext('start', new DriverError('start_failed', 'Uncaught exception: no flour'))
    await act('start', instance.id)
    const found = await until(
      async () => all(instance),
      ([, first]) => first?.state === 'failed',
    )
    expect(found.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('Nothing was changed.'),
      'The instance did not start: Uncaught exception: no flour',
    ])
  })

  test('stays so once another is done, also when that one is judged to have failed', async () => {
    const instance = await suspended()
    await bring(instance, sound)
    script().haveFlows(instance.id, lacks)
    await bring(instance, sound)
    expect(await start(instance)).toMatchObject({ state: 'failed', verdict: 'stopped' })
    script().haveFlows(instance.id, {})
    await act('suspend', instance.id)
    await inState(instance.id, 'suspended')
    await act('start', instance.id)
    await inState(instance.id, 'running')
    // A start would have asked for a judge by now.
    expect(await server.app.services.jobs.list(`judge ${instance.id}`, 5)).toHaveLength(1)
    expect((await all(instance)).map(({ state, verdict }) => `${state} ${verdict}`)).toEqual([
      'failed stopped',
      'done unjudged',
    ])
  })
})

test('a deployment to an instance that runs says that its flows do', async () => {
  expect(await bring(await running(), sound)).toMatchObject({ state: 'done', verdict: 'running' })
})

test('a copy of an instance is on record, and judged by its first start', async () => {
  const source = await running()
  await bring(source, sound)
  const copy = async (name: string) => {
    const made = await raw('POST', '', {
      name,
      applicationId: application.id,
      projectType: source.projectType.id,
      stack: source.stack.id,
      template: source.template.id,
      sourceProject: { id: source.id, options: { flows: true, credentials: true, envVars: true } },
    })
    expect(made.status).toBe(200)
    return made.json as Instance
  }
  const good = await copy('copy-good')
  await inState(good.id, 'running')
  expect(await judged(good)).toMatchObject({
    kind: 'duplicate',
    state: 'done',
    verdict: 'running',
    what: source.name,
    source: { id: source.id, name: source.name },
    changes: { nodes: { added: 2 } },
  })
})

test('an instance that sleeps has its flows judged when a request wakes it, also after a wake that failed', async () => {
  const clock = testClock()
  const own = await startServer({ clock })
  onTestFinished(() => own.close())
  const { owner: person, team } = await own.build.platform()
  const home = await own.build.application(person, team)
  const calls = instanceCalls(() => ({ server: own, owner: person, application: home }))
  const { id, name } = await calls.running()
  const body = { settings: { sleep: { enabled: true, after: 600 } } }
  await person.client.call('instance.update', { params: { instanceId: id }, body })
  clock.turn(11 * 60_000)
  await own.app.services.sleep.check()
  await calls.inState(id, 'suspended')
  await calls.raw('POST', `/${id}/import`, { flows: JSON.stringify(sound) })
  await calls.settled(id)
  expect(await all({ id }, person)).toMatchObject([{ state: 'done', verdict: 'unjudged' }])
  calls.script().failNext('start', new DriverError('start_failed', 'Uncaught exception: no flour'))
  await calls.visit(name)
  const found = async (state: string) =>
    until(
      async () => (await all({ id }, person))[0],
      (one) => `${one?.state} ${one?.verdict}` === state,
    )
  expect(await found('failed unjudged')).toMatchObject({
    reason: 'The instance did not start: Uncaught exception: no flour',
  })
  await calls.settled(id)
  // Not every request tries again.
  clock.turn(31_000)
  await calls.visit(name)
  expect(await found('done running')).not.toHaveProperty('reason')
})

describe('another deployment that begins while it judges', () => {
  /** An instance whose flows are being judged after its start, until `go` is called. */
  async function judging() {
    const instance = await suspended()
    await bring(instance, sound)
    const [reached, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { driver } = server
    const usual = driver.flows
    driver.flows = async (id) => {
      if (id !== instance.id) return usual(id)
      driver.flows = usual
      reached.resolve()
      await gone.promise
      return usual(id)
    }
    await act('start', instance.id)
    await inState(instance.id, 'running')
    await reached.promise
    return { instance, go: gone.resolve }
  }
  const fault = {
    kind: 'error' as const,
    node: { id: 'one', type: 'function' },
    message: 'no flour',
    count: 1,
    at: 1,
  }

  test('and is done leaves it not judged, without the errors of the other', async () => {
    const { instance, go } = await judging()
    script().haveFlows(instance.id, { faults: [fault], faultCount: 1 })
    expect(await bring(instance, sound)).toMatchObject({ state: 'done', faults: [{ message: 'no flour' }] })
    go()
    await until(
      async () => server.app.services.jobs.list(`judge ${instance.id}`, 5),
      (jobs) => jobs.every(({ state }) => state === 'done'),
    )
    const [, first] = await all(instance)
    expect(first).toMatchObject({ state: 'done', verdict: 'unjudged' })
    expect(first).not.toHaveProperty('faults')
  })

  test('and is put back has it judged after that, though the instance was stopped meanwhile', async () => {
    const { instance, go } = await judging()
    const pair = server.driver.pair!
    const { obstacle } = pair
    pair.obstacle = async () => 'Its modules change'
    script().haveFlows(instance.id, lacks)
    expect(await bring(instance, sound)).toMatchObject({ state: 'failed' })
    pair.obstacle = obstacle
    go()
    const [, first] = await until(
      async () => all(instance),
      ([, one]) => one?.verdict !== 'unjudged',
    )
    expect(first).toMatchObject({ state: 'failed', verdict: 'stopped' })
  })
})

test('killed while it judges, it judges after that', async () => {
  const first = await startServer({ driver: createStubDriver })
  const { driver } = first
  const { owner: person, team } = await first.build.platform()
  const home = await first.build.application(person, team)
  const calls = instanceCalls(() => ({ server: first, owner: person, application: home }))
  const { id } = await calls.running()
  await calls.act('suspend', id)
  await calls.inState(id, 'suspended')
  await calls.raw('POST', `/${id}/import`, { flows: JSON.stringify(sound) })
  await calls.settled(id)
  const reached = Promise.withResolvers<void>()
  const usual = driver.flows
  // The call never ends, as for a process that is gone.
  driver.flows = async () => {
    reached.resolve()
    return new Promise(() => {})
  }
  await calls.act('start', id)
  await reached.promise
  driver.flows = usual
  const { close } = driver
  driver.close = async () => {}
  await first.stop()
  driver.close = close
  const second = await startServer({ config: first.config, driver: () => driver as Driver })
  const [one] = await until(
    async () => all({ id }, person),
    ([newest]) => newest?.verdict !== 'unjudged',
  )
  expect(one).toMatchObject({ state: 'done', verdict: 'running' })
  await second.close()
})
