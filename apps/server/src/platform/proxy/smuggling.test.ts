import { createServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { host, openStage, type Stage } from './testing/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())
beforeEach(() => {
  stage.seen.length = 0
  stage.answer = (request, response) => response.end(`answer to ${request.url}`)
})

const statuses = (text: string) => [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map((match) => match[1])
const inner = 'GET /smuggled HTTP/1.1\r\nHost: oven.localhost:3000\r\n\r\n'

describe('requests that two servers could read differently', () => {
  test.each([
    ['both lengths', `Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`],
    [
      'both lengths, chunks first',
      `Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n1\r\na\r\n0\r\n\r\n${inner}`,
    ],
    ['two lengths', `Content-Length: 0\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`],
    ['the same length twice', `Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi${inner}`],
    ['a list of lengths', `Content-Length: 2, 2\r\n\r\nhi${inner}`],
    ['a signed length', `Content-Length: +2\r\n\r\nhi${inner}`],
    [
      'a folded header',
      `X-A: 1\r\n Content-Length: ${inner.length}\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n${inner}`,
    ],
    ['a space before the colon', `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${inner}`],
    ['an unknown coding', `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${inner}`],
    ['two codings', `Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${inner}`],
    ['chunked twice', `Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`],
    ['chunked, then identity', `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${inner}`],
    ['a vertical tab', `Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n${inner}`],
    ['a bare line feed in the size', `Transfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n${inner}`],
    ['a negative size', `Transfer-Encoding: chunked\r\n\r\n-1\r\na\r\n0\r\n\r\n${inner}`],
    ['a carriage return in a header', `X-A: b\rTransfer-Encoding: chunked\r\n\r\n${inner}`],
    ['a null byte', `X-A: b\0\r\n\r\n${inner}`],
  ])('are refused, and nothing after them is read: %s', async (_name, rest) => {
    const text = await stage.raw(`POST /outer HTTP/1.1\r\nHost: ${host}\r\n${rest}`)
    expect(statuses(text)).toEqual(['400'])
    expect(text).toMatch(/connection: close/i)
    await stage.ask([], 'GET /after HTTP/1.1')
    expect(stage.seen.map((one) => one.url)).toEqual(['/after'])
  })

  test('an old client cannot send chunks', async () => {
    const text = await stage.raw(`POST / HTTP/1.0\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`)
    expect(text).toContain(' 400 ')
    expect(stage.seen).toEqual([])
  })

  test('pipelined requests stay apart and in order', async () => {
    const one = (path: string, rest = '\r\n') => `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${rest}`
    const text = await stage.raw(
      one('/1', 'Content-Length: 3\r\n\r\nGET') +
        one('/2', 'Transfer-Encoding: chunked\r\n\r\n3\r\nGET\r\n0\r\n\r\n') +
        one('/3', 'Connection: close\r\n\r\n'),
    )
    expect(text.match(/answer to \/\d/g)).toEqual(['answer to /1', 'answer to /2', 'answer to /3'])
    expect(stage.seen.map((seen) => seen.body).toSorted()).toEqual(['', 'GET', 'GET'])
  })

  test('an answer with two lengths is not passed on', async () => {
    const bad = createServer((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
    )
    await new Promise<void>((resolve) => bad.listen(0, '127.0.0.1', resolve))
    stage.destination = {
      kind: 'ready',
      endpoint: { host: '127.0.0.1', port: (bad.address() as { port: number }).port },
    }
    expect(statuses(await stage.ask([]))).toEqual(['502'])
    bad.close()
  })
})
