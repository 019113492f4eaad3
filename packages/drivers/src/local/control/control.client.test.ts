import type { WatchLine } from '@app/contract/instance-link'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readInfo, watchRuntime } from './control.client.ts'
import { controlSocketOf } from '../paths.ts'

/** A socket on which flows answer in the place of their instance. */
async function answering(listener: RequestListener) {
  const socketDir = mkdtempSync(join(tmpdir(), 'forge-control-'))
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(controlSocketOf(socketDir), resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    rmSync(socketDir, { recursive: true, force: true })
  })
  return { socketDir, controlToken: 'token' }
}

test('an answer that comes drop by drop and never ends is given up, as an instance that nobody could stop would be', async () => {
  const target = await answering((_request, response) => {
    const drops = setInterval(() => response.write(' '), 50)
    response.on('close', () => clearInterval(drops))
  })
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const answer = readInfo(target)
  vi.advanceTimersByTime(5_000)
  await expect(answer).rejects.toThrow('The instance does not answer')
})

test('what flows tell without end in the place of their instance is read at a pace, and is no more than they can know', async () => {
  let told = ''
  const target = await answering((request, response) => {
    if (request.url!.endsWith('/info'))
      return void response.end(JSON.stringify({ id: 'one', pid: 1, state: 'running' }))
    const lines = [{ state: 'crashed' }, { state: 'running', lastStartTime: 1e300 }, { state: 'running' }]
    const many = lines.map((status) => `${JSON.stringify({ status })}\n`).join('')
    const go = () => {
      while (response.write(many.repeat(1_000)));
    }
    response.on('drain', go)
    go()
  })
  const states: object[] = []
  const onLine = (line: WatchLine) => 'status' in line && states.push(line.status)
  onTestFinished(watchRuntime(target, undefined, onLine, () => (told = 'the end')))
  await expect.poll(() => states.length > 0).toBe(true)
  // The platform has time for something else.
  for (let n = 0; n < 20; n += 1) expect(await readInfo(target)).toMatchObject({ id: 'one' })
  // The states that came in one piece.
  expect(states.length).toBeLessThan(3_000)
  expect(states).toContainEqual({ state: 'running' })
  expect(new Set(states.map((state) => JSON.stringify(state))).size).toBe(1)
  expect(told).toBe('')
})
