import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { protect } from './flow-access.ts'

/** A protected server as that of Node-RED: `/editor` has a sign-in of its own, all else needs the header `x-member`. */
async function begin(
  verdict: (request: IncomingMessage) => Promise<boolean> = async ({ headers }) => 'x-member' in headers,
) {
  const heard: string[] = []
  let judged = 0
  const app = (given: unknown, answer: unknown) => {
    const [incoming, response] = [given as IncomingMessage, answer as ServerResponse]
    if (incoming.url === '/editor') return void response.end('editor')
    guard(incoming, response, () => void response.end('flow'))
  }
  const server = createServer(app)
  const guard = protect({
    server,
    app,
    access: {
      allows(incoming) {
        judged += 1
        return verdict(incoming)
      },
      refuse: (_request, response) => void response.writeHead(401).end('refused'),
    },
    isEditorSocket: ({ url }) => url === '/comms',
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<string>((resolve, reject) => {
      const call = request({ port, path, method, headers, agent: false }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => (text += part))
        response.on('end', () => resolve(`${response.statusCode} ${text}`))
      })
      call.on('error', reject).end()
    })
  /** The first line of the answer to a request that may take the socket over. */
  const take = (head: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      socket.once('data', (data) => resolve(String(data).split('\r\n')[0]!)).once('error', reject)
      socket.write(`${head}\r\nHost: oven\r\n\r\n`)
    })
  return { server, heard, ask, take, port, judged: () => judged }
}

const member = { 'x-member': '1' }

test.each<[string, (server: ReturnType<typeof createServer>, heard: string[]) => void]>([
  [
    'puts its listener before the others, as socket.io does',
    (server, heard) => {
      const others = server.listeners('request')
      server.removeAllListeners('request')
      server.on('request', (incoming, response) => {
        heard.push(incoming.url!)
        if (incoming.url === '/socket.io/') response.end('values')
        else for (const other of others) other.call(server, incoming, response)
      })
    },
  ],
  [
    'wraps the way in which the server hands requests out, as another has done',
    (server, heard) => {
      const first = server.emit
      server.emit = (name: string, ...values: unknown[]) => Reflect.apply(first, server, [`${name}`, ...values])
      const before = server.emit
      server.emit = function (name: string, ...values: unknown[]) {
        const [incoming, response] = values as [IncomingMessage, ServerResponse]
        if (name === 'request') heard.push(incoming.url!)
        if (name === 'request' && incoming.url === '/socket.io/') return Boolean(response.end('values'))
        return Reflect.apply(before, this, [name, ...values]) as boolean
      }
    },
  ],
])('a node that %s hears of nobody without access', async (_name, put) => {
  const { server, heard, ask, judged } = await begin()
  put(server, heard)
  expect([await ask('/socket.io/'), await ask('/hello'), await ask('/editor')]).toEqual([
    '401 refused',
    '401 refused',
    '200 editor',
  ])
  expect([heard, judged()]).toEqual([[], 3])
  expect([await ask('/socket.io/', member), await ask('/hello', member)]).toEqual(['200 values', '200 flow'])
  expect([heard, judged()]).toEqual([['/socket.io/', '/hello'], 5])
})

test('what comes by another event of the server is judged as well', async () => {
  const { server, heard, ask, take } = await begin()
  for (const name of ['checkContinue', 'checkExpectation'])
    server.on(name, (_request: IncomingMessage, response: ServerResponse) => {
      heard.push(name)
      response.end('values')
    })
  for (const name of ['upgrade', 'connect'])
    server.on(name, (_request: IncomingMessage, socket: Duplex) => {
      heard.push(name)
      socket.end('HTTP/1.1 101 Yes\r\n\r\n')
    })
  const upgrade = (path: string) => `GET ${path} HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket`
  expect(await ask('/hello', { expect: '100-continue' }, 'POST')).toBe('401 refused')
  expect(await ask('/hello', { expect: 'more' }, 'POST')).toBe('417 ')
  expect(await take(upgrade('/feed'))).toContain('401')
  expect(await take(upgrade('/comms/feed'))).toContain('401')
  expect(await take('CONNECT oven:80 HTTP/1.1')).toContain('401')
  expect(heard).toEqual([])
  expect(await take(upgrade('/comms'))).toContain('101')
  expect(await take(`${upgrade('/feed')}\r\nX-Member: 1`)).toContain('101')
  expect(await ask('/hello', { expect: '100-continue', ...member }, 'POST')).toBe('200 values')
  expect(heard).toEqual(['upgrade', 'upgrade', 'checkContinue'])
})

test('a check that fails opens nothing, and a client that goes away while it is checked does no harm', async () => {
  let answer = () => {}
  const { server, ask, port } = await begin(
    ({ url }) =>
      new Promise((_resolve, reject) => {
        answer = () => reject(new Error('no platform'))
        if (url === '/hello') answer()
      }),
  )
  server.on('upgrade', (_request, socket: Duplex) => socket.end('HTTP/1.1 101 Yes\r\n\r\n'))
  expect(await ask('/hello')).toMatch(/^503 /)
  const gone = Promise.withResolvers<void>()
  server.on('connection', (socket: Socket) => socket.once('close', () => gone.resolve()))
  const client = connect(port, '127.0.0.1')
  client.on('error', () => {})
  const before = answer
  client.write('GET /feed HTTP/1.1\r\nHost: oven\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  await expect.poll(() => answer !== before).toBe(true)
  client.write('more')
  client.resetAndDestroy()
  answer()
  await gone.promise
  expect(await ask('/hello')).toMatch(/^503 /)
})
