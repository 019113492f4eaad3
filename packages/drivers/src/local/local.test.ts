import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { describeDriver } from '../conformance.ts'
import type { InstanceStatus } from '../driver.ts'
import { askInstance, bearer, signIn } from '../testing/instance.http.ts'
import { openLocal, pidOf, readRecord, runs, runtimeEntry, stacksDir, versions } from '../testing/local.harness.ts'
import { until } from '../testing/until.ts'
import { argumentsOf, identityOf } from './process/identity.ts'

for (const version of versions) {
  describeDriver(`local, Node-RED ${version}`, async () => {
    const local = await openLocal()
    return { ...local, spec: () => local.spec(version), reopen: local.open }
  })
}

async function begin() {
  const local = await openLocal()
  onTestFinished(() => local.close())
  return local
}

const flowOf = (code: string) => [
  { id: 'tab', type: 'tab', label: 'Flow' },
  { id: 'in', z: 'tab', type: 'http in', url: '/do', method: 'get', wires: [['fn']] },
  { id: 'fn', z: 'tab', type: 'function', func: code, outputs: 1, wires: [['out']] },
  { id: 'out', z: 'tab', type: 'http response', wires: [] },
]

describe('processes of instances', () => {
  test('outlive the driver: another one finds the same process, and what was logged in between', async () => {
    const { home, driver, open, run } = await begin()
    const { id, endpoint } = await run()
    const pid = await pidOf(home, id)
    const headers = bearer(await signIn(endpoint))
    await askInstance(endpoint, '/flows', { body: flowOf('node.warn("in between"); return msg'), headers })
    await until('the flow answers', async () => (await askInstance(endpoint, '/do')).status === 200)
    await driver.close()
    await askInstance(endpoint, '/do')
    const next = open()
    expect(await next.adopt()).toEqual([id])
    expect(await pidOf(home, id)).toBe(pid)
    expect((await next.logs(id, { limit: 10 })).map(({ msg }) => msg)).toContain('[function:fn] in between')
    await next.stop(id)
    expect(identityOf(pid)).toBeUndefined()
  })

  test('two versions run side by side', async () => {
    const { driver, run } = await begin()
    const [four, five] = await Promise.all(versions.map((version) => run(version)))
    const found = await Promise.all(
      [four!, five!].map(async ({ id }) => (await driver.status(id)).versions?.['node-red']),
    )
    expect(found).toEqual(['4.1.15', '5.0.7'])
  })

  test('keep their secrets out of arguments, environment and readable files', async () => {
    const { home, run } = await begin()
    const { id, token, client, credentialSecret } = await run()
    const { pid, controlToken } = await readRecord(home, id)
    const shown = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8')).join()
    for (const secret of [token, client.secret, credentialSecret, String(controlToken)])
      expect(shown).not.toContain(secret)
    const mode = (...path: string[]) => statSync(join(home, 'instances', id, ...path)).mode & 0o777
    expect([mode('user'), mode('logs'), mode('run'), mode() & 0o007]).toEqual([0o700, 0o700, 0o700, 0])
    expect([mode('record.json'), mode('run/control.sock'), mode('run/http.sock')]).toEqual([0o600, 0o600, 0o600])
  })

  test('that die unasked are crashed within a moment, with a reason that stays', async () => {
    const { home, driver, open, run } = await begin()
    const { id } = await run()
    const crashed = new Promise<number>((resolve) =>
      driver.watch((_id, { state }) => state === 'crashed' && resolve(Date.now())),
    )
    const killedAt = Date.now()
    process.kill(await pidOf(home, id), 'SIGKILL')
    expect((await crashed) - killedAt).toBeLessThan(2_000)
    const status: InstanceStatus = {
      state: 'crashed',
      reason: 'Node-RED ended unexpectedly',
      restart: { crashes: 1, at: expect.any(Number), safe: false },
    }
    expect(await driver.status(id)).toEqual(status)
    expect(await open().status(id)).toEqual(status)
    expect(driver.endpoint(id)).toBeUndefined()
    await driver.stop(id)
    expect(await driver.status(id)).toEqual({ state: 'stopped' })
  })

  test('that end by an uncaught exception say which', async () => {
    const { driver, run } = await begin()
    const { id, endpoint } = await run()
    const headers = bearer(await signIn(endpoint))
    await askInstance(endpoint, '/flows', {
      body: flowOf('Promise.reject(new Error("valve stuck")); return msg'),
      headers,
    })
    await until('it crashes', async () => {
      await askInstance(endpoint, '/do').catch(() => {})
      return (await driver.status(id)).state === 'crashed'
    })
    expect((await driver.status(id)).reason).toContain('valve stuck')
    expect((await driver.logs(id, { limit: 1 }))[0]).toMatchObject({
      level: 'fatal',
      msg: expect.stringContaining('valve stuck'),
    })
  })

  test('that run out of memory say so', async () => {
    const { driver, spec } = await begin()
    const small = { ...spec(), stack: { nodered: versions[1], memory: 128 } }
    await driver.start(small)
    await runs(driver, small.id)
    const endpoint = driver.endpoint(small.id)!
    const headers = bearer(await signIn(endpoint))
    const code = 'const all = []; for (;;) all.push(new Array(100_000).fill({}).map(() => ({})))'
    await askInstance(endpoint, '/flows', { body: flowOf(code), headers })
    await until('it crashes', async () => {
      await askInstance(endpoint, '/do').catch(() => {})
      return (await driver.status(small.id)).state === 'crashed'
    })
    expect((await driver.status(small.id)).reason).toBe('Node-RED ran out of memory: its stack allows 128 MB')
  })

  test('that crash take along what their flows had started', async () => {
    const { home, run } = await begin()
    const { id, endpoint } = await run()
    const headers = bearer(await signIn(endpoint))
    const exec = {
      id: 'fn',
      z: 'tab',
      type: 'exec',
      command: 'sleep 61.25',
      useSpawn: 'true',
      addpay: '',
      wires: [[], [], []],
    }
    await askInstance(endpoint, '/flows', { body: flowOf('').map((node) => (node.id === 'fn' ? exec : node)), headers })
    const pid = await pidOf(home, id)
    const isThere = () =>
      readdirSync('/proc').some((name) => argumentsOf(Number(name)).join(' ').startsWith('sleep 61.25'))
    await until('the program runs', () => {
      void askInstance(endpoint, '/do').catch(() => {})
      return isThere()
    })
    process.kill(pid, 'SIGKILL')
    await until('the program is gone', () => !isThere())
    expect(isThere()).toBe(false)
  })

  test('nobody is signalled when a record names a foreign process', async () => {
    const { home, driver, open, run } = await begin()
    const { id } = await run()
    await driver.stop(id)
    const foreign = spawn('sleep', ['60'], { stdio: 'ignore' })
    onTestFinished(() => void foreign.kill())
    const pid = await until('it has started', () => foreign.pid)
    const identity = identityOf(pid)
    const record = {
      version: 1,
      id,
      pid,
      identity,
      startedAt: Date.now(),
      memory: 256,
      controlToken: 'guessed',
      socketDir: join(home, 'instances', id),
    }
    writeFileSync(join(home, 'instances', id, 'record.json'), JSON.stringify(record))
    const next = open()
    expect(await next.adopt()).toEqual([])
    await next.stop(id)
    expect(identityOf(pid)).toBe(identity)
  })

  test('a process whose specification never comes ends by itself', async () => {
    const { home } = await begin()
    const child = spawn(process.execPath, [runtimeEntry, 'orphan'], {
      cwd: home,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    })
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    child.stdio[3]?.destroy()
    expect(await ended).not.toBe(0)
  })

  test('answer on their control socket to whoever has the token, and to nobody else', async () => {
    const { home, run } = await begin()
    const { id } = await run()
    const { pid, controlToken } = await readRecord(home, id)
    const control = { socketPath: join(home, 'instances', id, 'run/control.sock') }
    const ask = (path: string, token: unknown, body?: object) =>
      askInstance(control, `/flowforge/${path}`, { headers: bearer(String(token)), ...(body ? { body } : {}) })
    for (const path of ['info', 'logs', 'health-check', 'watch']) expect((await ask(path, 'guessed')).status).toBe(401)
    expect((await ask('command', 'guessed', { cmd: 'shutdown' })).status).toBe(401)
    expect(JSON.parse((await ask('info', controlToken)).text)).toMatchObject({ id, pid, state: 'running' })
    expect(JSON.parse((await ask('logs', controlToken)).text).length).toBeGreaterThan(5)
    expect((await ask('health-check', controlToken)).status).toBe(200)
    expect((await ask('command', controlToken, { cmd: 'dance' })).status).toBe(404)
  })

  test('a home with a long path gets its sockets elsewhere', async () => {
    const { createLocalDriver } = await import('./index.ts')
    const local = await begin()
    const home = join(local.home, 'a'.repeat(60))
    const driver = createLocalDriver({
      home,
      runtimeEntry,
      stacksDir,
    })
    onTestFinished(() => driver.close())
    const one = local.spec()
    await driver.start(one)
    await runs(driver, one.id)
    const { socketDir } = await readRecord(home, one.id)
    expect(String(socketDir).length).toBeLessThan(80)
    expect((await askInstance(driver.endpoint(one.id)!, '/')).status).toBe(200)
    await driver.remove(one.id)
    expect(existsSync(String(socketDir))).toBe(false)
  })
})
