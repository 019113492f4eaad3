import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request, type OutgoingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../../tools/test/free-port.ts'
import { startServer, type TestServer, until } from '../../../testing/index.ts'

const secret = 'a-secret-of-the-proxy-and-nobody-else'
const nginx = '/usr/sbin/nginx'
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

/** The program itself, with these lines in its `location`. */
async function behindNginx(lines: string) {
  const folder = mkdtempSync(join(tmpdir(), 'forge-nginx-'))
  // Its workers run as a user of their own.
  chmodSync(folder, 0o711)
  const [at, port] = [await freePort(), await freePort()]
  const file = join(folder, 'nginx.conf')
  const passes = 'proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $remote_addr;'
  writeFileSync(
    file,
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {} http { access_log off;
    client_body_temp_path ${folder}/body; server { listen 127.0.0.1:${at};
    location / { proxy_pass http://127.0.0.1:${port}; ${passes}
    proxy_set_header X-Forge-Proxy-Secret ${secret}; ${lines} } } }`,
  )
  const child = spawn(nginx, ['-c', file], { stdio: 'ignore' })
  onTestFinished(async () => {
    child.kill()
    if (child.exitCode === null) await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  })
  server = await startServer({ config: { port, baseUrl: `http://127.0.0.1:${at}`, proxySecret: secret } })
  const admin = await server.build.user({ admin: true })
  await until(
    () =>
      fetch(`http://127.0.0.1:${at}/livez`).then(
        ({ status }) => status,
        () => 0,
      ),
    (status) => status === 200,
  )
  const { checks } = await admin.client.call('health.check')
  return checks.find(({ part }) => part === 'Reverse proxy')
}

describe.runIf(existsSync(nginx))('nginx in front', () => {
  test('its own limit of bodies is named', async () => {
    expect(await behindNginx('proxy_buffering off;')).toMatchObject({ state: 'warning', code: 'PROXY04' })
  })

  test('answers that it holds back are named', async () => {
    expect(await behindNginx('client_max_body_size 64m;')).toMatchObject({ state: 'warning', code: 'PROXY05' })
  })

  test('with the lines of the handbook all is well', async () => {
    expect(await behindNginx('client_max_body_size 64m; proxy_http_version 1.1; proxy_buffering off;')).toMatchObject({
      state: 'ok',
    })
  })
})

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

test.each([[['loopback']], [['127.0.0.1']], [['10.0.0.0/7']], [['::/1']], [['::ffff:0:0/97']]])(
  'believing %o is warned of: flows and others can connect from there',
  async (trustProxy) => {
    expect(await behind(forwards, { trustProxy })).toMatchObject({ state: 'warning', code: 'PROXY03' })
  },
)

test('without a proxy nothing is wrong', async () => {
  expect(await behind({}, {})).toMatchObject({ state: 'ok' })
})
