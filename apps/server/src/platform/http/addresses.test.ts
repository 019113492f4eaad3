import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort, startServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let port: number
beforeAll(async () => {
  port = await freePort()
  const config = { port, baseUrl: `http://forge.example.com:${port}`, instanceDomain: `example.com:${port}` }
  server = await startServer({ config })
})
afterAll(() => server.close())

/** The status of the settings, which only the console has, under this name. */
function statusAt(name: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = request(`${server.address}/api/v1/settings`, { headers: { host: `${name}:${port}` } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    call.on('error', reject).end()
  })
}

test('a console below the domain of the instances answers there, and every other name is one of an instance', async () => {
  expect(
    await Promise.all(['forge', 'FORGE', 'demo', 'x.forge'].map((name) => statusAt(`${name}.example.com`))),
  ).toEqual([200, 200, 404, 404])
})
