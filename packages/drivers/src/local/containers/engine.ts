import { request, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { DriverError } from '../../driver.ts'

/** Docker has this version of the API since 20.10, and Podman 4 answers to it too. */
const version = '/v1.41'
const timeoutMs = 30_000
const answerMax = 16 * 1024 * 1024

/** The answer of an engine that refused. */
export class EngineError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.name = 'EngineError'
    this.status = status
  }
}

export interface Question {
  query?: Record<string, string>
  body?: object
  timeout?: number
}

/** Only some calls have these. */
interface More {
  signal?: AbortSignal
  headers?: Record<string, string>
}

/** The API of an engine of containers on this machine, over its socket. */
export interface Engine {
  readonly socket: string
  /** @throws EngineError when it refuses, DriverError `engine_away` when nothing answers. */
  ask<T>(method: string, path: string, question?: Question): Promise<T>
  /** The same for an answer that is no JSON. */
  bytes(method: string, path: string, question?: Question): Promise<Buffer>
  /** An answer that comes line by line, until it ends or `signal` ends it. Errors are as those of `ask`. */
  lines(method: string, path: string, question: Question & { signal?: AbortSignal }): AsyncIterable<unknown>
  /** A connection to what the container reads. It need not run yet. */
  attach(container: string): Promise<Duplex>
}

/** Asks the engine behind a socket. Nothing is opened before something is asked. */
export function createEngine(socket: string): Engine {
  const away = (cause: Error) =>
    new DriverError('engine_away', `The container engine does not answer at ${socket}: ${cause.message}`, { cause })

  function send(method: string, path: string, { query, body, timeout }: Question, more: More = {}) {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const call = request({
      socketPath: socket,
      method,
      path: `${version}${path}${query ? `?${new URLSearchParams(query).toString()}` : ''}`,
      agent: false,
      timeout,
      ...more,
      headers: {
        host: 'engine',
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        ...more.headers,
      },
    })
    call.on('timeout', () => call.destroy(new Error('it did not answer in time')))
    call.end(text)
    return call
  }

  async function answerOf(method: string, path: string, question: Question, signal?: AbortSignal) {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const call = send(method, path, question, signal ? { signal } : {})
    call.on('response', resolve).on('error', (error) => reject(away(error)))
    const response = await promise
    if (response.statusCode! < 400) return response
    throw refusal(response.statusCode!, (await whole(response)).toString())
  }

  async function bytes(method: string, path: string, question: Question = {}): Promise<Buffer> {
    const response = await answerOf(method, path, { timeout: timeoutMs, ...question })
    return whole(response).catch((error: Error) => Promise.reject(away(error)))
  }

  return {
    socket,
    bytes,

    async ask<T>(method: string, path: string, question: Question = {}): Promise<T> {
      const text = (await bytes(method, path, question)).toString()
      return (text === '' ? undefined : JSON.parse(text)) as T
    },

    async *lines(method, path, { signal, ...question }) {
      const response = await answerOf(method, path, question, signal)
      let rest = ''
      for await (const chunk of response.setEncoding('utf8')) {
        const found = (rest + chunk).split('\n')
        rest = found.pop() ?? ''
        for (const line of found) if (line.trim() !== '') yield JSON.parse(line) as unknown
      }
    },

    attach(container) {
      const { promise, resolve, reject } = Promise.withResolvers<Duplex>()
      const call = send(
        'POST',
        `/containers/${container}/attach`,
        { query: { stream: '1', stdin: '1' }, timeout: timeoutMs },
        { headers: { connection: 'Upgrade', upgrade: 'tcp' } },
      )
      call.on('upgrade', (_response, stream) => {
        // The container may end while it is written to; who waits for its answer sees that.
        stream.on('error', () => {})
        resolve(stream)
      })
      call.on('response', (response) => {
        void whole(response).then((text) => reject(refusal(response.statusCode!, text.toString())), reject)
      })
      call.on('error', (error) => reject(away(error)))
      return promise
    },
  }
}

async function whole(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length
    if (size > answerMax) throw new Error('its answer is too long')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function refusal(status: number, text: string): EngineError {
  try {
    return new EngineError(status, (JSON.parse(text) as { message: string }).message)
  } catch {
    return new EngineError(status, text.trim() || `it answered ${status}`)
  }
}

/** Undefined where the engine answers that there is no such thing, or one of these. */
export async function unless<T>(work: Promise<T>, ...statuses: number[]): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof EngineError && statuses.includes(error.status)) return undefined
    throw error
  }
}
