import { setTimeout as delay } from 'node:timers/promises'

/** The platform answered, and the answer is no. `message` may be shown to a person. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'Refusal'
    this.status = status
    this.code = code
  }
}

export interface CallOptions {
  /** Sent as JSON with POST; without it the call is a GET. */
  body?: unknown
  /** Milliseconds after which the call is given up while the platform cannot be reached; default: never. */
  patience?: number
  signal?: AbortSignal
}

/** Calls to the platform that outlast its restarts. `path` starts with a slash. */
export interface PlatformClient {
  call(path: string, options?: CallOptions): Promise<unknown>
}

const timeoutMs = 30_000
const firstPauseMs = 100
const longestPauseMs = 2_000

/**
 * Calls the platform with the instance's token. While it cannot be reached or fails on its side (5xx, 429) the
 * call is repeated.
 * @throws Refusal for any other answer than 2xx; Error when the patience is over or the signal is aborted.
 */
export function createPlatformClient(platformUrl: string, token: string): PlatformClient {
  return {
    async call(path, { body, patience = Infinity, signal } = {}) {
      const until = Date.now() + patience
      const init: RequestInit = {
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        redirect: 'error',
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      }
      for (let pause = firstPauseMs; ; pause = Math.min(2 * pause, longestPauseMs)) {
        try {
          return await once(platformUrl + path, init, signal)
        } catch (error) {
          if (!isPassing(error) || signal?.aborted) throw error
          if (Date.now() + pause > until) {
            throw new Error('The platform cannot be reached at the moment; nothing was saved. Please try again.', {
              cause: error,
            })
          }
        }
        await delay(pause, undefined, signal ? { signal } : {})
      }
    },
  }
}

async function once(url: string, init: RequestInit, signal: AbortSignal | undefined): Promise<unknown> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const response = await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout })
  const text = await response.text()
  if (!response.ok) throw refusalOf(response.status, text)
  return response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text
}

function refusalOf(status: number, text: string): Refusal {
  const nothing = { code: 'unexpected_error', error: `The platform answered with status ${status}` }
  try {
    const { code, error } = { ...nothing, ...(JSON.parse(text) as Partial<typeof nothing>) }
    return new Refusal(status, code, error)
  } catch {
    return new Refusal(status, nothing.code, nothing.error)
  }
}

/** Without an answer there is a TypeError of fetch or a timeout; with one, some may be better a moment later. */
function isPassing(error: unknown): boolean {
  return !(error instanceof Refusal) || error.status >= 500 || error.status === 429
}
