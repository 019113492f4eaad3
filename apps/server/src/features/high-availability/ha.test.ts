import { describe, expect, test } from 'vitest'
import { openWorkshop, send, startServer, switchesWithout, testClock, until } from '../../../testing/index.ts'

const clock = testClock()

const { server, owner, application, running, script, read, inState, act, jobs, log, visit, raw, settled } =
  await openWorkshop({ clock })

const enable = (id: string) => owner.client.call('ha.enable', { params: { instanceId: id }, body: { replicas: 2 } })
/** Runs, as two processes. */
async function doubled() {
  const one = await running()
  await enable(one.id)
  return until(
    async () => read(one.id),
    ({ meta }) => meta.state === 'running' && meta.replicas?.length === 2,
  )
}
/** Answer of the platform to an editor that wants to sign somebody in. */
async function signOn(id: string) {
  const { client, instanceUrl } = script().spec(id)!
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: `${instanceUrl}/auth/strategy/callback`,
    scope: 'editor-1',
    state: 's',
    code_challenge: 'c',
    code_challenge_method: 'S256',
  })
  const answer = await fetch(`${server.address}/account/authorize?${query.toString()}`, { redirect: 'manual' })
  const { searchParams } = new URL(answer.headers.get('location')!, server.address)
  return { error: searchParams.get('error'), description: searchParams.get('errorDescription') }
}
const starts = (id: string) => script().calls.filter((call) => call.operation === 'start' && call.id.startsWith(id))

describe('high availability', () => {
  test('[HA-01] [HA-03] [HA-06] [API-90] [API-91] it is switched on and off with a restart, as the record and the audit log say', async () => {
    const { id } = await running()
    expect(await raw('GET', `/${id}/ha`)).toMatchObject({ status: 200, json: {} })
    const restarts = async () => (await settled(id)).filter(({ title }) => title === 'Restart instance').length
    expect(await enable(id)).toEqual({ replicas: 2 })
    expect(await restarts()).toBe(1)
    const on = await inState(id, 'running')
    expect(on.ha).toEqual({ replicas: 2 })
    expect(await raw('GET', `/${id}/ha`)).toMatchObject({ json: { replicas: 2 } })
    expect(
      (
        await until(
          async () => read(id),
          ({ meta }) => meta.replicas !== undefined,
        )
      ).meta.replicas,
    ).toEqual([
      { id: '57ab', state: 'running' },
      { id: '57ac', state: 'running' },
    ])
    const before = starts(id).length
    await enable(id)
    expect(starts(id).length).toBe(before)

    expect((await raw('DELETE', `/${id}/ha`)).json).toEqual({})
    expect(await restarts()).toBe(2)
    const off = await inState(id, 'running')
    expect(off.ha).toBeUndefined()
    expect((await signOn(id)).error).toBeNull()
    expect(
      (
        await until(
          async () => read(id),
          ({ meta }) => meta.replicas === undefined,
        )
      ).meta.replicas,
    ).toBeUndefined()
    expect(starts(id).length).toBe(before + 1)
    const entries = (await log(id)).filter(({ event }) => event === 'project.ha.updated')
    expect(entries.map(({ body }) => body.updates)).toEqual([
      [{ key: 'replicas', old: 2, new: 1, dif: 'updated' }],
      [{ key: 'replicas', old: 1, new: 2, dif: 'updated' }],
    ])
  })

  test('[HA-05] [INST-72] a suspended instance is not restarted, and has two processes from its next start on', async () => {
    const { id } = await running()
    await act('suspend', id)
    await inState(id, 'suspended')
    const before = (await settled(id)).length
    await enable(id)
    expect(await read(id)).toMatchObject({ meta: { state: 'suspended' }, ha: { replicas: 2 } })
    expect((await jobs(id)).length).toBe(before)
    await act('start', id)
    await until(
      async () => read(id),
      ({ meta }) => meta.replicas?.length === 2,
    )
  })

  test('[API-72] any number but two is refused, and while the feature is off there is no such call', async () => {
    const { id } = await running()
    for (const replicas of [0, 1, 3]) {
      const answer = await raw('PUT', `/${id}/ha`, { replicas })
      expect(answer).toMatchObject({ status: 409, json: { code: 'invalid_ha_configuration' } })
    }
    const choice = await server.build.choice()
    const body = { name: 'three-of-them', applicationId: application.id, ...choice, ha: { replicas: 3 } }
    expect(await raw('POST', '', body)).toMatchObject({ status: 400, json: { code: 'invalid_ha' } })
    const made = await raw('POST', '', { ...body, ha: { replicas: 2 } })
    expect(made).toMatchObject({ status: 200, json: { ha: { replicas: 2 } } })
    await until(
      async () => read(id),
      ({ meta }) => meta.state === 'running',
    )

    const without = await startServer({
      config: {
        features: switchesWithout('ha'),
      },
    })
    const other = await without.build.platform()
    const place = await without.build.application(other.owner, other.team)
    const instance = await without.build.runningInstance(other.owner, place)
    const headers = { cookie: other.owner.cookie }
    const path = `/api/v1/projects/${instance.id}/ha`
    expect((await send(without.address, 'PUT', path, { headers, body: { replicas: 2 } })).status).toBe(404)
    expect((await send(without.address, 'GET', '/api/v1/settings/', { headers })).json).toMatchObject({
      features: { ha: false, devices: true, projectComms: true },
    })
    await without.close()
  })

  test('requests go to both in turn; one that crashes gets none and is started again while the other goes on', async () => {
    const { id, name } = await doubled()
    const asked = async () => JSON.parse((await visit(name)).text).id as string
    expect(new Set([await asked(), await asked(), await asked(), await asked()])).toEqual(new Set([id, `${id}~1`]))
    const before = starts(id).length
    script().crash(`${id}~1`, 'it broke', { crashes: 1, at: clock.now() + 10_000, safe: false })
    const hurt = await until(
      async () => read(id),
      ({ meta }) => meta.replicas?.[1]?.state === 'crashed',
    )
    expect(hurt.meta).toMatchObject({
      state: 'crashed',
      reason: 'it broke',
      replicas: [{ state: 'running' }, { reason: 'it broke', restartAt: new Date(clock.now() + 10_000).toISOString() }],
    })
    expect([await asked(), await asked()]).toEqual([id, id])
    expect(starts(id).length).toBe(before)
    clock.turn(10_000)
    await until(
      async () => read(id),
      ({ meta }) => meta.replicas?.every(({ state }) => state === 'running') === true,
    )
    expect((await read(id)).meta).not.toHaveProperty('reason')
    expect(
      starts(id)
        .slice(before)
        .map((call) => call.id),
    ).toEqual([`${id}~1`])
    expect((await jobs(id)).every(({ state }) => state === 'done')).toBe(true)
  })

  test('it is running only while both processes run, and is answered while one does', async () => {
    const { id, name } = await doubled()
    await settled(id)
    for (const state of ['starting', 'unknown'] as const) {
      script().setStatus(`${id}~1`, { state })
      const { meta } = await inState(id, state)
      expect(meta.replicas?.map((each) => each.state)).toEqual(['running', state])
      expect(meta.lastStartTime).toBeDefined()
      expect((await visit(name)).status).toBe(200)
    }
    script().setStatus(`${id}~1`, { state: 'running' })
    expect((await inState(id, 'running')).meta).not.toHaveProperty('reason')
  })

  test('what a browser asks of socket.io goes to one process, as long as that serves; browsers are spread', async () => {
    const { id, name } = await doubled()
    await settled(id)
    const asked = async (agent: string, path = '/socket.io/?EIO=4&transport=polling') =>
      JSON.parse((await visit(name, path, undefined, { 'user-agent': agent })).text).id as string
    const browsers = Array.from({ length: 12 }, (_, at) => `Browser ${at}`)
    const first = new Map<string, string>()
    for (const agent of browsers) first.set(agent, await asked(agent))
    expect(new Set(first.values())).toEqual(new Set([id, `${id}~1`]))
    for (const agent of browsers) expect(await asked(agent)).toBe(first.get(agent))
    const others = [await asked('Browser 0', '/'), await asked('Browser 0', '/?no=EIO=4')]
    expect(new Set(others)).toEqual(new Set([id, `${id}~1`]))
    script().crash(`${id}~1`, 'it broke', { crashes: 1, at: clock.now() + 10_000, safe: false })
    for (const agent of browsers) expect(await asked(agent)).toBe(id)
  })

  test('what somebody asks who has signed in to the flows goes to the process that knows the sign-in, as long as that serves', async () => {
    const { id, name } = await doubled()
    await settled(id)
    const asked = async (cookie: string, path = '/') =>
      JSON.parse((await visit(name, path, undefined, { cookie })).text).id as string
    for (const path of ['/', '/', '/ui/socket.io/?EIO=4&transport=polling', '/dashboard/socket.io/?EIO=4']) {
      expect(await asked('a=1; forge_http=0.abc', path)).toBe(id)
      expect(await asked('forge_http=1.abc; a=1', path)).toBe(`${id}~1`)
    }
    // One that is begun anew, while the former one is still with the browser.
    expect(await asked('forge_http=0.abc; forge_http_state=1.def')).toBe(`${id}~1`)
    const others = [await asked('my_forge_http=1.abc'), await asked('my_forge_http=1.abc')]
    expect(new Set(others)).toEqual(new Set([id, `${id}~1`]))
    script().crash(`${id}~1`, 'it broke', { crashes: 1, at: clock.now() + 10_000, safe: false })
    expect(await asked('forge_http=1.abc')).toBe(id)
  })

  test('a restart takes one process after the other, and requests are answered all the while', async () => {
    const { id, name } = await doubled()
    await settled(id)
    const before = script().calls.length
    let over = false
    const statuses = new Set<number>()
    const traffic = (async () => {
      while (!over) statuses.add((await visit(name)).status)
    })()
    await act('restart', id)
    await settled(id)
    over = true
    await traffic
    expect([...statuses]).toEqual([200])
    const order = script()
      .calls.slice(before)
      .filter(({ operation }) => operation === 'start' || operation === 'stop')
      .map((call) => `${call.operation} ${call.id === id ? 0 : 1}`)
    expect(order).toEqual(['stop 0', 'start 0', 'stop 1', 'start 1'])
  })

  test('when both crash the instance has crashed, and both are started again', async () => {
    const { id } = await doubled()
    const restart = { crashes: 1, at: clock.now(), safe: false }
    script().crash(id, 'it broke', restart)
    script().crash(`${id}~1`, 'it broke', restart)
    await until(
      async () => log(id),
      (all) => all.some(({ event }) => event === 'crashed'),
    )
    clock.turn(2_000)
    await until(
      async () => read(id),
      ({ meta }) => meta.state === 'running' && meta.replicas?.every(({ state }) => state === 'running') === true,
    )
  })

  test('[HA-02] nobody signs in to its editor, and its processes are told that there is none', async () => {
    const { id, team } = await doubled()
    await settled(id)
    const { error, description } = await signOn(id)
    expect(error).toBe('access_denied')
    expect(description).toContain('High Availability')
    const token = await server.build.instanceToken({ id, team })
    const settings = await send(server.address, 'GET', `/api/v1/projects/${id}/settings`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(settings.json).toMatchObject({ ha: { replicas: 2 } })
  })

  test('its charts and its log tell the processes apart', async () => {
    const { id, name } = await doubled()
    await settled(id)
    const { metrics } = server.app.services
    // The timer does not know this clock, and may have measured the step that the clock is in.
    await metrics.stop()
    clock.turn(30_000 - (clock.now() % 15_000))
    script().setUsage(id, { cpuMs: 1_000, memoryMb: 70 })
    script().setUsage(`${id}~1`, { cpuMs: 2_000, memoryMb: 90 })
    for (let n = 0; n < 4; n += 1) await visit(name)
    await metrics.tick()
    const query = { window: '15m' as const }
    const { replicas = [] } = await owner.client.call('metrics.instance', { params: { instanceId: id }, query })
    const last = replicas.map(({ id: src, series }) => [src, series.memory.at(-1), series.requests.at(-1)])
    expect(last).toEqual([
      ['57ab', 70, 8],
      ['57ac', 90, 8],
    ])
    script().log(id, 'from the first')
    script().log(`${id}~1`, 'from the second')
    const { log: lines } = await owner.client.call('instance.logs', { params: { instanceId: id }, query: {} })
    expect(lines.slice(-2).map(({ src, msg }) => [src, msg])).toEqual([
      ['57ab', 'from the first'],
      ['57ac', 'from the second'],
    ])
  })
})
