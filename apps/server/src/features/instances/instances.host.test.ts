import { expect, test } from 'vitest'
import { send, startServer, until } from '../../../testing/index.ts'
import { releaseHost, takeHost } from './instances.host.store.ts'

if (process.env.TEST_DATABASE === 'postgres') {
  test('of two servers on one PostgreSQL the first runs the instances, until it ends; the other serves the console', async () => {
    const one = await startServer()
    const { owner, team } = await one.build.platform()
    const { id } = await one.build.runningInstance(owner, await one.build.application(owner, team))
    const { databaseUrl } = one.config
    const two = await startServer({ config: { databaseUrl: databaseUrl! } })
    // It has neither started nor stopped what it does not know.
    expect(two.driver.script.calls).toEqual([])
    const read = (at: string) => send(at, 'GET', `/api/v1/projects/${id}`, { headers: { cookie: owner.cookie } })
    expect((await read(two.address)).json).toMatchObject({ meta: { state: 'running' } })
    // What is asked for there is done here.
    const headers = { cookie: owner.cookie }
    expect((await send(two.address, 'POST', `/api/v1/projects/${id}/actions/suspend`, { headers })).status).toBe(200)
    await until(
      () => read(two.address),
      ({ json }) => (json.meta as { state: string }).state === 'suspended',
    )
    expect(two.driver.script.calls).toEqual([])
    expect((await send(two.address, 'POST', `/api/v1/projects/${id}/actions/start`, { headers })).status).toBe(200)
    await until(
      () => read(two.address),
      ({ json }) => (json.meta as { state: string }).state === 'running',
    )
    await two.close()
    await one.stop()
    const next = await startServer({ config: { databaseUrl: databaseUrl! } })
    await until(
      async () => next.driver.script.calls.some((call) => JSON.stringify(call).includes(id)),
      (isStarted) => isStarted,
    )
    await next.close()
    await one.close()
  })

  test('who died is followed after a minute of silence, who ended at once, and by its own home always', async () => {
    const server = await startServer()
    const { read } = server.app.database
    const heardOf = (secondsAgo: number) =>
      read
        .updateTable('instance_host')
        .set({ seen_at: Date.now() - secondsAgo * 1000 })
        .execute()
    await read.deleteFrom('instance_host').execute()
    expect([await takeHost(read, 'a'), await takeHost(read, 'a'), await takeHost(read, 'b')]).toEqual([
      true,
      true,
      false,
    ])
    await heardOf(30)
    expect(await takeHost(read, 'b')).toBe(false)
    await heardOf(90)
    expect([await takeHost(read, 'b'), await takeHost(read, 'a')]).toEqual([true, false])
    await releaseHost(read, 'a')
    expect(await takeHost(read, 'a')).toBe(false)
    await releaseHost(read, 'b')
    expect(await takeHost(read, 'a')).toBe(true)
    await server.close()
  })
} else {
  test('on the embedded database a server runs the instances always', async () => {
    const server = await startServer()
    expect([await server.app.features.host.take(), await server.app.features.host.take()]).toEqual([true, true])
    await server.close()
  })
}
