import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort, startServer, type TestServer } from '../../../testing/index.ts'

interface Answer {
  status: number | undefined
  text: string
}

/** A request under any name. */
function ask(server: TestServer, host: string, path = '/api/v1/settings', accept = 'application/json') {
  return new Promise<Answer>((resolve, reject) => {
    const call = request(`${server.address}${path}`, { headers: { host, accept } }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part))
      answer.on('end', () => resolve({ status: answer.statusCode, text }))
    })
    call.on('error', reject).end()
  })
}
const statusAt = async (server: TestServer, host: string, path?: string) => (await ask(server, host, path)).status

describe('a console below the domain of the instances', () => {
  let server: TestServer
  let port: number
  beforeAll(async () => {
    port = await freePort()
    const config = { port, baseUrl: `http://forge.example.com:${port}`, instanceDomain: `example.com:${port}` }
    server = await startServer({ config })
  })
  afterAll(() => server.close())

  test('answers there, and every other name is one of an instance', async () => {
    const names = ['forge', 'FORGE', 'demo', 'x.forge'].map((name) => `${name}.example.com:${port}`)
    expect(await Promise.all(names.map((name) => statusAt(server, name)))).toEqual([200, 200, 404, 404])
  })

  test('answers under no foreign name, of this machine neither, and says where it does', async () => {
    const own = `127.0.0.1:${port}`
    for (const name of [
      'evil.test',
      `evil.test:${port}`,
      'forge.example.com',
      `example.com:${port}`,
      `localhost:${port}`,
    ]) {
      expect([name, await statusAt(server, name)]).toEqual([name, 421])
      for (const path of ['/', '/login', '/api/v1/user', '/storage/x/flows', '/avatar/eA', '/account/authorize'])
        expect([name, path, await statusAt(server, name, path)]).toEqual([name, path, 421])
    }
    const { text } = await ask(server, 'evil.test', '/', 'text/html')
    expect(text).toContain(`http://forge.example.com:${port}`)
    expect(JSON.parse((await ask(server, 'evil.test')).text)).toMatchObject({ code: 'wrong_host', statusCode: 421 })
    // Instances of this machine call in here.
    expect(await statusAt(server, own)).toBe(200)
    expect(await statusAt(server, '127.0.0.1')).toBe(421)
  })

  test('lets programs that watch it ask under any name', async () => {
    for (const name of ['10.0.0.7:3000', `localhost:${port}`, 'evil.test']) {
      expect(await statusAt(server, name, '/livez')).toBe(200)
      expect(await statusAt(server, name, '/readyz')).toBe(200)
      expect(await statusAt(server, name, '/readyz/instances')).toBe(200)
      expect(await statusAt(server, name, '/metrics?x=1')).toBe(404)
      expect(await statusAt(server, name, '/livez/x')).toBe(421)
      expect(await statusAt(server, name, '/readyz/instances/x')).toBe(421)
    }
  })
})

test('on this machine alone, every name of the machine will do, on its own port', async () => {
  const server = await startServer()
  const { port } = server.config
  const names = [`localhost:${port}`, `LOCALHOST.:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]
  expect(await Promise.all(names.map((name) => statusAt(server, name)))).toEqual([200, 200, 200, 200])
  const foreign = ['localhost:9999', 'localhost', 'evil.test', `evil.test:${port}`, `10.0.0.7:${port}`]
  expect(await Promise.all(foreign.map((name) => statusAt(server, name)))).toEqual([421, 421, 421, 421, 421])
  expect(await statusAt(server, `demo.localhost:${port}`)).toBe(404)
  await server.close()
})
