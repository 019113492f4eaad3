import type { Instance } from '@app/contract'
import { cp, mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest, type RequestOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import WebSocketClient from 'ws'
import {
  createAuthority,
  freePort,
  instanceCalls,
  send,
  startServer,
  type TestServer,
  type TestUser,
  until,
} from './index.ts'

interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/**
 * Asks a port of this machine; status 0 where nobody listens. A port that closes at that very moment resets what it
 * had not accepted yet: status -1, so that whoever waits for 0 asks again.
 */
async function ask(port: number, path = '/', options: RequestOptions = {}): Promise<Reply> {
  const request = options.ca ? tlsRequest : plainRequest
  const call = request({ host: '127.0.0.1', port, path, agent: false, ...options }).end()
  try {
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    let text = ''
    for await (const part of answer) text += String(part)
    return { status: answer.statusCode!, headers: answer.headers, text }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ECONNREFUSED' && code !== 'ECONNRESET') throw error
    return { status: code === 'ECONNREFUSED' ? 0 : -1, headers: {}, text: '' }
  }
}

const at = (port: number, headers: Record<string, string> = {}) => ({
  headers: { host: `localhost:${port}`, ...headers },
})
const portOf = ({ url }: { url: string }) => Number(new URL(url).port)
const seenBy = async (port: number, cookie: string) =>
  (JSON.parse((await ask(port, '/', at(port, { cookie }))).text) as { headers: { cookie?: string } }).headers.cookie

/** A range of ports that are free; those of freePort are further apart than it is long. */
async function freeRange(length: number) {
  const first = await freePort()
  return { first, last: first + length - 1 }
}

async function withPorts(config: NonNullable<Parameters<typeof startServer>[0]>['config'] = {}, length = 4) {
  const instancePorts = await freeRange(length)
  let server = await startServer({ config: { instancePorts, ...config } })
  onTestFinished(() => server.close())
  const { admin, owner, team } = await server.build.platform()
  const application = await server.build.application(owner, team)
  return {
    instancePorts,
    admin,
    owner,
    team,
    application,
    server: () => server,
    calls: instanceCalls(() => ({ server, owner, application })),
    /** Starts the server again, with the processes of the instances as they were. */
    async again(more: Partial<TestServer['config']> = {}) {
      const { config: former, driver } = server
      await server.stop()
      server = await startServer({ config: { ...former, ...more }, driver: () => driver })
    },
  }
}

async function finding(server: TestServer, { cookie }: TestUser) {
  const { json } = await send(server.address, 'POST', '/api/v1/admin/health', { headers: { cookie } })
  return (json.checks as { part: string; state: string; code?: string; seen: string }[]).find(
    ({ part }) => part === 'Ports of instances',
  )
}

describe('instances with ports in the place of names', () => {
  test('each answers on a port of its own, which its address tells, and WebSockets do too', async () => {
    const { instancePorts, calls, server } = await withPorts()
    const [one, two] = [await calls.running('one'), await calls.running('two')]
    expect([one, two].map(portOf)).toEqual([instancePorts.first, instancePorts.first + 1])
    expect(new URL(one.url).hostname).toBe('localhost')
    for (const { id, url } of [one, two]) {
      calls.script().onRequest(id, (_request, response) => response.end(id))
      const reply = await ask(portOf({ url }), '/', at(portOf({ url })))
      expect([reply.status, reply.text]).toEqual([200, id])
    }
    const sockets = new WebSocketServer({ noServer: true })
    calls
      .script()
      .onUpgrade(one.id, (incoming, socket, head) =>
        sockets.handleUpgrade(incoming, socket, head, (client: WebSocket) => client.send('hello')),
      )
    const client = new WebSocketClient(`ws://127.0.0.1:${portOf(one)}/comms`, {
      headers: { host: `localhost:${portOf(one)}` },
    })
    expect(String((await once(client, 'message'))[0])).toBe('hello')
    client.close()
    // Nobody listens where no instance is, and a foreign name that leads to the port reaches nothing.
    expect((await ask(instancePorts.last)).status).toBe(0)
    expect((await ask(portOf(one), '/', { headers: { host: `evil.test:${portOf(one)}` } })).status).toBe(421)
    expect((await calls.visit('one')).status).toBe(421)
    // A reverse proxy hands everything to the port of the console, and the Host header tells which instance is meant.
    expect((await ask(server().config.port, '/', at(portOf(two)))).text).toBe(two.id)
  })

  test('an instance gets its own cookies by the names it gave, and neither those of others nor those of the console', async () => {
    const { calls, owner } = await withPorts()
    const [one, two] = [portOf(await calls.running('one')), portOf(await calls.running('two'))]
    const { id } = await calls.running('three')
    calls.script().onRequest(id, (_request, response) => {
      response.setHeader('set-cookie', ['sid=a; Path=/; HttpOnly; Domain=localhost', '__Host-x=b; Secure; Path=/'])
      response.end()
    })
    const three = portOf(await calls.read(id))
    const { headers } = await ask(three, '/', at(three))
    expect(headers['set-cookie']).toEqual([`i${three}.sid=a; Path=/; HttpOnly`, `__Host-i${three}.x=b; Secure; Path=/`])
    const [theirs] = owner.cookie.split('=')
    const jar = [
      owner.cookie,
      `${theirs}=set by a page`,
      `i${one}.connect.sid=of one`,
      `i${two}.connect.sid=of two`,
      `__Host-i${two}.x=bound`,
      'loose=set by a page',
    ].join('; ')
    expect(await seenBy(one, jar)).toBe('connect.sid=of one')
    expect(await seenBy(two, jar)).toBe('connect.sid=of two; __Host-x=bound')
    expect(await seenBy(one, owner.cookie)).toBeUndefined()
  })

  test('a port outlives a restart of the server, deletion and restoring; no instance is made when all are in use', async () => {
    const { instancePorts, calls, owner, team, server, again } = await withPorts({}, 2)
    const [one, two] = [await calls.running('one'), await calls.running('two')]
    const full = await calls.raw('POST', '', {
      name: 'three',
      applicationId: one.application.id,
      projectType: one.projectType.id,
      stack: one.stack.id,
      template: one.template.id,
    })
    expect([full.status, full.json.code]).toEqual([409, 'ports_exhausted'])
    await again()
    expect(portOf(await calls.read(two.id))).toBe(instancePorts.last)
    // The stub's instances answer no more once its server has stopped.
    await calls.act('restart', two.id)
    await until(
      () => ask(portOf(two), '/', at(portOf(two))),
      ({ status }) => status === 200,
    )
    await calls.raw('DELETE', `/${one.id}`)
    await until(
      () => ask(portOf(one)),
      ({ status }) => status === 0,
    )
    const deleted = `/api/v1/teams/${team.id}/deleted-projects/${one.id}`
    const headers = { cookie: owner.cookie }
    await send(server().address, 'POST', `${deleted}/restore`, { headers, body: {} })
    await calls.inState(one.id, 'running')
    expect(portOf(await calls.read(one.id))).toBe(instancePorts.first)
    await until(
      () => ask(portOf(one), '/', at(portOf(one))),
      ({ status }) => status === 200,
    )
  })

  test('another range gives running instances other ports, and restarts them to learn those', async () => {
    const { calls, again, server } = await withPorts()
    const { id } = await calls.running('one')
    const moved = await freeRange(2)
    await again({ instancePorts: moved })
    expect(portOf(await calls.read(id))).toBe(moved.first)
    const told = () => server().app.database.read.selectFrom('instances').select('started_as').executeTakeFirstOrThrow()
    await until(told, ({ started_as }) => started_as!.includes(`localhost:${moved.first} `))
    await calls.inState(id, 'running')
  })

  test('Health tells that they share a host, and which port another program has until it ends', async () => {
    const { calls, instancePorts, admin, server, again } = await withPorts()
    expect(await finding(server(), admin)).toMatchObject({ state: 'ok' })
    const taken = createServer().listen(instancePorts.first, '127.0.0.1')
    await once(taken, 'listening')
    const { id } = await calls.running('one')
    const fault = await until(
      () => finding(server(), admin),
      (found) => found?.state === 'error',
    )
    expect(fault).toMatchObject({ code: 'PORT02', seen: `Port ${instancePorts.first} is in use by another program.` })
    taken.close()
    await until(
      () => ask(instancePorts.first, '/', at(instancePorts.first)),
      ({ status }) => status === 200,
    )
    await again({ baseUrl: `http://forge.test:${server().config.port}` })
    await calls.inState(id, 'running')
    expect(await finding(server(), admin)).toMatchObject({ state: 'warning', code: 'PORT01' })
  })

  test('with a certificate they speak TLS, as the console does', async () => {
    const authority = createAuthority()
    authority.issue(['forge.test'])
    const port = await freePort()
    const tls = { source: { kind: 'files' as const, ...authority.files }, host: '127.0.0.1', port }
    const { calls, owner } = await withPorts({ baseUrl: `https://forge.test:${port}`, tls })
    const { url } = await calls.running('one')
    expect(url).toMatch(/^https:\/\/forge\.test:\d+$/)
    const host = new URL(url).host
    const options = { ca: authority.ca, servername: 'forge.test', headers: { host, cookie: `${owner.cookie}; a=b` } }
    const seen = JSON.parse((await ask(portOf({ url }), '/', options)).text) as { headers: IncomingHttpHeaders }
    expect(seen.headers).toMatchObject({ 'x-forwarded-proto': 'https', 'x-forwarded-port': String(portOf({ url })) })
    expect(seen.headers.cookie).toBeUndefined()
  })

  if (process.env.TEST_DATABASE === 'postgres')
    test('two servers give no port twice, and the one that runs the instances listens on all', async () => {
      const { calls, owner, application, server, instancePorts } = await withPorts()
      const home = await mkdtemp(join(tmpdir(), 'forge-second-'))
      await cp(join(server().config.home, 'keys'), join(home, 'keys'), { recursive: true })
      const two = await startServer({ config: { home, databaseUrl: server().config.databaseUrl!, instancePorts } })
      onTestFinished(() => two.close())
      const choice = await server().build.choice()
      const wish = (name: string) => ({ name, applicationId: application.id, ...choice })
      const create = async ({ address }: TestServer, name: string) => {
        const { json } = await send(address, 'POST', '/api/v1/projects', {
          headers: { cookie: owner.cookie },
          body: wish(name),
        })
        return json as unknown as Instance
      }
      const made = await Promise.all([
        create(server(), 'one'),
        create(two, 'two'),
        create(server(), 'three'),
        create(two, 'four'),
      ])
      expect(new Set(made.map(portOf)).size).toBe(4)
      for (const { id, url } of made) {
        await calls.inState(id, 'running')
        await until(
          () => ask(portOf({ url }), '/', at(portOf({ url }))),
          ({ status }) => status === 200,
        )
      }
    })
})
