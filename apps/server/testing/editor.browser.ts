import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { TestUser } from './build.ts'

interface Answered {
  status: number
  headers: IncomingHttpHeaders
  text: string
  json: Record<string, unknown>
}

/** One request under any host name, with no header that was not given. */
export async function askHost(
  address: string,
  path: string,
  headers: Record<string, string>,
  method = 'GET',
  body?: unknown,
): Promise<Answered> {
  const { hostname, port } = new URL(address)
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const options = { hostname, port, path, method, headers: { ...type, ...headers }, agent: false }
    const call = request(options, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part))
      answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, text, json: jsonOf(text) }))
      answer.on('error', reject)
    })
    call.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  })
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** A browser of a person, with the cookie of the editor's host name once it has entered. */
export async function enterEditor(address: string, deviceId: string, user: TestUser) {
  const { url } = await user.client.call('deviceEditor.enter', { params: { deviceId } })
  const { host, origin, pathname, search } = new URL(url)
  const entered = await askHost(address, `${pathname}${search}`, { host })
  const cookie = String(entered.headers['set-cookie']).split(';', 1)[0]!
  const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET', body?: unknown) =>
    askHost(address, path, { host, cookie, ...headers }, method, body)
  /** Opens /comms as the page of the editor does. */
  async function comms(more: Record<string, string> = {}) {
    const socket = new WebSocket(`${address.replace('http', 'ws')}/comms`, {
      headers: { host, cookie, origin, ...more },
    })
    onTestFinished(() => socket.terminate())
    const heard: string[] = []
    const ended = Promise.withResolvers<number>()
    socket.on('message', (data) => heard.push((data as Buffer).toString()))
    socket.on('close', (code) => ended.resolve(code))
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('unexpected-response', (_request, { statusCode }) => reject(new Error(String(statusCode))))
      socket.once('error', reject)
    })
    return { socket, heard, ended: ended.promise }
  }
  /** Hears what the page of the editor hears of the device; `said` is the last of it. */
  async function watchState() {
    const { hostname, port } = new URL(address)
    const call = request({ hostname, port, path: '/_forge/state', headers: { host, cookie }, agent: false })
    onTestFinished(() => void call.destroy())
    const [answer] = (await once(call.end(), 'response')) as [IncomingMessage]
    let text = ''
    answer.setEncoding('utf8').on('data', (part: string) => (text += part))
    answer.on('error', () => {})
    return { said: () => /.*data: (\w+)/s.exec(text)?.[1] }
  }
  return { entered, watchState, url, host, origin, cookie, ask, comms }
}
