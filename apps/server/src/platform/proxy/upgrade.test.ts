import { createHash, randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { host, openStage, type Stage, unknown, until, valuesOf } from './testing/stage.ts'

const session = `ffs_${'a'.repeat(43)}`

let stage: Stage
const echo = new WebSocketServer({ noServer: true })
beforeAll(async () => {
  stage = await openStage()
  echo.on('connection', (socket) => socket.on('message', (data, binary) => socket.send(data, { binary })))
  echo.on('headers', (headers) =>
    headers.push(`Set-Cookie: sid=${session}`, 'Set-Cookie: own=1; Domain=localhost', 'Clear-Site-Data: "*"'),
  )
})
afterAll(() => stage.close())
afterEach(() => {
  stage.upstream.removeAllListeners('upgrade')
})

const echoing = () =>
  stage.upstream.on('upgrade', (request, socket, head) =>
    echo.handleUpgrade(request, socket, head, (one) => echo.emit('connection', one)),
  )
const refusing = (text: string | Buffer) => stage.upstream.on('upgrade', (_request, socket: Duplex) => socket.end(text))

const open = (headers: Record<string, string> = {}) =>
  new WebSocket(`ws://127.0.0.1:${stage.port}/comms?x=1`, { headers: { host, ...headers } })
const happened = (socket: WebSocket, event: string) => new Promise((resolve) => socket.once(event, resolve))
const handshake = [
  `GET /comms HTTP/1.1`,
  `Host: ${host}`,
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '',
  '',
].join('\r\n')

describe('a WebSocket to an upstream', () => {
  test('carries messages both ways, with the headers of the platform removed and the Origin as it was', async () => {
    echoing()
    let raw: string[] = []
    stage.upstream.on('upgrade', (request) => (raw = request.rawHeaders))
    const socket = open({
      cookie: `sid=${session}; a=1`,
      authorization: 'Bearer ffu_x',
      origin: 'http://elsewhere',
      'x-forwarded-for': '6.6.6.6',
    })
    let answer: string[] = []
    socket.on('upgrade', (response) => (answer = response.rawHeaders))
    await happened(socket, 'open')
    socket.send('hello')
    expect(String(await happened(socket, 'message'))).toBe('hello')
    expect(valuesOf(raw, 'cookie')).toEqual(['a=1'])
    expect(valuesOf(raw, 'authorization')).toEqual([])
    expect(valuesOf(raw, 'origin')).toEqual(['http://elsewhere'])
    expect(valuesOf(raw, 'x-forwarded-for')).toEqual(['127.0.0.1'])
    expect(valuesOf(answer, 'set-cookie')).toEqual(['own=1'])
    expect(valuesOf(answer, 'clear-site-data')).toEqual([])
    socket.close(4001, 'done')
    expect(await happened(socket, 'close')).toBe(4001)
  })

  test('carries 30 MB whole', async () => {
    echoing()
    const socket = open()
    await happened(socket, 'open')
    const sent = createHash('sha256')
    const received = createHash('sha256')
    let back = 0
    socket.on('message', (data: Buffer) => {
      received.update(data)
      back += data.length
    })
    for (let at = 0; at < 30; at++) {
      const piece = randomBytes(1_000_000)
      sent.update(piece)
      socket.send(piece)
    }
    await until(() => back === 30_000_000, 'everything came back')
    expect(received.digest('hex')).toBe(sent.digest('hex'))
    socket.terminate()
  })

  test('data that is sent before the agreement arrives after it', async () => {
    stage.upstream.on('upgrade', (_request, socket: Duplex, head: Buffer) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nfirst ')
      if (head.length > 0) socket.write(head)
      socket.on('data', (data) => socket.write(data)).on('end', () => socket.end(' last'))
    })
    const socket = connect({ port: stage.port, host: '127.0.0.1' })
    let text = ''
    socket.on('data', (piece) => (text += String(piece)))
    socket.end(`${handshake}early`)
    await new Promise((resolve) => socket.once('close', resolve))
    // The client had ended its side, and still got all that the upstream had to say.
    expect(text.split('\r\n\r\n')[1]).toBe('first early last')
  })

  test('an upstream that has ended its side still reads', async () => {
    let read = ''
    stage.upstream.on('upgrade', (_request, socket: Duplex) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nbye')
      socket.on('data', (data) => (read += String(data)))
    })
    const socket = connect({ port: stage.port, host: '127.0.0.1', allowHalfOpen: true })
    socket.resume().once('end', () => socket.end('late'))
    socket.write(handshake)
    await until(() => read !== '', 'the upstream reads on')
    expect(read).toBe('late')
  })

  test.each(['terminate', 'close'] as const)('ends at the upstream when the client ends it: %s', async (how) => {
    let ended = false
    stage.upstream.on('upgrade', (request, raw: Duplex, head) => {
      raw.on('close', () => (ended = true))
      echo.handleUpgrade(request, raw, head, (one) => echo.emit('connection', one))
    })
    const watched = open()
    await happened(watched, 'open')
    watched[how]()
    await until(() => ended, 'the upstream lost its client')
    expect(ended).toBe(true)
  })

  test('ends at the client when the upstream dies', async () => {
    stage.upstream.on('upgrade', (request, raw: Duplex, head) =>
      echo.handleUpgrade(request, raw, head, () => setImmediate(() => raw.destroy())),
    )
    const socket = open()
    socket.on('error', () => {})
    expect(await happened(socket, 'close')).toBe(1006)
  })

  test('ends when the proxy closes', async () => {
    const own = await openStage()
    own.upstream.on('upgrade', (request, raw, head) => echo.handleUpgrade(request, raw, head, () => {}))
    const socket = new WebSocket(`ws://127.0.0.1:${own.port}/`, { headers: { host } })
    await happened(socket, 'open')
    const closed = happened(socket, 'close')
    await own.close()
    expect(await closed).toBe(1006)
  })
})

describe('a WebSocket that is refused', () => {
  test('gets the answer of the upstream, however long', async () => {
    const body = Buffer.alloc(5_000_000, 'x')
    refusing(
      Buffer.concat([
        Buffer.from(`HTTP/1.1 401 Unauthorized\r\nSet-Cookie: sid=${session}\r\nX-Own: 1\r\nConnection: close\r\n\r\n`),
        body,
      ]),
    )
    const text = await stage.raw(handshake)
    expect(text).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\nX-Own: 1\r\n/)
    expect(text.match(/x/g)!.length).toBe(body.length)
  })

  test.each([
    ['an upstream that hangs up', () => refusing(''), 502],
    [
      'an upstream that is not there',
      () => (stage.destination = { kind: 'ready', endpoint: { socketPath: '/tmp/nowhere.sock' } }),
      503,
    ],
    ['a host that is not known', () => (stage.destination = unknown), 404],
  ])('gets a plain answer: %s', async (_name, arrange, status) => {
    const before = stage.destination
    arrange()
    expect(await stage.raw(handshake)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    stage.destination = before
  })

  test('sends nothing to the upstream behind the handshake', async () => {
    refusing('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
    stage.seen.length = 0
    await stage.raw(`${handshake}GET /smuggled HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    expect(stage.seen).toEqual([])
  })

  test('a client that gives up while it waits ends the request at the upstream', async () => {
    let state = 'on its way'
    stage.upstream.on('upgrade', (_request, socket: Duplex) => {
      state = 'there'
      socket.on('error', () => {}).on('close', () => (state = 'gone'))
      socket.on('end', () => socket.end()).resume()
    })
    const socket = connect({ port: stage.port, host: '127.0.0.1' })
    socket.write(handshake)
    await until(() => state === 'there', 'the request arrives')
    socket.resetAndDestroy()
    await until(() => state === 'gone', 'the request ends')
    expect(state).toBe('gone')
  })
})
