import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request, type RequestOptions } from 'node:https'
import type { Socket } from 'node:net'
import { connect, type SecureVersion } from 'node:tls'
import { afterEach, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { connectBroker, embeddedBroker } from './broker.ts'
import {
  createAuthority,
  freePort,
  instanceCalls,
  password,
  startServer,
  type TestServer,
  type TestUser,
  until,
} from './index.ts'

type Options = Omit<RequestOptions, 'headers'> & { headers?: Record<string, string>; body?: string }

const names = ['forge.test', '*.apps.test']
const webSocket = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': Buffer.alloc(16).toString('base64'),
}
let server: TestServer
let owner: TestUser
let application: { id: string }
afterEach(() => server.close())
const { running, script } = instanceCalls(() => ({ server, owner, application }))

/** A platform that shows a certificate of an authority that its clients trust, and no other. */
async function encrypted({
  certified = names,
  host: consoleHost = 'forge.test',
  domain = 'apps.test',
  config = {},
}: {
  certified?: readonly string[]
  host?: string
  domain?: string
  config?: NonNullable<Parameters<typeof startServer>[0]>['config']
} = {}) {
  const authority = createAuthority()
  authority.issue(certified)
  const [port, redirectPort] = [await freePort(), await freePort()]
  const tls = { source: { kind: 'files' as const, ...authority.files }, host: '127.0.0.1', port, redirectPort }
  server = await startServer({
    config: { baseUrl: `https://${consoleHost}:${port}`, instanceDomain: `${domain}:${port}`, tls, ...config },
  })
  const { admin, owner: user, team } = await server.build.platform()
  owner = user
  application = await server.build.application(owner, team)
  const trusted = (host: string) => ({ host: '127.0.0.1', port, servername: host, ca: authority.ca })
  const open = (host: string, path: string, { body, ...options }: Options = {}) =>
    request({
      ...trusted(host),
      path,
      agent: false,
      ...options,
      headers: { host: `${host}:${port}`, ...options.headers },
    }).end(body)
  async function ask(host: string, path: string, options: Options = {}) {
    const [answer] = (await once(open(host, path, options), 'response')) as [IncomingMessage]
    return { status: answer.statusCode, headers: answer.headers, text: await textOf(answer) }
  }
  async function health() {
    const { checks } = await admin.client.call('health.check')
    return (part: string) => checks.find((check) => check.part === part)
  }
  return { authority, port, redirectPort, trusted, open, ask, health }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of answer) text += String(part)
  return text
}

/** The fingerprint that a new connection sees. */
async function shownAt(options: { host: string; port: number; servername: string; ca: string }): Promise<string> {
  const socket = connect(options)
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

test('the console, its stream, an instance and WebSockets answer over TLS, and the address of the person is the true one', async () => {
  const { ask, open } = await encrypted()
  const instance = await running('oven')
  // Instances have a domain of their own here, so each says for itself that browsers use TLS alone.
  const strict = { 'strict-transport-security': 'max-age=31536000' }
  expect(await ask('forge.test', '/livez')).toMatchObject({ status: 200, headers: strict })
  const orders = await ask('oven.apps.test', '/orders', { headers: { 'x-forwarded-for': '6.6.6.6' } })
  expect(orders.headers).toMatchObject(strict)
  const seen = JSON.parse(orders.text)
  expect(seen).toMatchObject({
    url: '/orders',
    headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' },
  })

  const events = open('forge.test', '/api/v1/events', {
    headers: { accept: 'text/event-stream', cookie: owner.cookie },
  })
  const [stream] = (await once(events, 'response')) as [IncomingMessage]
  expect(stream.statusCode).toBe(200)
  await once(stream, 'data')
  events.destroy()

  const sockets = new WebSocketServer({ noServer: true })
  script().onUpgrade(instance.id, (incoming, socket, head) =>
    sockets.handleUpgrade(incoming, socket, head, (client: WebSocket) => client.send('hello')),
  )
  const upgrade = open('oven.apps.test', '/comms', { headers: webSocket })
  const [answer, socket] = (await once(upgrade, 'upgrade')) as [IncomingMessage, Socket]
  expect(answer.statusCode).toBe(101)
  socket.destroy()
})

test('a sign-in sets a cookie that browsers send over TLS alone', async () => {
  const { ask } = await encrypted()
  const login = await ask('forge.test', '/account/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: owner.username, password }),
  })
  expect(login.status).toBe(200)
  expect(login.headers['set-cookie']).toContainEqual(expect.stringMatching(/^__Host-sid=.*; Secure/))
  // Hosts below that of the console are of others.
  expect(login.headers['strict-transport-security']).toBe('max-age=31536000')
})

test('TLS 1.2 is the oldest that is spoken, with a renewed certificate too', async () => {
  const { authority, trusted } = await encrypted()
  /** As a client that speaks this version and no newer one, with the weakest ciphers that it knows. */
  async function spokenWith(maxVersion: SecureVersion): Promise<string | null> {
    const options = { minVersion: 'TLSv1', maxVersion, ciphers: 'DEFAULT@SECLEVEL=0' } as const
    const socket = connect({ ...trusted('forge.test'), ...options })
    try {
      await once(socket, 'secureConnect')
      return socket.getProtocol()
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? ''
    } finally {
      socket.destroy()
    }
  }
  const spoken = async () => [await spokenWith('TLSv1.1'), await spokenWith('TLSv1.2'), await spokenWith('TLSv1.3')]
  const expected = ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'TLSv1.2', 'TLSv1.3']
  expect(await spoken()).toEqual(expected)
  const former = await shownAt(trusted('forge.test'))
  authority.issue(names)
  await until(
    () => shownAt(trusted('forge.test')),
    (fingerprint) => fingerprint !== former,
  )
  expect(await spoken()).toEqual(expected)
})

test('a device reaches the broker over TLS', async () => {
  const { port, trusted } = await encrypted({ config: { broker: embeddedBroker } })
  // Its name and password are wrong: the refusal is the broker's own, in its own protocol.
  const refused = connectBroker(
    `wss://127.0.0.1:${port}/mqtt`,
    { username: 'device:none', password: 'none' },
    {
      ...trusted('forge.test'),
      wsOptions: { ...trusted('forge.test'), headers: { host: `forge.test:${port}` } },
    },
  )
  await expect(refused).rejects.toThrow(/Not authorized|Bad User Name/i)
})

test('plain HTTP is redirected to the same address, and a name that is not ours nowhere', async () => {
  const { port, redirectPort } = await encrypted()
  const ask = async (host: string, method = 'GET') => {
    const call = plainRequest({
      host: '127.0.0.1',
      port: redirectPort,
      path: '/a?b=1',
      method,
      headers: { host },
    }).end()
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    answer.resume()
    return [answer.statusCode, answer.headers.location]
  }
  expect(await ask(`forge.test:${redirectPort}`)).toEqual([307, `https://forge.test:${port}/a?b=1`])
  expect(await ask('oven.apps.test', 'POST')).toEqual([307, `https://oven.apps.test:${port}/a?b=1`])
  expect(await ask('evil.test')).toEqual([421, undefined])
  expect(await ask('evilapps.test')).toEqual([421, undefined])
})

test('a new certificate is shown within seconds, and what is under way is not interrupted', async () => {
  const { authority, open, trusted } = await encrypted()
  const instance = await running('oven')
  const first = await shownAt(trusted('forge.test'))
  const { promise: renewed, resolve: renew } = Promise.withResolvers<void>()
  script().onRequest(instance.id, (_request, response) => {
    response.write('before ')
    void renewed.then(() => response.end('after'))
  })
  const [answer] = (await once(open('oven.apps.test', '/'), 'response')) as [IncomingMessage]
  authority.issue(names)
  const second = await until(
    () => shownAt(trusted('forge.test')),
    (fingerprint) => fingerprint !== first,
    20_000,
  )
  expect(second).toBe(server.app.certificates?.status().certificate.fingerprint)
  renew()
  expect(await textOf(answer)).toBe('before after')
})

test('a new certificate that cannot be used leaves the former in place, and Health says why', async () => {
  const { authority, trusted, health } = await encrypted()
  const first = await shownAt(trusted('forge.test'))
  writeFileSync(authority.files.keyFile, 'no key')
  void server.app.certificates?.reload()
  expect(await shownAt(trusted('forge.test'))).toBe(first)
  expect((await health())('Certificate')).toMatchObject({
    state: 'warning',
    code: 'TLS06',
    seen: expect.stringContaining('The file of the key holds none in PEM format.'),
  })
  authority.issue(names)
  void server.app.certificates?.reload()
  expect(await shownAt(trusted('forge.test'))).not.toBe(first)
  expect((await health())('Certificate')?.code).not.toBe('TLS06')
})

test('Health tells of names that the certificate is not for', async () => {
  const { authority, health } = await encrypted({ certified: ['forge.test'] })
  const look = async () => (await health())('Certificate')
  expect(await look()).toMatchObject({ state: 'error', code: 'TLS07', seen: 'The certificate is not for *.apps.test.' })
  const issue = (certified: string[], days?: number) => {
    authority.issue(certified, days)
    void server.app.certificates?.reload()
  }
  issue(['*.apps.test'])
  expect(await look()).toMatchObject({ code: 'TLS07', seen: 'The certificate is not for forge.test.' })
  issue(names)
  expect(await look()).toMatchObject({ state: 'ok' })
})

test('Health knows that there is no reverse proxy', async () => {
  const { health } = await encrypted({
    certified: ['localhost', '*.localhost'],
    host: 'localhost',
    domain: 'localhost',
  })
  expect((await health())('Reverse proxy')).toMatchObject({ state: 'ok', seen: expect.stringContaining('directly') })
  expect((await health())('Public address')).toMatchObject({ state: 'ok' })
})

test('an answer that an instance breaks off ends as broken for a client of HTTP/1.0 too', async () => {
  const { trusted, ask } = await encrypted()
  const instance = await running('oven')
  script().onRequest(instance.id, (_request, response) => {
    response.write('half of it')
    setImmediate(() => response.destroy())
  })
  const socket = connect(trusted('oven.apps.test'))
  await once(socket, 'secureConnect')
  socket.write(`GET / HTTP/1.0\r\nHost: oven.apps.test:${trusted('').port}\r\n\r\n`)
  socket.resume().on('error', () => {})
  await once(socket, 'close')
  expect(await ask('forge.test', '/livez')).toMatchObject({ status: 200 })
})

test('a server that stops answers what came over TLS first', async () => {
  const { open } = await encrypted()
  const instance = await running('oven')
  const { promise: stopping, resolve: stop } = Promise.withResolvers<void>()
  script().onRequest(instance.id, (_request, response) => {
    response.write('before ')
    void stopping.then(() => response.end('after'))
  })
  const [answer] = (await once(open('oven.apps.test', '/'), 'response')) as [IncomingMessage]
  const drained = server.app.drain(30, new AbortController().signal)
  await until(
    () =>
      once(open('forge.test', '/livez'), 'response').then(
        () => 'open',
        () => 'closed',
      ),
    (state) => state === 'closed',
  )
  stop()
  expect(await textOf(answer)).toBe('before after')
  await drained
})
