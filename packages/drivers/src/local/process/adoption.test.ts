import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { codeFlow } from '../../testing/flows.ts'
import { askInstance } from '../../testing/instance.http.ts'
import { openLocal, pidOf, runs, versions } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'
import { identityOf } from './identity.ts'

async function begin() {
  const local = await openLocal()
  onTestFinished(() => local.close())
  return local
}

test('five instances under traffic outlive five platforms: none starts again, all are found within seconds, no line is lost', async () => {
  const { home, driver, open, spec, platform } = await begin()
  const specs = [0, 1, 2, 3, 4].map((n) => spec(versions[n % 2]))
  for (const { id } of specs)
    platform.stored.set(`${id}/flows`, codeFlow('node.warn(`line ${msg.payload.n}`); return msg'))
  await Promise.all(specs.map((one) => driver.start(one)))
  for (const { id } of specs) await runs(driver, id)
  const pids = await Promise.all(specs.map(({ id }) => pidOf(home, id)))
  const endpoints = specs.map(({ id }) => driver.endpoint(id)!)
  let sent = 0
  let failed = 0
  let over = false
  const traffic = (async () => {
    while (!over) {
      sent += 1
      for (const endpoint of endpoints)
        await askInstance(endpoint, `/do?n=${sent}`).then(
          ({ status }) => (failed += status === 200 ? 0 : 1),
          () => (failed += 1),
        )
    }
  })()
  let current = driver
  for (let restart = 0; restart < 5; restart += 1) {
    await current.close()
    current = open()
    const begun = Date.now()
    expect((await current.adopt()).toSorted()).toEqual(specs.map(({ id }) => id).toSorted())
    expect(Date.now() - begun).toBeLessThan(5_000)
    for (const { id } of specs) expect((await current.status(id)).state).toBe('running')
  }
  over = true
  await traffic
  expect(await Promise.all(specs.map(({ id }) => pidOf(home, id)))).toEqual(pids)
  expect(failed).toBe(0)
  const written = await current.logs(specs[0]!.id, { limit: 1000 })
  const numbers = written.flatMap(({ msg }) => /line (\d+)$/.exec(msg)?.[1] ?? []).map(Number)
  const first = numbers[0]!
  expect(numbers).toEqual(Array.from({ length: sent - first + 1 }, (_, n) => first + n))
})

test('a copy of a living home has none of its processes: they go on beside those that the copy starts', async () => {
  const { home, driver, open, spec, putFlows } = await begin()
  const one = spec()
  putFlows(one.id, codeFlow('msg.payload = "well"; return msg'))
  await driver.start(one)
  await runs(driver, one.id)
  const pid = await pidOf(home, one.id)
  const copy = `${home}-copy`
  // As cp does it: with owners and sockets.
  execFileSync('cp', ['-a', home, copy])
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))

  const next = open({ home: copy })
  expect(await next.adopt()).toEqual([])
  expect(await next.status(one.id)).toEqual({ state: 'stopped' })
  await next.start(one)
  await runs(next, one.id)
  expect((await askInstance(next.endpoint(one.id)!, '/do')).text).toBe('well')
  await next.remove(one.id)

  expect(identityOf(pid)).toBeDefined()
  expect(await pidOf(home, one.id)).toBe(pid)
  expect((await askInstance(driver.endpoint(one.id)!, '/do')).text).toBe('well')
  expect((await driver.status(one.id)).state).toBe('running')
})

test('who follows a log through a platform that was away gets every line once, more than a runtime remembers', async () => {
  const { open, driver, spec, platform } = await begin()
  const one = spec()
  platform.stored.set(
    `${one.id}/flows`,
    codeFlow('for (let n = 0; n < 1500; n += 1) node.warn(`line ${n}`); return msg'),
  )
  await driver.start(one)
  await runs(driver, one.id)
  const endpoint = driver.endpoint(one.id)!
  const next = open()
  const seen: string[] = []
  // It follows, but does not know the process yet.
  next.followLogs(one.id, ({ msg }) => seen.push(msg))
  await until('the flow answers', async () => (await askInstance(endpoint, '/do')).status === 200)
  await next.adopt()
  const isLine = (msg: string) => /line \d+$/.test(msg)
  await until('all lines are there', () => seen.filter(isLine).length >= 1500)
  expect(seen.filter(isLine).map((msg) => Number(/\d+$/.exec(msg)?.[0]))).toEqual(
    Array.from({ length: 1500 }, (_, n) => n),
  )
})

test('what ended together with the platform is no crash, and starts again; what broke meanwhile says why', async () => {
  const { home, driver, open, spec, putFlows } = await begin()
  const [killed, broken] = [spec(), spec()]
  for (const one of [killed, broken]) {
    putFlows(one.id, codeFlow('Promise.reject(new Error("valve stuck")); return msg'))
    await driver.start(one)
    await runs(driver, one.id)
  }
  const endpoint = driver.endpoint(broken.id)!
  const pids = await Promise.all([killed, broken].map(({ id }) => pidOf(home, id)))
  await driver.close()
  process.kill(pids[0]!, 'SIGKILL')
  await askInstance(endpoint, '/do').catch(() => {})
  await until('both are gone', () => pids.every((pid) => identityOf(pid) === undefined))
  const next = open()
  expect(await next.adopt()).toEqual([])
  expect(await next.status(killed.id)).toEqual({ state: 'stopped' })
  expect(await next.status(broken.id)).toMatchObject({
    state: 'crashed',
    reason: expect.stringContaining('valve stuck'),
    restart: { crashes: 1 },
  })
  await next.start(killed)
  await runs(next, killed.id)
})

test('a thousand forged records signal no foreign process', async () => {
  const { home, open, spec } = await begin()
  // A user of the machine whose number stands in forged notes too; only root can be another one.
  const uid = 3_999
  const as = process.getuid?.() === 0 ? { uid } : {}
  const foreign: ChildProcess[] = Array.from({ length: 5 }, () =>
    spawn('sleep', ['600'], { detached: true, stdio: 'ignore', ...as }),
  )
  onTestFinished(() => foreign.forEach((child) => child.kill('SIGKILL')))
  const pids = foreign.map(({ pid }) => pid!)
  const identities = pids.map((pid) => identityOf(pid)!)
  const ids = Array.from({ length: 1000 }, () => spec().id)
  for (const [n, id] of ids.entries()) {
    const folder = join(home, 'instances', id)
    mkdirSync(folder, { recursive: true })
    const record = {
      version: 1,
      id,
      pid: n % 7 === 0 ? process.pid : pids[n % 5],
      // Right, of another time, of another boot, of another process.
      identity: [identities[n % 5], `${identities[n % 5]}1`, 'boot:1', identities[(n + 1) % 5]][n % 4],
      startedAt: Date.now(),
      memory: 256,
      controlToken: 'guessed',
      socketDir: folder,
    }
    writeFileSync(join(folder, 'record.json'), JSON.stringify(record))
    writeFileSync(join(folder, 'account.json'), JSON.stringify({ uid, gid: uid }))
  }
  const next = open()
  expect(await next.adopt()).toEqual([])
  for (const id of ids) await next.status(id)
  for (const id of ids) await next.remove(id)
  expect(pids.map((pid) => identityOf(pid))).toEqual(identities)
})
