import { linkTls } from '@app/contract/instance-link.constants'
import { proofOf } from '@app/drivers/proven'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { host, openStage } from './testing/stage.ts'

const token = 'the token of a launch'
const upgraded = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket'

/** The upstream of the stage also answers on a port, for whoever has the key of this token. */
async function begin() {
  const stage = await openStage()
  let connections = 0
  const psk = Buffer.from(proofOf(token, 'http'), 'base64url')
  const front = createServer({
    ...linkTls,
    allowHalfOpen: true,
    pskCallback: (_socket, identity) => (identity === 'http' ? psk : null),
  })
  front.on('secureConnection', (socket) => {
    connections += 1
    stage.upstream.emit('connection', socket)
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    await stage.close()
    front.close()
  })
  const { port } = front.address() as AddressInfo
  const endpointOf = (launch: string) => ({ host: '127.0.0.1', port, proof: proofOf(launch, 'http') })
  stage.destination = { kind: 'ready', endpoint: endpointOf(token) }
  return { stage, endpointOf, connections: () => connections }
}

test('requests reach an upstream that answers on a port, with their bodies, over connections that are kept', async () => {
  const { stage, connections } = await begin()
  const body = 'x'.repeat(200_000)
  expect(await stage.ask([])).toMatch(/^HTTP\/1\.1 200 /)
  expect(await stage.ask([`Content-Length: ${body.length}`], 'POST /save HTTP/1.1', body)).toMatch(/^HTTP\/1\.1 200 /)
  expect(stage.seen.map((one) => [one.method, one.body.length])).toEqual([
    ['GET', 0],
    ['POST', body.length],
  ])
  expect(connections()).toBe(1)
})

test('a process with another key gets nothing; what was for the other goes to the spare with its body', async () => {
  const { stage, endpointOf } = await begin()
  // A connection to the same address is kept, with the other key.
  expect(await stage.ask([])).toMatch(/^HTTP\/1\.1 200 /)
  stage.destination = { kind: 'ready', endpoint: endpointOf('the launch before') }
  expect(await stage.ask(['Content-Length: 5'], 'POST /save HTTP/1.1', 'bread')).toMatch(/^HTTP\/1\.1 503 /)
  stage.destination = { ...stage.destination, spare: endpointOf(token) }
  expect(await stage.ask(['Content-Length: 5'], 'POST /save HTTP/1.1', 'bread')).toMatch(/^HTTP\/1\.1 200 /)
  expect(stage.seen.map(({ body }) => body)).toEqual(['', 'bread'])
})

test('a WebSocket opens over a port too', async () => {
  const { stage } = await begin()
  stage.upstream.on('upgrade', (_request, socket) => socket.end(`${upgraded}\r\n\r\nhello`))
  const head = ['GET /socket HTTP/1.1', `Host: ${host}`, 'Connection: Upgrade', 'Upgrade: websocket']
  expect(await stage.raw([...head, '', ''].join('\r\n'))).toMatch(/^HTTP\/1\.1 101 [^]*hello$/)
})
