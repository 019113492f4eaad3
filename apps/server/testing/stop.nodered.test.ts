import { once } from 'node:events'
import { readdir, readFile, readlink, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { openDriver } from '../src/drivers.ts'
import { freePort, homeWithStacks, instanceCalls, startKeeper, startServer, until } from './index.ts'
import { openStream } from './stream.ts'

const deadline = 150_000
/** The most seconds the server waits for requests, unless set otherwise. */
const stopSeconds = 30
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
/** `GET /slow?ms=500` answers after that time. */
const flows = [
  { id: 'tab', type: 'tab', label: 'Flow' },
  { id: 'in', z: 'tab', type: 'http in', url: '/slow', method: 'get', wires: [['wait']] },
  {
    id: 'wait',
    z: 'tab',
    type: 'function',
    func: "setTimeout(() => node.send({ ...msg, payload: 'slow' }), Number(msg.payload.ms))",
    outputs: 1,
    wires: [['out']],
  },
  { id: 'out', z: 'tab', type: 'http response', wires: [] },
  { id: 'listener', type: 'websocket-listener', path: '/live', wholemsg: 'false' },
  { id: 'hear', z: 'tab', type: 'websocket in', server: 'listener', client: '', wires: [['say']] },
  { id: 'say', z: 'tab', type: 'websocket out', server: 'listener', client: '', wires: [] },
]

let home: string
let port: number
let instance: string
let session: string
let keeper: ReturnType<typeof startKeeper>

beforeAll(async () => {
  home = await homeWithStacks()
  port = await freePort()
  const server = await startServer({ config: { home, port, databaseUrl: '' }, driver: openDriver })
  const { owner, team } = await server.build.platform()
  session = owner.cookie
  const application = await server.build.application(owner, team)
  const calls = instanceCalls(() => ({ server, owner, application }))
  ;({ id: instance } = await server.build.instance(owner, application, 'oven'))
  await until(
    () => calls.read(instance),
    ({ meta }) => meta.state === 'running',
    deadline,
  )
  const imported = await calls.raw('POST', `/${instance}/import`, { flows: JSON.stringify(flows) })
  if (imported.status !== 200) throw new Error(`The flows were not taken: ${imported.status}`)
  await until(
    () => calls.visit('oven', '/slow?ms=0'),
    ({ text }) => text === 'slow',
    deadline,
  )
  await calls.settled(instance)
  await server.stop()
  const env = { PATH: process.env.PATH, FORGE_HOME: home, FORGE_PORT: String(port), FORGE_LOG_LEVEL: 'silent' }
  const settings = { FORGE_WARM_PROCESSES: '0', FORGE_INSTANCE_UIDS: 'none' }
  keeper = startKeeper({ home, port, command: [process.execPath, main], env: { ...env, ...settings } })
  await ready(Number.NaN)
}, 2 * deadline)

afterAll(async () => {
  await keeper.stop()
  const driver = openDriver({ home, warmProcesses: 0, host: '127.0.0.1', port } as never)
  await driver.adopt()
  await driver.remove(instance)
  await driver.close()
  await rm(home, { recursive: true, force: true })
})

interface Heard {
  status: number
  text: string
  connection: string | undefined
}

/** Each on a connection of its own, as a new client comes. */
function ask(path: string, host = `localhost:${port}`): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, headers: { host }, agent: false }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part))
      answer.on('end', () => resolve({ status: answer.statusCode!, text, connection: answer.headers.connection }))
    })
    call.on('error', reject).end()
  })
}
/** A WebSocket of the flows of the instance. */
async function openSocket(): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/live`, { headers: { host: oven() } })
  await once(socket, 'open')
  return socket
}
const oven = () => `oven.localhost:${port}`

/** Resolves with the process of a server that is ready and not `before`. */
async function ready(before: number): Promise<number> {
  await until(
    async () => keeper.serverPid() !== before && (await ask('/readyz').catch(() => undefined))?.status === 200,
    Boolean,
    60_000,
  )
  return keeper.serverPid()
}

test('a request to a flow that is under way when the server is told to stop is answered', async () => {
  const pid = await ready(Number.NaN)
  const slow = ask('/slow?ms=1500', oven())
  const kept = connect(port, '127.0.0.1')
  let said = ''
  kept.setEncoding('utf8').on('data', (part: string) => (said += part))
  const probe = () => kept.write(`GET /readyz HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`)
  probe()
  await until(
    async () => said,
    (text) => text.includes('"ok"'),
  )
  process.kill(pid, 'SIGTERM')
  await until(
    () => readFile(join(home, 'platform.pid'), 'utf8'),
    (text) => text.includes('stopping'),
  )
  // A connection that is open is still answered, and told that it was the last time.
  probe()
  await until(
    async () => said,
    (text) => text.includes('"stopping"'),
  )
  expect(said).toMatch(/503 Service Unavailable[^]*connection: close/i)
  expect(await slow).toMatchObject({ status: 200, text: 'slow' })
  expect(await ready(pid)).not.toBe(pid)
})

test('no request is lost over restarts, those to instances included', async () => {
  let pid = await ready(Number.NaN)
  for (let round = 0; round < 2; round += 1) {
    const results: Promise<Heard>[] = []
    const timer = setInterval(() => {
      results.push(ask('/slow?ms=20', oven()), ask('/api/v1/settings'))
    }, 20)
    process.kill(pid, 'SIGTERM')
    pid = await ready(pid)
    clearInterval(timer)
    const answers = await Promise.all(results)
    expect(answers.length).toBeGreaterThan(20)
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  }
})

test('WebSockets of an instance and event streams of the console end with the server, hold nothing up, and come again', async () => {
  const pid = await ready(Number.NaN)
  const socket = await openSocket()
  const stream = await openStream(`http://127.0.0.1:${port}`, { cookie: session })
  const ended = once(socket, 'close')
  const begun = performance.now()
  process.kill(pid, 'SIGTERM')
  await ended
  await until(async () => stream.ended(), Boolean)
  // Neither is waited for as a request is: that would last the whole FORGE_STOP_SECONDS.
  expect(performance.now() - begun).toBeLessThan(stopSeconds * 500)
  expect(await ready(pid)).not.toBe(pid)
  expect(keeper.lastExit()).toBe(0)
  // The instance has not noticed: whoever had the connection has it again.
  const again = await openSocket()
  const heard = once(again, 'message')
  again.send('warm')
  expect(String((await heard)[0])).toBe('warm')
  again.terminate()
  const next = await openStream(`http://127.0.0.1:${port}`, { cookie: session })
  next.close()
})

test('a second signal ends the wait, and the socket of the server is handed to no instance', async () => {
  const pid = await ready(Number.NaN)
  const socket = await readlink(`/proc/${pid}/fd/3`)
  const folder = join(home, 'instances', instance)
  const record = (await readdir(folder)).find((name) => /^record.*\.json$/.test(name))!
  const { pid: child } = JSON.parse(await readFile(join(folder, record), 'utf8')) as { pid: number }
  const fds = await readdir(`/proc/${child}/fd`)
  const open = await Promise.all(fds.map((fd) => readlink(`/proc/${child}/fd/${fd}`).catch(() => '')))
  expect(open).not.toContain(socket)
  const endless = ask('/slow?ms=60000', oven()).catch((error: Error) => error.message)
  await ask('/slow?ms=0', oven())
  process.kill(pid, 'SIGTERM')
  await until(
    () => readFile(join(home, 'platform.pid'), 'utf8'),
    (text) => text.includes('stopping'),
  )
  process.kill(pid, 'SIGTERM')
  expect(await endless).toBe('socket hang up')
  expect(await ready(pid)).not.toBe(pid)
})
