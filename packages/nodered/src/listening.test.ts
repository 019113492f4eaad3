import { type LinkChannel, linkTls } from '@app/contract/instance-link.constants'
import { randomBytes } from 'node:crypto'
import { createServer, request, type RequestOptions } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { connect } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { createListening } from './listening.ts'

const newKey = () => randomBytes(32).toString('base64url')
const keys = { http: newKey(), control: newKey() }
const host = '127.0.0.1'

/** A process that answers on a port, and the servers behind its two channels. */
async function begin() {
  const port = await freePort()
  const listening = createListening({ answersAt: { port, keys } })
  const seen: string[] = []
  const serverOf = (name: string) =>
    createServer((asked, response) => {
      seen.push(`${name} ${asked.url}`)
      response.end(name)
    })
  onTestFinished(() => listening.close())
  return { port, listening, seen, http: serverOf('http'), control: serverOf('control') }
}

async function freePort(): Promise<number> {
  const server = createTcpServer()
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The answer, or the code of the error. */
const ask = (options: RequestOptions): Promise<string> =>
  new Promise((resolve) => {
    const call = request({ path: '/orders', ...options }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => resolve(text))
    })
    call.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'error'))
    call.end()
  })

const connectWith = (port: number, key: string, identity: LinkChannel) => {
  const pskCallback = () => ({ psk: Buffer.from(key, 'base64url'), identity })
  return connect({ ...linkTls, host, port, pskCallback, checkServerIdentity: () => undefined })
}

/** Asks with a key on the channel; the answer, or the code of the error. */
const askWith = (port: number, key: string, channel: LinkChannel) =>
  ask({ createConnection: () => connectWith(port, key, channel) })

test('on a port each channel answers whoever has its key', async () => {
  const { port, listening, http, control } = await begin()
  await listening.open('control', control)
  await listening.open('http', http)
  expect(await askWith(port, keys.http, 'http')).toBe('http')
  expect(await askWith(port, keys.control, 'control')).toBe('control')
  expect(await listening.answers()).toBe(true)
})

test('a neighbour without the key is refused, and no server hears of it', async () => {
  const { port, listening, seen, http, control } = await begin()
  await listening.open('control', control)
  await listening.open('http', http)
  expect(await ask({ host, port, agent: false })).toBe('ECONNRESET')
  expect(await askWith(port, newKey(), 'http')).toBe('EPROTO')
  expect(await askWith(port, keys.http, 'control')).toBe('EPROTO')
  expect(seen).toEqual([])
})

test('before Node-RED answers, its channel is refused like a port where nobody listens', async () => {
  const { port, listening, control } = await begin()
  await listening.open('control', control)
  expect(await askWith(port, keys.http, 'http')).toBe('EPROTO')
  expect(await listening.answers()).toBe(false)
})
