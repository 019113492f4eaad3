import { createHash } from 'node:crypto'
import { request as send, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { host, openStage, type Stage, until, valuesOf } from './testing/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())
beforeEach(() => {
  stage.seen.length = 0
  stage.answer = (request, response) => response.end(`answer to ${request.url}`)
  stage.early = undefined
})
const statuses = (text: string) => [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map((match) => match[1])

describe('kinds of messages', () => {
  test('HTTP/1.0 gets an answer without chunks, ended by the connection', async () => {
    stage.answer = (_request, response) => void response.write('a', () => response.end('b'))
    const text = await stage.raw(`GET / HTTP/1.0\r\nHost: ${host}\r\n\r\n`)
    expect(text).not.toMatch(/transfer-encoding/i)
    expect(text.endsWith('\r\n\r\nab')).toBe(true)
  })

  test('HEAD keeps the length and has no body', async () => {
    stage.answer = (_request, response) => response.writeHead(200, { 'content-length': 1000 }).end()
    const text = await stage.ask([], 'HEAD / HTTP/1.1')
    expect(text).toMatch(/content-length: 1000/i)
    expect(text.endsWith('\r\n\r\n')).toBe(true)
  })

  test.each([204, 304])('%i has no body', async (status) => {
    stage.answer = (_request, response) => response.writeHead(status, { etag: '"1"' }).end()
    const text = await stage.ask([])
    expect(statuses(text)).toEqual([String(status)])
    expect(text.endsWith('\r\n\r\n')).toBe(true)
  })

  test('a body is asked for only when the upstream asks for it', async () => {
    const requested = (path: string) =>
      send({
        host: '127.0.0.1',
        port: stage.port,
        path,
        method: 'POST',
        headers: { host, expect: '100-continue', 'content-length': 2, connection: 'close' },
      })
    stage.early = (request, response) => {
      if (request.url === '/no') return response.writeHead(413).end()
      response.writeContinue()
      return request.resume().on('end', () => response.end('taken'))
    }
    const yes = requested('/yes')
    yes.flushHeaders()
    await new Promise((resolve) => yes.once('continue', resolve))
    yes.end('hi')
    expect((await answerTo(yes)).statusCode).toBe(200)
    const no = requested('/no')
    let asked = false
    no.once('continue', () => (asked = true))
    no.flushHeaders()
    expect((await answerTo(no)).statusCode).toBe(413)
    expect(asked).toBe(false)
    no.destroy()
  })

  test('early hints and trailers of an upstream pass, bytes of headers stay the same', async () => {
    stage.answer = (_request, response) => {
      response.writeEarlyHints({ link: '</a.css>; rel=preload' })
      response.writeHead(200, ['X-Own', 'caf\xe9', 'Trailer', 'X-Sum']).write(Buffer.from('body'))
      response.addTrailers({ 'X-Sum': '1', 'Set-Cookie': `sid=ffs_${'a'.repeat(43)}` })
      response.end()
    }
    const text = await stage.ask(['X-Own: caf\xe9', 'Content-Length: 0'], 'POST / HTTP/1.1')
    expect(statuses(text)).toEqual(['103', '200'])
    expect(text).toContain('X-Own: caf\xe9\r\n')
    expect(text).toContain('0\r\nX-Sum: 1\r\n\r\n')
    expect(text).not.toContain('evil')
    expect(valuesOf(stage.seen[0]!.rawHeaders, 'x-own')).toEqual(['caf\xe9'])
  })
})

function answerTo(request: ReturnType<typeof send>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => request.once('response', resolve).once('error', reject))
}

const ask = (options: object) =>
  send({ host: '127.0.0.1', port: stage.port, agent: false, ...options, headers: { host } })

/** Waits until a figure has stopped changing. Both ends are in this process, so turns of its loop measure it. */
async function standstill(figure: () => number): Promise<void> {
  let before = -1
  let turns = 0
  await until(() => {
    turns = figure() === before ? turns + 1 : 0
    before = figure()
    return turns > 1000
  }, 'a standstill')
}

describe('streams', () => {
  test('40 MB go in and out whole, and neither side is read faster than the other', async () => {
    const piece = Buffer.alloc(64 * 1024, 'flow')
    const count = 640
    stage.early = (request, response) => void request.pipe(response)
    const request = ask({ method: 'POST' })
    const answer = answerTo(request)
    const sent = createHash('sha256')
    let written = 0
    const write = (): void => {
      for (; written < count; written++) {
        sent.update(piece)
        if (!request.write(piece)) {
          written++
          return void request.once('drain', write)
        }
      }
      request.end()
    }
    write()
    const response = await answer
    // Nobody reads: what is under way fits into the buffers between, far below the whole.
    await standstill(() => written)
    expect(written).toBeLessThan(count)
    const received = createHash('sha256')
    for await (const chunk of response) received.update(chunk as Buffer)
    expect(received.digest('hex')).toBe(sent.digest('hex'))
  })

  test('an answer that nobody reads waits at the upstream', async () => {
    let written = 0
    stage.answer = (_request, response) => {
      const piece = Buffer.alloc(64 * 1024)
      const write = () => {
        while (written++ < 640 && response.write(piece));
        response.once('drain', write)
      }
      write()
    }
    const request = ask({}).on('error', () => {})
    request.end()
    const response = await answerTo(request)
    response.on('error', () => {})
    await standstill(() => written)
    expect(written).toBeLessThan(640)
    request.destroy()
  })

  test('each piece arrives when it is sent, not at the end', async () => {
    let push: (text: string) => void = () => {}
    stage.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      push = (text) => response.write(text)
    }
    const request = ask({})
    request.end()
    const response = await answerTo(request)
    push('one')
    expect(String(await new Promise((resolve) => response.once('data', resolve)))).toBe('one')
    request.destroy()
  })

  test.each(['GET /waiting', 'GET /answering', 'POST /sending'])(
    'a client that leaves ends its request at the upstream: %s',
    async (line) => {
      const [method, path] = line.split(' ')
      let state = 'on its way'
      stage.early = (request, response) => {
        state = 'there'
        request.resume()
        response.once('close', () => (state = 'gone'))
        if (path === '/answering') response.write('a')
      }
      const request = ask({ path, method }).on('error', () => {})
      if (method === 'POST') request.write('a')
      else request.end()
      await until(() => state === 'there', 'the request arrives')
      if (path === '/answering') await answerTo(request)
      request.destroy()
      await until(() => state === 'gone', 'the request ends')
      expect(state).toBe('gone')
    },
  )

  /** Half an exchange, whose upstream dies in the middle of its answer. */
  async function halfOf(version: string) {
    stage.answer = (_request, response) => void response.write('half', () => response.socket!.destroy())
    const socket = connect({ port: stage.port, host: '127.0.0.1' })
    const got = { text: '', reset: false }
    socket.on('data', (piece) => (got.text += String(piece))).on('error', () => (got.reset = true))
    socket.write(`GET / ${version}\r\nHost: ${host}\r\n\r\n`)
    await new Promise((resolve) => socket.once('close', resolve))
    return got
  }

  test('an upstream that dies in the middle of its answer leaves the chunks without an end', async () => {
    expect((await halfOf('HTTP/1.1')).text).toMatch(/half\r\n$/)
  })

  test('for a client without chunks, only a reset tells an answer that broke off from one that ended', async () => {
    expect((await halfOf('HTTP/1.0')).reset).toBe(true)
  })

  test('an early answer arrives although the body was not read', async () => {
    stage.early = (_request, response) => response.writeHead(413).end('too large')
    const request = ask({ method: 'POST' }).on('error', () => {})
    request.write(Buffer.alloc(1_000_000))
    expect((await answerTo(request)).statusCode).toBe(413)
    request.destroy()
  })
})

describe('connections to an upstream', () => {
  test('one that died idle is replaced without the client noticing, for GET only', async () => {
    await stage.ask([])
    let count = 0
    const answer = stage.early
    stage.early = (request, response) => {
      count++
      if (count === 1) return void request.socket.destroy()
      return response.end('second')
    }
    expect(await stage.ask([])).toContain('second')
    expect(count).toBe(2)
    stage.early = answer
    await stage.ask([])
    count = 0
    stage.early = (request) => {
      count++
      request.socket.destroy()
    }
    expect(statuses(await stage.ask(['Content-Length: 0'], 'POST / HTTP/1.1'))).toEqual(['502'])
    expect(count).toBe(1)
  })
})
