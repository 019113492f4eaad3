import { setTimeout as delay } from 'node:timers/promises'
import { isOk, send, type Sending } from './http.client.ts'

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
 * @throws Refusal for any other answer than 2xx; Error when the patience is over.
 */
export function createPlatformClient(platformUrl: string, token: string): PlatformClient {
  return {
    async call(path, { body, patience = Infinity } = {}) {
      const until = Date.now() + patience
      const authorization = `Bearer ${token}`
      const sending: Sending =
        body === undefined
          ? { headers: { authorization }, timeoutMs }
          : { headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify(body), timeoutMs }
      for (let pause = firstPauseMs; ; pause = Math.min(2 * pause, longestPauseMs)) {
        try {
          return await once(platformUrl + path, sending)
        } catch (error) {
          if (!isPassing(error)) throw error
          if (Date.now() + pause > until) {
            throw new Error('The platform cannot be reached at the moment; nothing was saved. Please try again.', {
              cause: error,
            })
          }
        }
        await delay(pause)
      }
    },
  }
}

async function once(url: string, sending: Sending): Promise<unknown> {
  const answer = await send(url, sending)
  if (!isOk(answer)) throw refusalOf(answer.status, answer.text)
  return answer.type.includes('json') ? JSON.parse(answer.text) : answer.text
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

/** Without an answer the next may come; with one, some may be better a moment later. */
function isPassing(error: unknown): boolean {
  return !(error instanceof Refusal) || (error.status >= 500 && error.code !== 'disk_full') || error.status === 429
}
