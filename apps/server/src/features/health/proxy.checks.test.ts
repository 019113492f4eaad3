import { createServer, request, type OutgoingHttpHeaders } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { freePort } from '../../../../../tools/test/free-port.ts'
import { startServer, type TestServer } from '../../../testing/index.ts'

const secret = 'a-secret-of-the-proxy-and-nobody-else'
let server: TestServer | undefined
let proxy: ReturnType<typeof createServer> | undefined
afterEach(async () => {
  await server?.close()
  proxy?.closeAllConnections()
  proxy?.close()
})

/** A platform whose public address is a reverse proxy on this machine that adds these headers. */
async function behind(adds: OutgoingHttpHeaders, config: { trustProxy?: string[]; proxySecret?: string }) {
  const [at, port] = [await freePort(), await freePort()]
  proxy = createServer((incoming, response) => {
    const { method, url, headers } = incoming
    const options = { host: '127.0.0.1', port, method, path: url, headers: { ...headers, ...adds } }
    incoming.pipe(request(options, (answer) => answer.pipe(response.writeHead(answer.statusCode!, answer.headers))))
  })
  await new Promise<void>((resolve) => proxy!.listen(at, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${at}`
  server = await startServer({ config: { port, baseUrl, ...config } })
  const admin = await server.build.user({ admin: true })
  const { checks } = await admin.client.call('health.check')
  return checks.find(({ part }) => part === 'Reverse proxy')
}

const forwards = { 'x-forwarded-for': '203.0.113.7' }

test('a proxy that is not believed is named, with its address', async () => {
  expect(await behind(forwards, {})).toMatchObject({
    state: 'warning',
    code: 'PROXY01',
    seen: 'X-Forwarded-For from 127.0.0.1 is ignored.',
  })
})

const shows = { 'x-forge-proxy-secret': secret }
test('a proxy that shows the secret is believed', async () => {
  expect(await behind({ ...forwards, ...shows }, { proxySecret: secret })).toMatchObject({
    state: 'ok',
    seen: 'X-Forwarded-For from 127.0.0.1 is believed.',
  })
})

test('a proxy that says nothing of the person is named', async () => {
  expect(await behind(shows, { proxySecret: secret })).toMatchObject({ state: 'warning', code: 'PROXY02' })
})

test.each([[['loopback']], [['127.0.0.1']], [['10.0.0.0/7']], [['::/1']]])(
  'believing %o is warned of: flows and others can connect from there',
  async (trustProxy) => {
    expect(await behind(forwards, { trustProxy })).toMatchObject({ state: 'warning', code: 'PROXY03' })
  },
)

test('without a proxy nothing is wrong', async () => {
  expect(await behind({}, {})).toMatchObject({ state: 'ok' })
})
