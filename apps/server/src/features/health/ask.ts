import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { randomBytes } from 'node:crypto'

const waitMs = 10_000

export interface Answer {
  /** 0: nobody answered. */
  status: number
  json?: unknown
  /** This machine does not know the name. */
  isUnknown: boolean
}

const isUnknownName = (error: NodeJS.ErrnoException) => error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN'

/**
 * One request. A certificate that this machine does not trust is no reason to fail: whether browsers trust it is the
 * matter of one check, and the others would all report the same fault.
 */
export function open(address: string, headers: Record<string, string> = {}, method = 'GET') {
  const url = new URL(address)
  const make = url.protocol === 'https:' ? tlsRequest : plainRequest
  return make(url, {
    method,
    headers: { accept: 'application/json', ...headers },
    rejectUnauthorized: false,
    agent: false,
  })
}

/** Asks for a page, and follows no redirect. */
export function ask(address: string): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const call = open(address)
  const timer = setTimeout(() => call.destroy(new Error('no answer')), waitMs)
  call.on('error', (error) => resolve({ status: 0, isUnknown: isUnknownName(error) }))
  call.on('response', (answer) => {
    let text = ''
    answer.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(0, 65_536)
    })
    answer.on('close', () => resolve({ status: answer.statusCode ?? 0, json: parsed(text), isUnknown: false }))
  })
  call.end()
  return promise.finally(() => clearTimeout(timer))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Does this address take a WebSocket? */
export function opensSocket(address: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const call = open(address, {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  })
  const timer = setTimeout(() => call.destroy(new Error('no answer')), waitMs)
  call.on('upgrade', (_answer, socket) => {
    socket.destroy()
    resolve(true)
  })
  call.on('response', (answer) => {
    answer.destroy()
    resolve(false)
  })
  call.on('error', () => resolve(false))
  call.end()
  return promise.finally(() => clearTimeout(timer))
}
