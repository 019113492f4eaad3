import { containerUrl } from '@app/contract'
import { expect, onTestFinished, test } from 'vitest'
import { describeFaults } from '../../conformance.faults.ts'
import { describePair } from '../../conformance.pair.ts'
import { describeDriver } from '../../conformance.ts'
import { codeFlow, shellFlow } from '../../testing/flows.ts'
import { containersFor, docker, ensureImage, openDocker, openGate } from '../../testing/docker.harness.ts'
import { askInstance } from '../../testing/instance.http.ts'
import { openLocal, readRecord, runs, stacksDir } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'

ensureImage()
describeDriver('docker', () => openDocker())
describePair('docker', () => openDocker())
describeFaults('docker', () => openDocker())

async function begin(socket?: string) {
  const opened = await openDocker(socket)
  onTestFinished(() => opened.close())
  return opened
}

test('an instance in a container has no rights, writes in its own folders alone, and is not root', async () => {
  const { driver, spec, putFlows } = await begin()
  const one = spec()
  putFlows(
    one.id,
    shellFlow(
      `id -u; cat /proc/self/status; for at in / /etc "$HOME" /tmp; do touch $at/mark 2>&1 && echo wrote $at; done`,
    ),
  )
  await driver.start(one)
  await runs(driver, one.id)
  const { text } = await askInstance(driver.endpoint(one.id)!, '/do')
  expect(Number(text.split('\n')[0])).toBeGreaterThanOrEqual(200_000)
  expect(/^CapEff:\s+(\w+)/m.exec(text)?.[1]).toMatch(/^0+$/)
  expect(/^CapBnd:\s+(\w+)/m.exec(text)?.[1]).toMatch(/^0+$/)
  expect(text).toMatch(/^NoNewPrivs:\s+1$/m)
  expect([...text.matchAll(/^wrote (\S+)/gm)].map(([, path]) => path)).toEqual([
    expect.stringContaining(one.id),
    '/tmp',
  ])
})

test('a container reads what V8 compiled of its stack, and cannot change it', async () => {
  const { driver, spec, putFlows } = await begin()
  const one = spec()
  putFlows(
    one.id,
    shellFlow(
      `cd ${stacksDir}/compiled/*-$(id -u) && set -- * && cat "$1" >/tmp/code && test -s /tmp/code && echo read; touch mark 2>&1 && echo wrote; true`,
    ),
  )
  await driver.start(one)
  await runs(driver, one.id)
  const { text } = await askInstance(driver.endpoint(one.id)!, '/do')
  expect(text).toMatch(/^read$/m)
  expect(text).toContain('Read-only file system')
  expect(text).not.toMatch(/^wrote$/m)
})

test('containers reach the platform and not each other, or the driver says that they do', async () => {
  const { driver, spec, putFlows } = await begin()
  await driver.health()
  const isOpen = driver.capabilities.gaps.some((gap) => gap.startsWith('Instances reach the ports'))
  const [one, other] = [spec(), spec()]
  const listening = `const server = net.createServer((socket) => socket.end('reached')).listen(4000)
    server.unref(); msg.payload = Object.values(os.networkInterfaces()).flat().find(({ internal }) => !internal).address
    return msg`
  const reaching = `const [host, port] = msg.req.query.at.split(':'), socket = net.connect({ host, port, timeout: 3000 })
    socket.on('connect', () => { socket.destroy(); node.send({ ...msg, payload: 'reached' }) })
    for (const name of ['error', 'timeout']) socket.on(name, () => { socket.destroy(); node.send({ ...msg, payload: 'refused' }) })`
  const withNet = (code: string) =>
    codeFlow(code).map((node) =>
      'func' in node ? { ...node, libs: ['net', 'os'].map((module) => ({ var: module, module })) } : node,
    )
  putFlows(one.id, withNet(listening))
  putFlows(other.id, withNet(reaching))
  for (const each of [one, other]) await driver.start(each)
  for (const { id } of [one, other]) await runs(driver, id)
  const address = (await askInstance(driver.endpoint(one.id)!, '/do')).text
  const ask = async (at: string) => (await askInstance(driver.endpoint(other.id)!, `/do?at=${at}`)).text
  expect(await ask(`${address}:4000`)).toBe(isOpen ? 'reached' : 'refused')
  expect(await ask(new URL(containerUrl(other.platformUrl)).host)).toBe('reached')
})

test('a container that the machine took away is a crash, and the next start makes a new one', async () => {
  const { driver, spec, containerOf } = await begin()
  const one = spec()
  await driver.start(one)
  await runs(driver, one.id)
  const before = await containerOf(one.id)
  docker('rm', '--force', before)
  await until('it has crashed', async () => (await driver.status(one.id)).state === 'crashed')
  await driver.start(one)
  await runs(driver, one.id)
  expect(await containerOf(one.id)).not.toBe(before)
})

test('an instance moves between a process and a container with its next start, and is never there twice', async () => {
  const { home, driver, spec, putFlows } = await begin()
  const one = spec()
  putFlows(one.id, codeFlow('msg.payload = "well"; return msg'))
  await driver.start(one)
  await runs(driver, one.id)
  // The same home with a platform that starts processes.
  await driver.close()
  const local = await openLocal({ home, containers: containersFor(one.platformUrl) })
  onTestFinished(() => local.close())
  expect(await local.driver.adopt()).toEqual([one.id])
  expect((await askInstance(local.driver.endpoint(one.id)!, '/do')).text).toBe('well')
  expect((await readRecord(home, one.id)).container).toBeDefined()
  await local.driver.stop(one.id)
  await local.driver.start(one)
  await runs(local.driver, one.id)
  expect(await readRecord(home, one.id)).toMatchObject({ pid: expect.any(Number) })
  expect(docker('ps', '--all', '--quiet', '--filter', `name=${one.id}`)).toBe('')
  await local.driver.stop(one.id)
})

test('each instance is started by the driver that it names, and by no other', async () => {
  const { home, driver, spec } = await begin()
  expect(driver.offers).toEqual(['docker', 'local'])
  const one = spec()
  await driver.start({ ...one, driver: 'local' })
  await runs(driver, one.id)
  expect((await readRecord(home, one.id)).container).toBeUndefined()
  await driver.stop(one.id)
  await driver.start(one)
  await runs(driver, one.id)
  expect((await readRecord(home, one.id)).container).toBeDefined()
  const local = await openLocal()
  onTestFinished(() => local.close())
  const code = 'no_driver'
  await expect(local.driver.start({ ...local.spec(), driver: 'docker' })).rejects.toMatchObject({ code })
})

test('while the engine is away instances serve, and starts and stops say why they fail; then what happened is noticed', async () => {
  const gate = await openGate()
  onTestFinished(() => gate.close())
  const { driver, spec, containerOf } = await begin(gate.socket)
  const one = spec()
  await driver.start(one)
  await runs(driver, one.id)
  await gate.shut()
  expect((await askInstance(driver.endpoint(one.id)!, '/')).status).toBe(200)
  expect((await driver.status(one.id)).state).toBe('running')
  const away = { name: 'DriverError', message: expect.stringContaining('The container engine does not answer at') }
  await expect(driver.start(spec())).rejects.toMatchObject(away)
  await expect(driver.stop(one.id)).rejects.toMatchObject(away)
  expect((await driver.health()).engine).toEqual({ reachable: false, reason: away.message })
  expect((await driver.status(one.id)).state).toBe('running')
  docker('kill', await containerOf(one.id))
  await gate.listen()
  await until('its end is noticed', async () => (await driver.status(one.id)).state === 'crashed')
  expect((await driver.health()).engine).toEqual({ reachable: true })
  await driver.start(one)
  await runs(driver, one.id)
})

test('a platform that starts while the engine is away finds its instances all the same', async () => {
  const gate = await openGate()
  onTestFinished(() => gate.close())
  const { driver, spec, open } = await begin(gate.socket)
  const one = spec()
  await driver.start(one)
  await runs(driver, one.id)
  await driver.close()
  await gate.shut()
  const next = open()
  expect(await next.adopt()).toEqual([one.id])
  await runs(next, one.id)
  expect((await askInstance(next.endpoint(one.id)!, '/')).status).toBe(200)
  await gate.listen()
  await until('it can be stopped', () =>
    next.stop(one.id).then(
      () => true,
      () => false,
    ),
  )
  expect(await next.status(one.id)).toEqual({ state: 'stopped' })
})
