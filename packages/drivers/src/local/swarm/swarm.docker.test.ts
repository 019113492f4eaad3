import { writeFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { describeFaults } from '../../conformance.faults.ts'
import { describePair } from '../../conformance.pair.ts'
import { describeDriver } from '../../conformance.ts'
import { openGate } from '../../testing/docker.harness.ts'
import { nodeFlow, shellFlow } from '../../testing/flows.ts'
import { askInstance } from '../../testing/instance.http.ts'
import { begun, readRecord, runs } from '../../testing/local.harness.ts'
import { ensureSwarm, machines, manager, on, openSwarm } from '../../testing/swarm.harness.ts'
import { until } from '../../testing/until.ts'

ensureSwarm()
describeDriver('swarm', () => openSwarm())
describePair('swarm', () => openSwarm())
describeFaults('swarm', () => openSwarm())

async function begin(more: Parameters<typeof openSwarm>[0] = {}) {
  const opened = await openSwarm(more)
  onTestFinished(() => opened.close())
  return { ...opened, begun: async (flows?: object[]) => begun(opened, flows) }
}

test('an instance in a service has no rights, writes in its own folders alone, and is not root', async () => {
  const { driver, begun } = await begin()
  const one = await begun(
    shellFlow(
      `id -u; cat /proc/self/status; for at in / /etc "$HOME" /tmp; do touch $at/mark 2>&1 && echo wrote $at; done`,
    ),
  )
  const { text } = await askInstance(driver.endpoint(one.id)!, '/do')
  expect(Number(text.split('\n')[0])).toBeGreaterThanOrEqual(200_000)
  for (const set of ['CapEff', 'CapBnd']) expect(new RegExp(`^${set}:\\s+(\\w+)`, 'm').exec(text)?.[1]).toMatch(/^0+$/)
  expect([...text.matchAll(/^wrote (\S+)/gm)].map(([, path]) => path)).toEqual([
    expect.stringContaining(one.id),
    '/tmp',
  ])
})

test('a neighbour who connects directly gets no answer, at any address, from HTTP or control', async () => {
  const { driver, begun, home, platformHost } = await begin()
  const addresses = `msg.payload = Object.values(os.networkInterfaces()).flat()
    .filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address).join()
    return msg`
  const reaching = `const [host, port] = msg.req.query.at.split(':')
    const socket = net.connect({ host, port, timeout: 3000 }, () => socket.write('GET / HTTP/1.1\\r\\nhost: a\\r\\n\\r\\n'))
    let text = ''
    socket.on('data', (part) => (text += part.toString('latin1')))
    socket.on('error', () => {})
    socket.on('timeout', () => socket.destroy())
    socket.on('close', () => node.send({ ...msg, payload: 'got ' + text }))`
  const [one, other] = [await begun(nodeFlow(addresses)), await begun(nodeFlow(reaching))]
  const { host, port } = (await readRecord(home, one.id)).address as { host: string; port: number }
  const inside = (await askInstance(driver.endpoint(one.id)!, '/do')).text.split(',')
  expect(inside.length).toBeGreaterThan(0)
  const ask = async (at: string) => (await askInstance(driver.endpoint(other.id)!, `/do?at=${at}`)).text
  expect(await ask(platformHost)).toContain('HTTP/')
  for (const at of [`${host}:${port}`, ...inside.map((address) => `${address}:4880`)])
    expect(await ask(at)).not.toContain('HTTP/')
  const proofs = [one, other].map(({ id }) => (driver.endpoint(id) as { proof: string }).proof)
  await expect(askInstance({ host, port, proof: proofs[1]! }, '/')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  expect((await askInstance({ host, port, proof: proofs[0]! }, '/')).status).toBe(200)
})

test('the secret of a launch goes with its service', async () => {
  const { driver, begun, serviceOf } = await begin()
  const { id } = await begun()
  const name = await serviceOf(id)
  const names = () => [...on(manager, 'secret', 'ls').matchAll(/flowforge-\S+/g)].map(([found]) => found)
  expect(names()).toContain(name)
  expect(on(manager, 'service', 'inspect', name)).not.toContain('credential-secret')
  await driver.stop(id)
  expect(names()).not.toContain(name)
})

test('the start says so if no machine meets the constraints', async () => {
  const { driver, spec } = await begin({ constraints: ['node.labels.oven == yes'] })
  const one = spec()
  await expect(driver.start(one)).rejects.toMatchObject({
    code: 'no_machine',
    message: expect.stringMatching(/^No machine of the swarm takes this instance: no suitable node/),
  })
  expect(await driver.status(one.id)).toEqual({ state: 'stopped' })
})

test('a platform that other machines do not reach is named before anything is started', async () => {
  const { driver, spec } = await begin({ platformUrl: 'http://127.0.0.1:3000' })
  await expect(driver.start(spec())).rejects.toMatchObject({ code: 'platform_here' })
})

test('two servers that start the same instance at once do not make two of it', async () => {
  const { driver, spec, open } = await begin()
  const one = spec()
  await Promise.allSettled([driver.start(one), open().start(one)])
  const filter = `label=flowforge.process=${one.id}`
  const all = machines.flatMap((machine) => on(machine, 'ps', '--quiet', '--filter', filter).trim().split('\n'))
  expect(all.filter((container) => container !== '').length).toBeLessThanOrEqual(1)
})

test('a platform that was killed before it noted where a process answers finds it all the same', async () => {
  const { driver, begun, home, open } = await begin()
  const { id } = await begun()
  await driver.close()
  const { address: _, ...record } = await readRecord(home, id)
  await writeFile(`${home}/instances/${id}/record.json`, JSON.stringify(record))
  const next = open()
  expect(await next.adopt()).toEqual([id])
  await runs(next, id)
  expect((await askInstance(next.endpoint(id)!, '/')).status).toBe(200)
})

test('a service that somebody removed is a crash, and the next start makes a new one', async () => {
  const { driver, begun, serviceOf } = await begin()
  const one = await begun()
  on(manager, 'service', 'rm', await serviceOf(one.id))
  await until('it has crashed', async () => (await driver.status(one.id)).state === 'crashed')
  await driver.start(one)
  await runs(driver, one.id)
})

test('while the manager is away instances serve, and starts and stops say why they fail; then what happened is noticed', async () => {
  const gate = await openGate()
  onTestFinished(() => gate.close())
  const { driver, spec, begun, crash } = await begin({ socket: gate.socket })
  const one = await begun()
  await gate.shut()
  expect((await askInstance(driver.endpoint(one.id)!, '/')).status).toBe(200)
  const away = { name: 'DriverError', message: expect.stringContaining('The container engine does not answer at') }
  await expect(driver.start(spec())).rejects.toMatchObject(away)
  await expect(driver.stop(one.id)).rejects.toMatchObject(away)
  expect((await driver.health()).engine).toEqual({ reachable: false, reason: away.message })
  expect((await driver.status(one.id)).state).toBe('running')
  await crash(one.id)
  await gate.listen()
  await until('its end is noticed', async () => (await driver.status(one.id)).state === 'crashed')
  await driver.start(one)
  await runs(driver, one.id)
})
