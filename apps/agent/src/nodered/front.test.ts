import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../tools/test/free-port.ts'
import { openFront } from './front.ts'

interface Serving {
  id: string
  at: { host: string; port: number }
}

/** A program that answers, in the place of a Node-RED. */
async function answering(id: string, listener: RequestListener): Promise<Serving> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { id, at: { host: '127.0.0.1', port: (server.address() as AddressInfo).port } }
}

/** Says who answers, and repeats what was sent. */
const repeats =
  (id: string): RequestListener =>
  (request, response) => {
    response.write(`${id}: `)
    request.pipe(response)
  }

/** A front, what is behind it, which changes, and one where nobody listens. */
async function begin() {
  const behind: { now: Serving | undefined } = { now: undefined }
  const port = await freePort()
  let asked = 0
  const serving = () => {
    asked += 1
    return behind.now
  }
  const front = await openFront(port, serving, () => false)
  onTestFinished(() => front.close())
  const ended: Serving = { id: 'ended', at: { host: '127.0.0.1', port: await freePort() } }
  async function send(body: string) {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })
    return { status: answer.status, text: await answer.text() }
  }
  return { behind, front, ended, send, asked: () => asked }
}

test('what is sent to a version that has ended while it takes over comes whole to the one before', async () => {
  const { behind, front, ended, send, asked } = await begin()
  const change = Promise.withResolvers<void>()
  const over = front.during(() => change.promise)
  behind.now = ended
  const body = 'rye '.repeat(100_000)
  const [sent, waits] = [send(body), send('spelt')]
  await expect.poll(asked).toBe(2)
  behind.now = await answering('before', repeats('before'))
  change.resolve()
  await over
  expect(await sent).toEqual({ status: 200, text: `before: ${body}` })
  expect(await waits).toEqual({ status: 200, text: 'before: spelt' })
})

test('a takeover that fails lets those go on that wait', async () => {
  const { behind, front, ended, send, asked } = await begin()
  const change = Promise.withResolvers<void>()
  const over = front.during(() => change.promise)
  behind.now = ended
  const waits = send('spelt')
  await expect.poll(asked).toBe(1)
  behind.now = await answering('before', repeats('before'))
  change.reject(new Error('not taken over'))
  await expect(over).rejects.toThrow('not taken over')
  expect(await waits).toEqual({ status: 200, text: 'before: spelt' })
})

test('one that nobody takes is told to come again; one that breaks off may have been handled, and is not', async () => {
  const { behind, ended, send } = await begin()
  expect((await send('')).status).toBe(503)
  behind.now = ended
  expect((await send('')).status).toBe(503)
  behind.now = await answering('breaks', (request) => void request.socket.destroy())
  expect((await send('')).status).toBe(502)
})
