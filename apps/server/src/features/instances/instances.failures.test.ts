import { DriverError } from '@app/drivers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createStubDriver, openStream, openWorkshop, startServer, until } from '../../../testing/index.ts'

const { server, owner, act, create, inState, log, read, running, script, settled } = await openWorkshop()
const job = async (id: string) => (await settled(id))[0]!
const sentence = 'No room for another Node-RED: free some memory'

describe('starts that fail', () => {
  test.each(['installStack', 'start'] as const)(
    '[INST-54] [INST-80] [AUDIT-10] a creation that fails in %s is suspended, and says why in the words of the driver',
    async (operation) => {
      if (operation === 'installStack') script().haveStacks('4.1.15')
      const { driver } = server
      const { [operation]: usual } = driver
      // It does not matter who asks: the stack is being prepared for everybody at the same time.
      driver[operation] = async () => Promise.reject(new DriverError('no_room', sentence))
      const { id } = await create()
      expect((await inState(id, 'suspended')).meta.reason).toBe(sentence)
      expect((await log(id)).map(({ event }) => event)).toEqual(['project.start-failed', 'project.created'])
      expect((await log(id))[0]?.body).toMatchObject({ error: { code: 'start_failed', message: sentence } })
      const failed = await job(id)
      expect(failed).toMatchObject({ state: 'failed', error: sentence })
      expect(failed.steps.find(({ state }) => state === 'failed')).toMatchObject({ text: sentence })
      Object.assign(driver, { [operation]: usual })
      await act('start', id)
      expect((await inState(id, 'running')).meta.reason).toBeUndefined()
    },
  )

  test('a start that fails leaves what was wanted unchanged', async () => {
    const { id } = await running()
    for (const state of ['suspended', 'stopped'] as const) {
      await act(state === 'stopped' ? 'stop' : 'suspend', id)
      await inState(id, state)
      script().failNext('start', new DriverError('no_room', sentence))
      await act('start', id)
      expect((await job(id)).state).toBe('failed')
      expect((await read(id)).meta).toMatchObject({ state, reason: sentence })
      await act('start', id)
      await inState(id, 'running')
    }
    script().failNext('start', new DriverError('no_room', sentence))
    await act('restart', id)
    expect((await job(id)).state).toBe('failed')
    const { wanted } = await server.app.database.read
      .selectFrom('instances')
      .select('wanted')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(wanted).toBe('running')
    expect((await log(id))[0]?.event).toBe('project.start-failed')
  })

  test('Node-RED that ends before it answers is a failed start with its reason, which stays', async () => {
    script().holdStarts()
    const { id } = await create()
    await until(
      async () => (await server.driver.status(id)).state,
      (state) => state === 'starting',
    )
    script().crash(id, 'The flows file is damaged')
    script().release()
    await inState(id, 'suspended')
    expect((await read(id)).meta.reason).toBe('The flows file is damaged')
    expect(await server.driver.adopt()).not.toContain(id)
  })

  test('an error that was not made for people tells nobody what is inside', async () => {
    const stream = await openStream(server.address, { cookie: owner.cookie })
    script().failNext('start', new TypeError('connect ECONNREFUSED /srv/forge/http.sock password=hunter2'))
    const { id } = await create()
    const { meta } = await inState(id, 'suspended')
    const told = JSON.stringify([meta, await log(id), await job(id), stream.events])
    stream.close()
    expect(meta.reason).toBe('Something went wrong on the server')
    expect(told).not.toMatch(/ECONNREFUSED|hunter2|\/srv/)
  })
})

describe('crashes', () => {
  test('[AUDIT-20] a crash that nobody asked for is shown at once, and stands in the log with its reason', async () => {
    const stream = await openStream(server.address, { cookie: owner.cookie })
    const { id } = await running()
    script().crash(id, 'Out of memory')
    await stream.heard((event) => event.type === 'instance' && event.id === id && event.state.meta.state === 'crashed')
    stream.close()
    expect((await read(id)).meta).toMatchObject({ state: 'crashed', reason: 'Out of memory' })
    expect((await log(id))[0]).toMatchObject({
      event: 'crashed',
      trigger: { type: 'system', name: 'Forge Platform' },
      body: { error: { message: 'Out of memory' } },
    })
    await act('start', id)
    expect((await inState(id, 'running')).meta.reason).toBeUndefined()
    expect((await log(id)).map(({ event }) => event)).toEqual(['project.started', 'crashed', 'project.created'])
  })

  test('a change of states is shown as the driver saw it', async () => {
    const { id } = await running()
    for (const state of ['safe', 'unknown', 'error', 'loading', 'installing'] as const) {
      script().setStatus(id, { state })
      await inState(id, state)
    }
    script().setStatus(id, { state: 'running' })
    await inState(id, 'running')
  })
})

describe('a server that starts again', () => {
  test('brings back what should run, leaves what should not, and is not stopped by what it cannot put right', async () => {
    const [up, down, sleeping] = [await running(), await running(), await running()]
    await act('stop', down.id)
    await act('suspend', sleeping.id)
    await inState(down.id, 'stopped')
    await inState(sleeping.id, 'suspended')
    await server.stop()
    const stub = createStubDriver()
    const stop = async (id: string) =>
      id === 'stranger' ? Promise.reject(new Error('it does not end')) : stub.stop(id)
    const next = await startServer({
      config: server.config,
      driver: () => ({ ...stub, stop, adopt: async () => ['stranger'] }),
    })
    onTestFinished(() => next.close())
    await inState(up.id, 'running')
    expect((await read(down.id)).meta.state).toBe('stopped')
    expect((await read(sleeping.id)).meta.state).toBe('suspended')
    expect((await log(up.id))[0]).toMatchObject({ event: 'project.started', trigger: { type: 'system' } })
    expect(stub.script.spec(down.id)).toBeUndefined()
  })
})
