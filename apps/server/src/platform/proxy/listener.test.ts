import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { host, openStage, type Stage, unknown, valuesOf } from './testing/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())
afterEach(() => {
  stage.destination = { kind: 'ready', endpoint: { socketPath: stage.socketPath } }
})

const get = (hosts: string[], target = '/') =>
  stage.raw(
    [`GET ${target} HTTP/1.1`, ...hosts.map((name) => `Host: ${name}`), 'Connection: close', '', ''].join('\r\n'),
  )

describe('the Host header decides who answers', () => {
  test.each(['localhost:3000', 'LocalHost:3000', 'localhost.:03000'])('the console: %s', async (name) => {
    expect(await get([name], '/login')).toContain('console /login')
  })

  test.each(['oven.localhost:3000', 'OVEN.localhost:3000', 'oven.localhost.:3000'])(
    'the upstream: %s',
    async (name) => {
      expect(await get([name])).toMatch(/^HTTP\/1\.1 200 .*ok$/s)
    },
  )

  test.each(['other.localhost:3000', 'a.oven.localhost:3000'])('nobody: %s', async (name) => {
    expect(await get([name])).toMatch(/^HTTP\/1\.1 404 /)
  })

  test.each(['localhost', 'oven.localhost', '127.0.0.1', '[::1]:3000', 'evil.test'])('foreign: %s', async (name) => {
    expect(await get([name])).toMatch(/^HTTP\/1\.1 421 /)
    expect(await get([name], '/readyz')).toContain('console /readyz')
  })

  test.each([
    [[]],
    [['']],
    [['oven.localhost:3000', 'oven.localhost:3000']],
    [['localhost:3000', 'oven.localhost:3000']],
    [['oven.localhost:3000, localhost:3000']],
    [['oven.localhost:99999']],
    [['oven.localhost:']],
    [['user@oven.localhost:3000']],
    [['oven.localhost:3000/x']],
    [['-oven.localhost']],
    [['oven..localhost']],
    [['oven.localhost:3000#']],
    [['ov\xe9n.localhost:3000']],
  ])('a Host that is missing, doubled or malformed is refused: %j', async (hosts) => {
    expect(await get(hosts)).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('a target with a host of its own must name the same one', async () => {
    expect(await get([host], `http://${host}/path?x=1`)).toMatch(/^HTTP\/1\.1 200 /)
    expect(stage.seen.at(-1)!.url).toBe('/path?x=1')
    expect(await get(['localhost:3000'], 'HTTP://localhost:3000')).toContain('console /')
    for (const target of ['http://localhost:3000/', 'http://oven.localhost/', `ftp://${host}/`, 'path', '*']) {
      expect(await get([host], target)).toMatch(/^HTTP\/1\.1 400 /)
    }
    expect(await get(['localhost:3000'], `http://${host}/`)).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('offers of other protocols are declined', async () => {
    const text = await stage.ask(['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: x'])
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(valuesOf(stage.seen.at(-1)!.rawHeaders, 'upgrade')).toEqual([])
    const lines = ['Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 2']
    expect(await stage.ask(lines, 'GET /body HTTP/1.1', 'hi')).toMatch(/^HTTP\/1\.1 200 /)
    expect(stage.seen.at(-1)!.body).toBe('hi')
    expect(
      await stage.raw(
        'GET / HTTP/1.1\r\nHost: localhost:3000\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
      ),
    ).toContain('console /')
    expect(await stage.raw(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toBe('')
  })
})

describe('an upstream that does not listen', () => {
  test('is not reachable for now', async () => {
    stage.destination = { kind: 'ready', endpoint: { socketPath: '/tmp/nowhere.sock' } }
    expect(await stage.ask([])).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 2\r\n/)
  })
})

test.each([
  ['is awaited', async () => unknown, 404],
  ['fails', () => Promise.reject(new Error('no database')), 503],
])('an answer about a host that %s', async (_name, resolve, status) => {
  const own = await openStage({ resolve })
  expect(await own.ask([])).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  await own.close()
})
