import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openStage } from './testing/stage.ts'

const get = 'GET / HTTP/1.1\r\nHost: localhost:3000\r\n\r\n'

/** A connection that was used once and is kept, with all that it has received since. */
async function kept(port: number) {
  const socket = connect(port, '127.0.0.1')
  const received: string[] = []
  socket.on('error', (error) => void received.push(error.message))
  socket.setEncoding('utf8').write(get)
  await once(socket, 'data')
  socket.on('data', (part: string) => void received.push(part))
  return { socket, text: () => received.join('') }
}

/** Nothing runs in this process for so long, as on a machine with too much to do. */
const stall = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('a request that came over a kept connection while the process stood still is answered before it stops', async () => {
  const stage = await openStage()
  onTestFinished(() => stage.close())
  const { socket, text } = await kept(stage.port)
  const closed = once(socket, 'close')
  const drained = stage.server.drain(30, new AbortController().signal)
  // Until it waits for its next look.
  for (let turns = 0; turns < 3; turns += 1) await turn()
  socket.write(get)
  stall(2_200)
  await drained
  stage.server.closeAllConnections()
  await closed
  expect(text()).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*console \//i)
})

test('a connection without a request is closed by the end of it, so that no request is sent over it any more', async () => {
  const stage = await openStage()
  onTestFinished(() => stage.close())
  const { socket, text } = await kept(stage.port)
  const closed = once(socket, 'close')
  await stage.server.drain(30, new AbortController().signal)
  await closed
  expect(text()).toBe('')
})
