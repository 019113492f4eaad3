import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createPlatformClient, Refusal } from './platform.client.ts'

/** A client of a platform that gives these answers one after the other; `asked` counts the calls. */
async function answering(...answers: [status: number, code: string][]) {
  let asked = 0
  const server = createServer((_request, response) => {
    const [status, code] = answers[Math.min(asked, answers.length - 1)]!
    asked += 1
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ code, error: 'A sentence' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { client: createPlatformClient(`http://127.0.0.1:${port}`, 'token'), asked: () => asked }
}

test('a call that meets a full disk is refused at once, with the sentence of the platform', async () => {
  const { client, asked } = await answering([507, 'disk_full'])
  const refused = await client.call('/flows', { body: {} }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(Refusal)
  expect(refused).toMatchObject({ status: 507, code: 'disk_full', message: 'A sentence' })
  expect(asked()).toBe(1)
})

test('a call that the platform cannot answer for a moment is repeated', async () => {
  const { client, asked } = await answering([503, 'database_unavailable'], [429, 'too_many_requests'], [200, 'done'])
  expect(await client.call('/flows')).toMatchObject({ code: 'done' })
  expect(asked()).toBe(3)
})
