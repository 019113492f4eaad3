import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request, type RequestOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { parse } from 'yaml'
import {
  type createStubDriver,
  freePort,
  instanceCalls,
  startServer,
  type TestServer,
  type TestUser,
  until,
} from './index.ts'

// The proxies get the very text of the handbook. Only ports, paths of certificates and the secret are replaced.
const pageOf = (name: string) => readFileSync(join(import.meta.dirname, '../../../docs', name), 'utf8')
const handbook = pageOf('addresses.md')
/** The page that nginx shows while the server restarts. */
const restarting = pageOf('restart.md')
  .split('```nginx\n')
  .map((part) => part.split('```')[0]!)
  .find((text) => text.startsWith('error_page'))!
const secret = 'a-secret-of-the-proxy-and-nobody-else'
const mb = 1024 * 1024

/** The block of the handbook below a title. */
const blockOf = (title: string) =>
  handbook
    .split(`### ${title}\n`)[1]!
    .split('```')[1]!
    .replace(/^\w*\n/, '')

type Options = Omit<RequestOptions, 'headers'> & { headers?: Record<string, string> }

interface Place {
  folder: string
  /** Where the proxy listens. */
  at: number
  /** Where the platform listens. */
  port: number
}
const written = ({ at, port }: Place, text: string) =>
  text
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
    .replaceAll('<the secret>', secret)
    .replaceAll('forge.example.com', 'forge.test')
    .replaceAll('apps.example.com', 'apps.test')
    .replace('listen 443 ssl', `listen 127.0.0.1:${at} ssl`)

const proxies = {
  nginx: {
    program: '/usr/sbin/nginx',
    args: ['-c'],
    text: (place: Place) => {
      const [server, maps] = written(place, blockOf('nginx'))
        .replace(/ssl_certificate .*;/, `ssl_certificate ${place.folder}/cert.pem;`)
        .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${place.folder}/key.pem;`)
        .split('# Beside the server block, in http:')
      return `daemon off; pid ${place.folder}/pid; error_log ${place.folder}/error.log; events {} http { access_log off;
        client_body_temp_path ${place.folder}/body; ${maps} ${server!.replace('location / {', `${restarting}\nlocation / {`)} }`
    },
  },
  caddy: {
    program: '/usr/bin/caddy',
    args: ['run', '--adapter', 'caddyfile', '--config'],
    text: (place: Place) =>
      `{\n admin off\n auto_https off\n}\n${written(place, blockOf('Caddy'))
        .replace('forge.test, *.apps.test {', `https://forge.test:${place.at}, https://*.apps.test:${place.at} {`)
        .replace('reverse_proxy', `tls ${place.folder}/cert.pem ${place.folder}/key.pem\n  reverse_proxy`)}`,
  },
}

const folders: string[] = []
let server: TestServer
const script = () => (server.driver as ReturnType<typeof createStubDriver>).script
let stop: (() => Promise<void>) | undefined
afterEach(async () => {
  await stop?.()
  await server?.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A platform with a running instance behind a proxy, which has the name forge.test. */
async function behind(name: keyof typeof proxies) {
  const { program, args, text } = proxies[name]
  const folder = mkdtempSync(join(tmpdir(), 'forge-proxy-'))
  folders.push(folder)
  // Workers of nginx run as a user of their own.
  chmodSync(folder, 0o711)
  const place = { folder, at: await freePort(), port: await freePort() }
  const subject = ['-subj', '/CN=forge.test', '-addext', 'subjectAltName=DNS:forge.test,DNS:*.apps.test']
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files], {
    stdio: 'pipe',
  })
  const file = join(folder, 'proxy.conf')
  writeFileSync(file, text(place))
  server = await startServer({
    config: {
      port: place.port,
      baseUrl: `https://forge.test:${place.at}`,
      instanceDomain: `apps.test:${place.at}`,
      proxySecret: secret,
    },
  })
  const child = spawn(program, [...args, file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: folder },
  })
  let said = ''
  child.stderr.on('data', (part: Buffer) => (said += part.toString()))
  stop = async () => {
    child.kill()
    if (child.exitCode === null) await once(child, 'exit')
  }
  /** As a browser that knows the names would: SNI and Host. */
  const open = (host: string, path: string, options: Options = {}) =>
    request({
      host: '127.0.0.1',
      port: place.at,
      servername: host,
      path,
      rejectUnauthorized: false,
      agent: false,
      ...options,
      headers: { host: `${host}:${place.at}`, ...options.headers },
    })
  async function ask(host: string, path: string, options: Options & { body?: Buffer } = {}) {
    const call = open(host, path, options)
    call.end(options.body)
    const [answer] = (await once(call, 'response')) as [import('node:http').IncomingMessage]
    const parts: Buffer[] = []
    for await (const part of answer) parts.push(part as Buffer)
    return { status: answer.statusCode, headers: answer.headers, text: Buffer.concat(parts).toString() }
  }
  await until(
    () =>
      ask('forge.test', '/livez').then(
        ({ status }) => status,
        () => said,
      ),
    (status) => status === 200,
  )
  const { owner, team } = await server.build.platform()
  const application = await server.build.application(owner, team)
  const { running } = instanceCalls(() => ({ server, owner, application }))
  const instance = await running('oven')
  return { ask, open, owner, instance, host: 'oven.apps.test' }
}

const cookieHeader = ({ cookie }: TestUser) => ({ cookie })

for (const name of ['nginx', 'caddy'] as const)
  describe.runIf(existsSync(proxies[name].program))(`behind ${name} as in the handbook`, () => {
    test('names, addresses, large bodies, WebSockets, streams and one HSTS each pass', {
      timeout: 180_000,
    }, async () => {
      const { ask, open, owner, instance, host } = await behind(name)
      // Host: console and instance are told apart.
      expect(JSON.parse((await ask('forge.test', '/api/v1/settings')).text)).toMatchObject({ setup: expect.anything() })
      const seen = JSON.parse((await ask(host, '/orders?a=1')).text) as { url: string; headers: Record<string, string> }
      expect(seen).toMatchObject({ url: '/orders?a=1' })
      expect(JSON.stringify(seen)).not.toContain(secret)
      // An invented address is not believed, and the one that connected is.
      const forged = JSON.parse(
        (await ask(host, '/', { headers: { 'x-forwarded-for': '6.6.6.6' } })).text,
      ) as typeof seen
      expect(forged.headers['x-forwarded-for']).toBe('127.0.0.1')

      const hsts = async (at: string) => (await ask(at, '/')).headers['strict-transport-security']
      expect([await hsts('forge.test'), await hsts(host)]).toEqual(['max-age=31536000', 'max-age=31536000'])

      const body = Buffer.alloc(60 * mb, 'a')
      expect((await ask(host, '/upload', { method: 'POST', body })).status).toBe(200)

      const sockets = new WebSocketServer({ noServer: true })
      script().onUpgrade(instance.id, (incoming, socket, head) =>
        sockets.handleUpgrade(incoming, socket, head, (client) => client.on('message', (data) => client.send(data))),
      )
      const upgrade = open(host, '/comms', {
        headers: {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': Buffer.alloc(16).toString('base64'),
        },
      })
      upgrade.end()
      const [answer, socket] = (await once(upgrade, 'upgrade')) as [
        import('node:http').IncomingMessage,
        import('node:net').Socket,
      ]
      expect(answer.statusCode).toBe(101)
      socket.destroy()

      // The first event comes while the stream is open: nothing buffers it.
      const stream = open('forge.test', '/api/v1/events', {
        headers: { accept: 'text/event-stream', ...cookieHeader(owner) },
      })
      stream.end()
      const [events] = (await once(stream, 'response')) as [import('node:http').IncomingMessage]
      expect(events.statusCode).toBe(200)
      await once(events, 'data')
      stream.destroy()

      // A flow that answers in two parts, and waits for its reader before the second.
      const { promise, resolve } = Promise.withResolvers<void>()
      script().onRequest(instance.id, (_request, response) => {
        response.write('one')
        void promise.then(() => response.end('two'))
      })
      const slow = open(host, '/parts')
      slow.end()
      const [parts] = (await once(slow, 'response')) as [import('node:http').IncomingMessage]
      expect(String((await once(parts, 'data'))[0])).toBe('one')
      resolve()
      expect(String((await once(parts, 'data'))[0])).toBe('two')
    })
  })

describe.runIf(existsSync(proxies.nginx.program))('nginx with the page of the handbook for restarts', () => {
  test('answers in the place of a server that is away, and leaves the refusals of the platform as they are', async () => {
    const { ask, host, owner, instance } = await behind('nginx')
    await owner.client.call('instance.suspend', { params: { instanceId: instance.id } })
    const refused = await until(
      () => ask(host, '/', { headers: { accept: 'text/html' } }),
      ({ status }) => status === 503,
    )
    expect(refused.text).toContain('is suspended')
    await server.close()
    const away = await ask('forge.test', '/')
    expect(away).toMatchObject({ status: 503, headers: { 'retry-after': '3', refresh: '3' } })
    expect(away.text).toContain('The platform is restarting.')
  })
})

test('the file for Traefik is YAML with the address of the server and the secret', () => {
  const { http } = parse(blockOf('Traefik')) as { http: { services: object; middlewares: object } }
  expect(JSON.stringify(http.services)).toContain('http://127.0.0.1:3000')
  expect(JSON.stringify(http.middlewares)).toContain('X-Forge-Proxy-Secret')
})

test('the file for nginx lets a flow take as long as it needs to answer', () => {
  expect(blockOf('nginx')).toContain('proxy_read_timeout 1h;')
})
