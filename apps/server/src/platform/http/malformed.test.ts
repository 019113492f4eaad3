import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { openServer } from '../../../testing/index.ts'

const server = await openServer()

/** The answer to these bytes. */
async function answer(sent: string) {
  const { hostname, port } = new URL(server.address)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(sent)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  return { head, json: JSON.parse(body) as { code: string; statusCode: number } }
}

test('a browser that was given too many cookies for any request to fit forgets them, and its person is told', async () => {
  const cookies = Array.from({ length: 20 }, (_, n) => `bomb${n}=${'x'.repeat(1_000)}`).join('; ')
  const { head, json } = await answer(`GET / HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookies}\r\n\r\n`)
  expect(head).toMatch(/^HTTP\/1\.1 431 /)
  expect(head).toContain('clear-site-data: "cookies"')
  expect(json).toMatchObject({ code: 'too_large', statusCode: 431, message: expect.stringContaining('load this page') })
})

test('an address that is too long, as any page may have a browser ask for, takes no cookie away', async () => {
  const { head, json } = await answer(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\nCookie: sid=1\r\n\r\n`)
  expect(head).toMatch(/^HTTP\/1\.1 431 /)
  expect(head).not.toContain('clear-site-data')
  expect(json).toMatchObject({ code: 'too_large' })
})

test('a request that is not HTTP is refused in the words of every other refusal, and no cookie is lost', async () => {
  for (const sent of [
    'GET / HTTP/1.1\nHost: localhost\n\n',
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n folded\r\n\r\n',
  ]) {
    const { head, json } = await answer(sent)
    expect(head).toMatch(/^HTTP\/1\.1 400 [^]*nosniff/)
    expect(head).not.toContain('clear-site-data')
    expect(json).toMatchObject({ code: 'invalid_request', statusCode: 400 })
  }
})
