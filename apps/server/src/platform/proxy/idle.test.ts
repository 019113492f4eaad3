import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openStage } from './testing/stage.ts'

test('a connection that nobody uses is given up seconds before the upstream would close it', async () => {
  const stage = await openStage()
  onTestFinished(() => stage.close())
  expect(stage.upstream.keepAliveTimeout).toBe(5_000)
  const opened = once(stage.upstream, 'connection') as Promise<[Socket]>
  expect(await stage.ask([])).toMatch(/^HTTP\/1\.1 200 /)
  const answered = performance.now()
  const [socket] = await opened
  await once(socket, 'close')
  // A busy upstream has three seconds more to read what came just before that.
  expect(performance.now() - answered).toBeLessThan(3_000)
})

test('an answer may take longer than that', async () => {
  const stage = await openStage()
  onTestFinished(() => stage.close())
  stage.answer = (_request, response) => setTimeout(() => response.end('late'), 2_500)
  expect(await stage.ask(['Content-Length: 5'], 'POST /save HTTP/1.1', 'bread')).toMatch(/^HTTP\/1\.1 200 [^]*late/)
})
