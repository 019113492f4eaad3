import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { openStream, openWorkshop, type Stream } from '../../../testing/index.ts'

let stream: Stream

const { server, owner, act, create, inState, jobs, log, raw, read, running, script, settled } = await openWorkshop()
beforeEach(async () => {
  stream?.close()
  stream = await openStream(server.address, { cookie: owner.cookie })
})
afterAll(async () => {
  stream.close()
})

/** Ends of instances wait until the returned function is called. */
function holdStops(): () => void {
  const { driver } = server
  const { stop } = driver
  const { promise, resolve } = Promise.withResolvers<void>()
  driver.stop = async (id) => promise.then(() => stop(id))
  return () => {
    driver.stop = stop
    resolve()
  }
}

describe('states', () => {
  test('[API-80] [INST-80] start, restart, stop and suspend go through their states and leave their entries', async () => {
    const { id } = await running()
    await act('restart', id)
    await settled(id)
    await act('stop', id)
    await inState(id, 'stopped')
    await act('start', id)
    await inState(id, 'running')
    await act('suspend', id)
    await inState(id, 'suspended')
    await act('start', id)
    await inState(id, 'running')
    const states = [
      'starting',
      'running',
      'restarting',
      'running',
      'stopping',
      'stopped',
      'starting',
      'running',
      'suspending',
      'suspended',
      'starting',
      'running',
    ]
    await expect.poll(() => stream.states(id)).toEqual(states)
    expect((await log(id)).map(({ event }) => event).reverse()).toEqual([
      'project.created',
      'project.restarted',
      'project.stopped',
      'project.started',
      'project.suspended',
      'project.started',
    ])
    expect((await log(id))[0]).toMatchObject({ trigger: { type: 'user', id: owner.id }, body: { project: { id } } })
  })

  test('starting what runs has no effect', async () => {
    const { id } = await running()
    const calls = script().calls.length
    expect(await act('start', id)).toEqual({ status: 'okay' })
    expect([await jobs(id), await log(id)].map((list) => list.length)).toEqual([1, 1])
    expect(script().calls.length).toBe(calls)
  })

  test('[NRLOG-04] every action but start, and its log, is refused while suspended', async () => {
    const { id } = await running()
    await act('suspend', id)
    await inState(id, 'suspended')
    for (const action of ['stop', 'restart', 'suspend'])
      expect((await raw('POST', `/${id}/actions/${action}`)).json).toMatchObject({
        code: 'project_suspended',
        statusCode: 400,
      })
    const logs = await raw('GET', `/${id}/logs`)
    expect(logs.json).toMatchObject({ code: 'project_suspended', statusCode: 400 })
  })

  test('while one operation is under way every other gets 409, and shows what is under way', async () => {
    script().holdStarts()
    const { id } = await create()
    for (const action of ['start', 'stop', 'restart', 'suspend'])
      expect((await raw('POST', `/${id}/actions/${action}`)).json).toMatchObject({
        code: 'invalid_state',
        statusCode: 409,
      })
    const deleting = await raw('DELETE', `/${id}`)
    expect(deleting.json).toMatchObject({ code: 'invalid_state' })
    expect((await read(id)).meta.state).toBe('starting')
    script().release()
    await inState(id, 'running')
  })

  test.each(['restart', 'suspend', 'stop'] as const)(
    'exactly one of twenty %s at once goes through',
    async (action) => {
      const { id } = await running()
      const open = holdStops()
      const answers = await Promise.all(Array.from({ length: 20 }, async () => raw('POST', `/${id}/actions/${action}`)))
      open()
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ json }) => json.code === 'invalid_state')).toHaveLength(19)
      expect(await settled(id)).toHaveLength(2)
    },
  )

  test('of different operations at once those that were accepted came one after the other', async () => {
    const { id } = await running()
    const actions = ['restart', 'suspend', 'start', 'stop', 'suspend', 'restart', 'stop'] as const
    const answers = await Promise.all(actions.map(async (action) => raw('POST', `/${id}/actions/${action}`)))
    const all = (await settled(id)).toReversed()
    // Starting what runs is answered with okay as well, without an operation.
    const accepted = answers.filter(({ status }, n) => status === 200 && actions[n] !== 'start').length
    expect(all.filter(({ kind }) => kind !== 'instance.create' && kind !== 'instance.start')).toHaveLength(accepted)
    expect(
      answers.every(
        ({ status, json }) => status === 200 || ['invalid_state', 'project_suspended'].includes(String(json.code)),
      ),
    ).toBe(true)
    for (const [n, job] of all.entries()) expect(n === 0 || job.startedAt! >= all[n - 1]!.endedAt!).toBe(true)
  })

  test('an operation that outlives its time still keeps others off', async () => {
    script().holdStarts()
    const { id } = await create()
    await server.app.database.read.updateTable('instances').set({ in_flight_until: 0 }).where('id', '=', id).execute()
    expect((await raw('POST', `/${id}/actions/restart`)).json).toMatchObject({ code: 'invalid_state', statusCode: 409 })
    script().release()
    await settled(id)
    expect((await read(id)).meta.state).toBe('running')
  })
})
