import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request, type RequestOptions } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'

const lookEveryMs = 50
const patience = 120_000
const password = 'correct horse battery'
/** Without a position on its tab a node is taken for a configuration. */
const flows = [
  { id: 'tab', type: 'tab', label: 'Hello' },
  { id: 'in', type: 'http in', z: 'tab', x: 100, y: 40, url: '/hello', method: 'get', wires: [['template']] },
  {
    id: 'template',
    type: 'template',
    z: 'tab',
    x: 300,
    y: 40,
    field: 'payload',
    template: 'Hello from a flow',
    wires: [['out']],
  },
  { id: 'out', type: 'http response', z: 'tab', x: 500, y: 40, wires: [] },
]

interface Begun {
  /** Milliseconds from the set-up until the sample instance runs. */
  instance: number
  /** Milliseconds from the import of a flow until it answers. */
  flow: number
  /** The name of the sample instance. */
  name: string
  /** The session of the administrator. */
  cookie: string
}

interface Call {
  method?: string
  headers?: Record<string, string>
  body?: unknown
}

interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** A platform as the clients of this machine reach it. */
export interface Site {
  /** Address of the console. */
  base: string
  /** Host of an instance, as a browser names it. */
  hostOf(instance: string): string
  /** One request to a host of the platform. */
  send(host: string, path: string, call?: Call): Promise<Reply>
}

/** A platform on a port of this machine, by plain HTTP. */
const plainSite = (port: number, timeout: number): Site => ({
  base: `http://localhost:${port}`,
  hostOf: (instance) => `${instance}.localhost:${port}`,
  send: (host, path, call) => reply({ host: '127.0.0.1', port, path, timeout }, host, call),
})

/** Where a request goes. With `servername` by TLS, which trusts `ca` alone. */
type Target = RequestOptions & { servername?: string; ca?: string }

function open(at: Target, host: string, options: RequestOptions) {
  const make = at.servername === undefined ? request : tlsRequest
  const headers = { host, ...(options.headers as Record<string, string>) }
  const call = make({ agent: false, ...at, ...options, headers })
  return call.on('timeout', () => call.destroy(new Error(`${host}${at.path} does not answer`)))
}

/** Sends one request under a host, and reads the reply. */
export async function reply(
  at: Target,
  host: string,
  { method = 'GET', headers = {}, body }: Call = {},
): Promise<Reply> {
  const call = open(at, host, { method, headers })
  call.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer] = (await once(call, 'response')) as [IncomingMessage]
  let text = ''
  for await (const part of answer.setEncoding('utf8')) text += String(part)
  return { status: answer.statusCode ?? 0, headers: answer.headers, text }
}

/** Asks for a WebSocket. @returns the status: 101 when there is one. */
export async function upgrade(at: Target, host: string): Promise<number | undefined> {
  const key = Buffer.alloc(16).toString('base64')
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': key,
  }
  const call = open(at, host, { headers }).end()
  const [answer] = (await Promise.race([once(call, 'upgrade'), once(call, 'response')])) as [IncomingMessage]
  answer.socket.destroy()
  return answer.statusCode
}

/**
 * Does what a newcomer does with the one-time link: sets the platform up with a team and its sample instance, gives that
 * a flow, and asks the flow until it answers.
 * @throws Error with what the platform said last.
 */
export async function firstFlow(at: number | Site, setupToken: string, patienceMs = patience): Promise<Begun> {
  const until = performance.now() + patienceMs
  const site = typeof at === 'number' ? plainSite(at, patienceMs) : at
  let cookie = ''
  async function call(method: string, path: string, body?: unknown): Promise<unknown> {
    const headers = { 'content-type': 'application/json', cookie, origin: site.base }
    const { status, text, headers: sent } = await site.send(new URL(site.base).host, path, { method, headers, body })
    if (status >= 300) throw new Error(`${method} ${path} answers ${status}: ${text}`)
    cookie ||= (sent['set-cookie'] ?? []).map((one) => one.split(';')[0]).join('; ')
    return JSON.parse(text)
  }
  async function poll<T>(look: () => Promise<T>, isDone: (seen: T) => boolean): Promise<T> {
    for (;;) {
      const seen = await look()
      if (isDone(seen)) return seen
      if (performance.now() > until) throw new Error(`Still waiting: ${JSON.stringify(seen)}`)
      await delay(lookEveryMs)
    }
  }
  const begun = performance.now()
  const made = (await call('POST', '/api/v1/setup', {
    token: setupToken,
    username: 'alice',
    email: 'alice@example.com',
    password,
    team: { name: 'Example Bakery', sample: true },
  })) as { instance: { id: string; name: string } }
  const { id, name } = made.instance
  await poll(
    () => call('GET', `/api/v1/projects/${id}`) as Promise<{ meta: { state: string } }>,
    ({ meta }) => meta.state === 'running',
  )
  const running = performance.now()
  await call('POST', `/api/v1/projects/${id}/import`, { flows: JSON.stringify(flows) })
  await poll(
    () => site.send(site.hostOf(name), '/hello'),
    ({ text }) => text === 'Hello from a flow',
  )
  return { instance: running - begun, flow: performance.now() - running, name, cookie }
}

/** The token of the one-time link that a server prints. */
export const setupTokenIn = (output: string): string | undefined => /\/setup#(\S+)/.exec(output)?.[1]
