import { request } from 'node:http'
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

/** The times a newcomer waits, in milliseconds. */
export interface Waits {
  /** From the set-up until the sample instance runs. */
  instance: number
  /** From the import of a flow until it answers. */
  flow: number
}

/**
 * Does what a newcomer does with the one-time link: sets the platform up with a team and its sample instance, gives that
 * a flow, and asks the flow until it answers.
 * @throws Error with what the platform said last.
 */
export async function firstFlow(port: number, setupToken: string, patienceMs = patience): Promise<Waits> {
  const until = performance.now() + patienceMs
  const base = `http://localhost:${port}`
  let cookie = ''
  async function call(method: string, path: string, body?: unknown): Promise<unknown> {
    const reply = await fetch(`${base}${path}`, {
      method,
      headers: { 'content-type': 'application/json', cookie, origin: base },
      signal: AbortSignal.timeout(patienceMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path} answers ${reply.status}: ${text}`)
    cookie ||= reply.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ')
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
    () => askFlow(port, `${name}.localhost:${port}`),
    ({ text }) => text === 'Hello from a flow',
  )
  return { instance: running - begun, flow: performance.now() - running }
}

function askFlow(port: number, host: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/hello', headers: { host }, timeout: patience }, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (part: string) => (text += part))
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, text }))
    })
      .on('timeout', () => reject(new Error('The flow does not answer')))
      .on('error', reject)
      .end()
  })
}

/** The token of the one-time link that a server prints. */
export const setupTokenIn = (output: string): string | undefined => /\/setup#(\S+)/.exec(output)?.[1]
