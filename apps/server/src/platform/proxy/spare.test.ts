import { join } from 'node:path'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { host, openStage } from './testing/stage.ts'

/** The instance of the stage stands in for a process where nobody listens any more. */
async function withSpare() {
  const stage = await openStage()
  const folder = await mkdtemp(join(tmpdir(), 'spare-'))
  onTestFinished(async () => {
    await stage.close()
    await rm(folder, { recursive: true, force: true })
  })
  stage.destination = {
    kind: 'ready',
    endpoint: { socketPath: join(folder, 'gone.sock') },
    spare: { socketPath: stage.socketPath },
  }
  return stage
}

test('what nobody takes the connection of goes to the other process, with its body', async () => {
  const stage = await withSpare()
  expect(await stage.ask([])).toMatch(/^HTTP\/1\.1 200 /)
  const body = 'x'.repeat(200_000)
  expect(await stage.ask([`Content-Length: ${body.length}`], 'POST /save HTTP/1.1', body)).toMatch(/^HTTP\/1\.1 200 /)
  expect(stage.seen.map((one) => [one.method, one.body.length])).toEqual([
    ['GET', 0],
    ['POST', body.length],
  ])
})

test('what was sent to a process that ends meanwhile is not sent to the other', async () => {
  const stage = await openStage()
  onTestFinished(() => stage.close())
  let asked = 0
  stage.early = (request) => {
    asked += 1
    request.resume()
    request.socket.destroy()
  }
  stage.destination = {
    kind: 'ready',
    endpoint: { socketPath: stage.socketPath },
    spare: { socketPath: stage.socketPath },
  }
  expect(await stage.ask(['Content-Length: 1'], 'POST /save HTTP/1.1', 'x')).toMatch(/^HTTP\/1\.1 502 /)
  expect(asked).toBe(1)
})

test('a WebSocket opens at the other process', async () => {
  const stage = await withSpare()
  stage.instance.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\nhello'))
  const answer = await stage.raw(
    [
      'GET /socket HTTP/1.1',
      `Host: ${host}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      '',
      '',
    ].join('\r\n'),
  )
  expect(answer).toMatch(/^HTTP\/1\.1 101 /)
})
