import { cp } from 'node:fs/promises'
import { mkdtemp } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { run } from '../../cli/run.ts'
import { linkTo } from '../../../testing/database.link.ts'
import { createStubDriver, databaseUrl, send, startServer, type TestServer, until } from '../../../testing/index.ts'
import { openDatabase } from '../../platform/db/database.ts'
import { keepProvenance, provenanceHere } from './hosting.origin.ts'
import { releaseHost, takeHost } from './hosting.store.ts'

/** Another server on the database of the first, with a home of its own and the same key. */
async function beside(one: TestServer, options: { config?: Partial<TestServer['config']> } = {}) {
  const home = await mkdtemp(join(tmpdir(), 'forge-second-'))
  await cp(join(one.config.home, 'keys'), join(home, 'keys'), { recursive: true })
  const config = { home, databaseUrl: one.config.databaseUrl!, ...options.config }
  return startServer({ driver: () => createStubDriver(), config })
}
const ago = (server: TestServer, seconds: number) =>
  server.app.database.read
    .updateTable('instance_host')
    .set({ seen_at: Date.now() - seconds * 1000 })
    .execute()
/** The finding of Health about a part. */
async function finding(server: TestServer, part: string, { cookie }: { cookie: string }) {
  const { json } = await send(server.address, 'POST', '/api/v1/admin/health', { headers: { cookie } })
  return (json.checks as { part: string; state: string; code?: string; seen: string }[]).find(
    (one) => one.part === part,
  )
}
const stateAt = async (at: string, id: string, cookie: string) =>
  ((await send(at, 'GET', `/api/v1/projects/${id}`, { headers: { cookie } })).json.meta as { state: string }).state

if (process.env.TEST_DATABASE === 'postgres') {
  test('the instances are taken over from a server that is frozen within a transaction', async () => {
    const one = await startServer()
    await one.stop()
    const frozen = await openDatabase({ home: one.config.home, url: one.config.databaseUrl })
    const held = Promise.withResolvers<void>()
    const thawed = Promise.withResolvers<void>()
    const stuck = frozen.transact(async (tx) => {
      // As whoever starts an instance does.
      await tx.selectFrom('instance_host').select('holder').forShare().execute()
      held.resolve()
      await thawed.promise
    })
    await held.promise
    const two = await startServer({ config: one.config })
    expect(two.app.host.isHere()).toBe(true)
    thawed.resolve()
    await expect(stuck).rejects.toThrow()
    await frozen.close()
    await two.close()
  })

  test('the first of two servers on one PostgreSQL runs the instances, until it ends; the other serves the console', async () => {
    const one = await startServer()
    const { owner, team } = await one.build.platform()
    const { id } = await one.build.runningInstance(owner, await one.build.application(owner, team))
    const two = await beside(one)
    // It has neither started nor stopped what it does not know.
    expect(two.driver.script.calls).toEqual([])
    expect(await stateAt(two.address, id, owner.cookie)).toBe('running')
    // The call made there is carried out here.
    const headers = { cookie: owner.cookie }
    for (const [action, state] of [
      ['suspend', 'suspended'],
      ['start', 'running'],
    ] as const) {
      const asked = await send(two.address, 'POST', `/api/v1/projects/${id}/actions/${action}`, { headers })
      expect(asked.status).toBe(200)
      await until(
        () => stateAt(two.address, id, owner.cookie),
        (now) => now === state,
      )
    }
    expect(two.driver.script.calls).toEqual([])
    expect((await send(two.address, 'GET', '/readyz')).json).toEqual({ status: 'ok', instances: 'elsewhere' })
    expect((await send(two.address, 'GET', '/readyz/instances')).status).toBe(503)
    expect((await send(one.address, 'GET', '/readyz/instances')).status).toBe(200)
    await two.close()
    await one.stop()
    const next = await beside(one)
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
    await read.deleteFrom('instance_host').execute()
    const take = (home: string) => takeHost(read, 'postgres', { home, holder: `run-${home}`, name: home, pid: 1 })
    const former = () => read.selectFrom('instance_host').select('former_name').executeTakeFirst()
    expect([await take('a'), await take('a'), await take('b')]).toEqual([true, true, false])
    await ago(server, 30)
    expect(await take('b')).toBe(false)
    await ago(server, 90)
    expect([await take('b'), await take('a')]).toEqual([true, false])
    // The former host stays on record until it has come back.
    expect(await former()).toEqual({ former_name: 'a' })
    await releaseHost(read, 'run-a')
    expect(await take('a')).toBe(false)
    await releaseHost(read, 'run-b')
    expect(await take('a')).toBe(true)
    expect(await former()).toEqual({ former_name: null })
    await server.close()
  })

  test('a server whose instances another one took over ends them and itself, and does no job any more', async () => {
    const ends: string[] = []
    const one = await startServer({ end: (reason) => void ends.push(reason) })
    const { owner, admin, team } = await one.build.platform()
    const { id } = await one.build.runningInstance(owner, await one.build.application(owner, team))
    // As after a pause of the machine: it was silent, and another one was started meanwhile.
    await ago(one, 90)
    const two = await beside(one)
    await until(
      () => stateAt(two.address, id, owner.cookie),
      (state) => state === 'running',
    )
    expect(await finding(two, 'Servers', admin)).toMatchObject({
      state: 'warning',
      code: 'HOST02',
      seen: expect.stringContaining(`taken over from ${hostname()}:${one.config.home} on `) as string,
    })
    const begun = one.driver.script.calls.length
    // Every request is carried out by the second, and the first finds out by claiming, or by its next word.
    const headers = { cookie: owner.cookie }
    expect((await send(one.address, 'POST', `/api/v1/projects/${id}/actions/restart`, { headers })).status).toBe(200)
    await until(
      async () => ends,
      (said) => said.length > 0,
    )
    expect(ends).toEqual([expect.stringContaining('Another server took the instances over')])
    expect((await one.driver.status(id)).state).toBe('stopped')
    expect(one.driver.script.calls.slice(begun).filter((call) => JSON.stringify(call).includes('start'))).toEqual([])
    await until(
      () => stateAt(two.address, id, owner.cookie),
      (state) => state === 'running',
    )
    // It has said that nothing of it runs any more.
    await until(
      () => finding(two, 'Servers', admin),
      (found) => found?.state === 'ok',
    )
    await one.close()
    await two.close()
  })

  describe('a server that is cut off from the database alone', () => {
    const hostTimes = { beatMs: 100, holdMs: 600 }
    async function cutOff() {
      const direct = (await databaseUrl())!
      const link = await linkTo(direct)
      const ends: string[] = []
      const one = await startServer({
        config: { databaseUrl: link.url, hostTimes },
        end: (reason) => void ends.push(reason),
      })
      onTestFinished(async () => {
        link.mend()
        await one.close()
        link.close()
      })
      const { owner, team } = await one.build.platform()
      const { id } = await one.build.runningInstance(owner, await one.build.application(owner, team))
      const here = async () => (await one.driver.status(id)).state
      return { one, link, direct, ends, id, owner, here }
    }
    /** Resolves once this server has looked around after all that was done before. */
    async function aWordOf(one: TestServer): Promise<void> {
      const seen = async () =>
        (await one.app.database.read.selectFrom('instance_host').select('seen_at').executeTakeFirstOrThrow()).seen_at
      // The second word is begun when the first has ended.
      for (const before of [await seen(), await seen()]) await until(seen, (now) => now > before)
      const between = await seen()
      await until(seen, (now) => now > between)
    }

    test('ends its instances before another one may take them over, and starts them again if none did', async () => {
      const { one, link, direct, ends, here } = await cutOff()
      const two = await beside(one, { config: { databaseUrl: direct } })
      onTestFinished(() => two.close())
      await aWordOf(one)
      link.cut()
      await until(here, (state) => state === 'stopped')
      link.mend()
      await until(here, (state) => state === 'running')
      expect(ends).toEqual([])
    })

    test('ends itself when another one did', async () => {
      const { one, link, direct, ends, id, owner, here } = await cutOff()
      const two = await beside(one, { config: { databaseUrl: direct } })
      await aWordOf(one)
      link.cut()
      await until(here, (state) => state === 'stopped')
      await ago(two, 90)
      await two.close()
      const three = await beside(one, { config: { databaseUrl: direct } })
      onTestFinished(() => three.close())
      await until(
        () => stateAt(three.address, id, owner.cookie),
        (state) => state === 'running',
      )
      link.mend()
      await until(
        async () => ends,
        (said) => said.length > 0,
      )
      expect(ends).toEqual([expect.stringContaining('Another server took the instances over')])
      expect(await here()).toBe('stopped')
    })

    test('keeps them running for as long as it takes when no other server is there', async () => {
      const { one, link, here } = await cutOff()
      await aWordOf(one)
      link.cut()
      const begun = performance.now()
      await until(
        async () => performance.now() - begun,
        (ms) => ms > 3 * hostTimes.holdMs,
      )
      expect(await here()).toBe('running')
      expect(one.driver.script.calls.filter(({ operation }) => operation === 'stop').length).toBeLessThan(2)
    })
  })

  test('when the server that runs the instances is gone, the other says so everywhere, and refuses what needs it', async () => {
    const one = await startServer({ config: { metricsToken: 'token-for-the-figures' } })
    const { owner, admin, team } = await one.build.platform()
    const { id } = await one.build.runningInstance(owner, await one.build.application(owner, team))
    const two = await beside(one, { config: { metricsToken: 'token-for-the-figures' } })
    await one.stop()
    await ago(two, 42)
    const headers = { cookie: owner.cookie }
    const asked = await send(two.address, 'POST', `/api/v1/projects/${id}/actions/restart`, { headers })
    expect([asked.status, asked.json.code, asked.headers.get('retry-after')]).toEqual([
      503,
      'instances_unavailable',
      '30',
    ])
    expect(asked.json.error).toMatch(
      /^The server that runs the instances was last heard of 4\d s ago\. Nothing was changed/,
    )
    expect(await stateAt(two.address, id, owner.cookie)).toBe('running')
    expect((await send(two.address, 'GET', '/readyz')).json).toEqual({ status: 'ok', instances: 'nowhere' })
    const settings = (await send(two.address, 'GET', '/api/v1/settings', { headers })).json
    expect(settings['instances:away']).toMatch(/last heard of 4\d s ago/)
    expect(await finding(two, 'Servers', admin)).toMatchObject({ state: 'error', code: 'HOST01' })
    const figures = await fetch(`${two.address}/metrics`, {
      headers: { authorization: 'Bearer token-for-the-figures' },
    })
    const text = await figures.text()
    expect(text).toMatch(/^flowforge_instances_served 0$/m)
    expect(text).toMatch(/^flowforge_instances_silent_seconds 4\d$/m)
    await two.close()
    await one.close()
  })
} else {
  test('on the embedded database a server runs the instances always', async () => {
    const server = await startServer()
    expect([await server.app.host.take(), await server.app.host.take()]).toEqual([true, true])
    expect((await send(server.address, 'GET', '/readyz')).json).toEqual({ status: 'ok', instances: 'here' })
    expect((await send(server.address, 'GET', '/readyz/instances')).status).toBe(200)
    await server.close()
  })
}

test('all instances are stopped for good by command, while the server runs or not, until they are let run again', async () => {
  let server = await startServer()
  const { owner, admin: person, team } = await server.build.platform()
  const { id } = await server.build.runningInstance(owner, await server.build.application(owner, team))
  const said: string[] = []
  const admin = (verb: string) =>
    run([verb], {
      env: {
        FORGE_HOME: server.config.home,
        FORGE_INSTANCE_UIDS: 'none',
        ...(server.config.databaseUrl && { FORGE_DATABASE_URL: server.config.databaseUrl }),
      },
      folder: server.config.home,
      say: (text) => void said.push(text),
      ask: () => Promise.reject(new Error('nothing is asked')),
    })
  const state = () => stateAt(server.address, id, owner.cookie)
  expect(await admin('stop-instances')).toBe(0)
  expect(said.at(-1)).toContain('All instances were stopped, and none is started any more')
  expect((await server.driver.status(id)).state).toBe('stopped')
  expect(await finding(server, 'Servers', person)).toMatchObject({
    state: 'warning',
    code: 'HOST03',
    seen: 'All instances were stopped by command.',
  })
  // Asked for twice it is done.
  expect(await admin('stop-instances')).toBe(0)
  const headers = { cookie: owner.cookie }
  // A person is told why nothing starts.
  await send(server.address, 'POST', `/api/v1/projects/${id}/actions/restart`, { headers })
  await until(state, (now) => now === 'stopped')
  const shown = await send(server.address, 'GET', `/api/v1/projects/${id}`, { headers })
  expect((shown.json.meta as { reason?: string }).reason).toContain(
    'All instances of this platform were stopped for good',
  )
  // The wanted state stays: backups carry it away.
  const wanted = await server.app.database.read.selectFrom('instances').select('wanted').executeTakeFirstOrThrow()
  expect(wanted).toEqual({ wanted: 'running' })

  await server.stop()
  server = await startServer({ config: server.config })
  expect(server.driver.script.calls.filter((call) => JSON.stringify(call).includes(id))).toEqual([])
  expect(await admin('start-instances')).toBe(0)
  await until(state, (now) => now === 'running')
  expect(await finding(server, 'Servers', person)).toMatchObject({ state: 'ok' })
  // A crash from now on is followed by a start, as ever.
  const starts = () => server.driver.script.calls.filter(({ operation }) => operation === 'start').length
  const begun = starts()
  server.driver.script.crash(id, 'of a test', { crashes: 1, at: Date.now(), safe: false })
  await until(state, (now) => now === 'running' && starts() > begun)
  await server.stop()
  expect(await admin('stop-instances')).toBe(0)
  server = await startServer({ config: server.config })
  expect(await state()).not.toBe('running')
  await server.close()
})

test('an instance that was started when the platform had other addresses is restarted to learn those of today', async () => {
  const first = await startServer()
  const { owner, admin, team } = await first.build.platform()
  const { id } = await first.build.runningInstance(owner, await first.build.application(owner, team))
  const { driver } = first
  await first.stop()
  const same = await startServer({ config: first.config, driver: () => driver })
  const starts = () => driver.script.calls.filter((call) => JSON.stringify(call).includes('"start"')).length
  const before = starts()
  expect(driver.script.spec(id)?.instanceUrl).not.toContain('.apps.example.com')
  expect(await stateAt(same.address, id, owner.cookie)).toBe('running')
  await same.stop()
  const moved = await startServer({
    config: { ...first.config, instanceDomain: 'apps.example.com' },
    driver: () => driver,
  })
  await until(
    () => stateAt(moved.address, id, owner.cookie),
    (state) => state === 'running' && starts() > before,
  )
  expect(driver.script.spec(id)?.instanceUrl).toContain('.apps.example.com')
  const row = await moved.app.database.read.selectFrom('instances').select('started_as').executeTakeFirstOrThrow()
  expect(row.started_as).toContain('.apps.example.com')
  expect(await finding(moved, 'Addresses of instances', admin)).toMatchObject({ state: 'ok' })
  // Until it has been restarted, as when others are restarted before it.
  await moved.app.database.read.updateTable('instances').set({ started_as: 'http://former.example.com' }).execute()
  expect(await finding(moved, 'Addresses of instances', admin)).toMatchObject({
    state: 'warning',
    code: 'ADDR04',
    seen: '1 run with former addresses.',
  })
  await moved.close()
})

test('a restored platform runs nothing beside the one it comes from, and starts its instances when that one has ended', async () => {
  const first = await startServer()
  const { owner, admin, team } = await first.build.platform()
  const { id } = await first.build.runningInstance(owner, await first.build.application(owner, team))
  await first.stop()
  // Its processes live on; the driver of the other platform sees them.
  let pids = [4711]
  keepProvenance(first.config.home, { ...provenanceHere('/elsewhere') })
  const driver = createStubDriver()
  const server = await startServer({
    config: first.config,
    driver: () => ({ ...driver, livingIn: (home) => (home === '/elsewhere' ? pids : []) }) satisfies typeof driver,
  })
  const headers = { cookie: owner.cookie }
  await send(server.address, 'POST', `/api/v1/projects/${id}/actions/restart`, { headers })
  const shown = async () =>
    (await send(server.address, 'GET', `/api/v1/projects/${id}`, { headers })).json.meta as {
      state: string
      reason?: string
    }
  const { reason } = await until(shown, (meta) => meta.reason !== undefined)
  expect(reason).toMatch(/^The platform that this one was restored from still runs its instances/)
  for (const secret of ['/elsewhere', '4711', first.config.home]) expect(reason).not.toContain(secret)
  expect(driver.script.calls.filter(({ operation }) => operation === 'start')).toEqual([])
  expect(await finding(server, 'Servers', admin)).toMatchObject({
    state: 'error',
    code: 'HOST04',
    seen: expect.stringContaining('still runs instances on this machine, from /elsewhere (process 4711)') as string,
  })
  pids = []
  await until(shown, ({ state }) => state === 'running')
  await server.close()
})
