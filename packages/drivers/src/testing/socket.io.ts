import { WebSocket } from 'ws'
import type { Endpoint } from '../driver.ts'
import { reach } from '../proven.ts'
import { askInstance } from './instance.http.ts'
import { until } from './until.ts'

type Headers = Record<string, string>

/** The messages received so far, and a way to send. */
export interface Conversation {
  /** Waits until this was received. */
  hears(text: string): Promise<void>
  /** Sends an event. */
  tells(...event: unknown[]): Promise<void>
  /** Somebody else, who knows the id of the session, sends an event in it with these headers. Returns the status. */
  stolen(headers: Headers, ...event: unknown[]): Promise<number>
  close(): void
}

const eventOf = (event: unknown[]) => `42${JSON.stringify(event)}`

/** Begins a session of socket.io. @returns its address, or the status of the refusal. */
async function begin(endpoint: Endpoint, path: string, headers: Headers): Promise<string | number> {
  const at = `${path}?EIO=4&transport=polling`
  const { status, text } = await askInstance(endpoint, at, { headers })
  return status === 200 ? `${at}&sid=${(JSON.parse(text.slice(1)) as { sid: string }).sid}` : status
}

async function post(endpoint: Endpoint, session: string, headers: Headers, text: string): Promise<number> {
  const sent = { headers: { 'content-type': 'text/plain', ...headers }, method: 'POST', text }
  return (await askInstance(endpoint, session, sent)).status
}

/** Speaks with socket.io by long polling. A number is the status of the refusal. */
export async function poll(endpoint: Endpoint, path: string, headers: Headers): Promise<Conversation | number> {
  const session = await begin(endpoint, path, headers)
  if (typeof session === 'number') return session
  await post(endpoint, session, headers, '40')
  return {
    async hears(wanted) {
      let heard = ''
      await until(`${path} says ${wanted}`, async () => {
        heard += (await askInstance(endpoint, session, { headers })).text
        return heard.includes(wanted)
      })
    },
    tells: async (...event) => void (await post(endpoint, session, headers, eventOf(event))),
    stolen: (as, ...event) => post(endpoint, session, as, eventOf(event)),
    close: () => void post(endpoint, session, headers, '41'),
  }
}

/** The same by WebSocket, begun by polling as browsers do: one of the dashboards takes no other. */
export async function connect(endpoint: Endpoint, path: string, headers: Headers): Promise<Conversation | number> {
  const session = await begin(endpoint, path, headers)
  const begun = typeof session === 'number' ? `${path}?EIO=4` : session
  const host = 'socketPath' in endpoint ? `ws+unix:${endpoint.socketPath}:` : `ws://${endpoint.host}:${endpoint.port}`
  const { createConnection } = reach(endpoint)
  const options = createConnection ? { headers, createConnection } : { headers }
  const socket = new WebSocket(`${host}${begun.replace('=polling', '=websocket')}`, options)
  let heard = ''
  socket.on('message', (data: Buffer) => (heard += data.toString('utf8')))
  const status = await new Promise<number>((resolve, reject) => {
    socket.once('open', () => resolve(101)).once('error', reject)
    socket.once('unexpected-response', (_request, answer) => resolve(answer.statusCode ?? 0))
  })
  if (status !== 101) {
    socket.on('error', () => {}).terminate()
    return status
  }
  const hears = async (wanted: string) => void (await until(`${path} says ${wanted}`, () => heard.includes(wanted)))
  socket.send('2probe')
  await hears('3probe')
  socket.send('5')
  socket.send('40')
  return {
    hears,
    tells: async (...event) => socket.send(eventOf(event)),
    stolen: (as, ...event) => post(endpoint, begun, as, eventOf(event)),
    close: () => socket.terminate(),
  }
}
