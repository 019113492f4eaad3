import { join } from 'node:path'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { host, openStage } from './testing/stage.ts'

/**
 * The upstream of the stage stands in for a process where nobody listens any more; with `isLate` only a moment after it
 * was asked for.
 */
async function withSpare({ isLate = false } = {}) {
  const stage = await openStage()
  const folder = await mkdtemp(join(tmpdir(), 'spare-'))
  onTestFinished(async () => {
    await stage.close()
    await rm(folder, { recursive: true, force: true })
  })
  stage.destination = {
    kind: 'ready',
    endpoint: { socketPath: join(folder, 'gone.sock') },
    spare: isLate ? async () => setImmediate({ socketPath: stage.socketPath }) : { socketPath: stage.socketPath },
  }
  return stage
}

test.each([false, true])(
  'what nobody takes goes to the other process with its body, also to a late one (%s)',
  async (isLate) => {
    const stage = await withSpare({ isLate })
    expect(await stage.ask([])).toMatch(/^HTTP\/1\.1 200 /)
    const body = 'x'.repeat(200_000)
    expect(await stage.ask([`Content-Length: ${body.length}`], 'POST /save HTTP/1.1', body)).toMatch(/^HTTP\/1\.1 200 /)
    expect(stage.seen.map((one) => [one.method, one.body.length])).toEqual([
      ['GET', 0],
      ['POST', body.length],
    ])
  },
)

test('a request that was sent to a process that ends meanwhile is not sent to the other', async () => {
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

test('the upstream is said not to answer if no other process comes in time', async () => {
  const stage = await withSpare()
  if (stage.destination.kind === 'ready') stage.destination.spare = async () => undefined
  expect(await stage.ask([])).toMatch(/^HTTP\/1\.1 503 /)
})

test('a WebSocket opens at the other process', async () => {
  const stage = await withSpare()
  stage.upstream.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\nhello'))
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
