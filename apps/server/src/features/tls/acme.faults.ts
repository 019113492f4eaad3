import type { HealthCodeName } from '@app/contract'

const minute = 60_000
const hour = 60 * minute
/** Let's Encrypt allows five failures of a name in an hour. */
const waits = [5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour]
const longestMs = 24 * hour
const longestRetryMs = 7 * 24 * hour
const mostText = 400
const isAboutNames = /could not resolve|no such host|NXDOMAIN|SERVFAIL|DNS problem/i

/** The ACME server refused something, or cannot be reached. */
export class AcmeRefusal extends Error {
  /** The type of the problem without its prefix, as RFC 8555 names it; `unreachable` when no answer came. */
  readonly type: string
  /** When the server wants to be asked again. */
  readonly retryAfterMs: number | undefined

  constructor(type: string, detail: string, retryAfterMs?: number) {
    super(detail)
    this.type = type
    this.retryAfterMs = retryAfterMs
  }
}

/** Reads a problem document of an ACME server. */
export function refusalOf(problem: unknown, status: number, retryAfter?: string, now = Date.now()): AcmeRefusal {
  const { type, detail } = (typeof problem === 'object' && problem !== null ? problem : {}) as Record<string, unknown>
  const kind = typeof type === 'string' ? type.replace(/^urn:ietf:params:acme:error:/, '') : `status ${status}`
  const text = typeof detail === 'string' ? detail : `It answered with status ${status}.`
  return new AcmeRefusal(status === 429 ? 'rateLimited' : kind, text, retryAfterMs(retryAfter, now))
}

function retryAfterMs(text: string | undefined, now: number): number | undefined {
  if (!text) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return ms > 0 ? ms : undefined
}

/** Why a name has no new certificate, and when the next attempt is made. */
export interface Fault {
  code: HealthCodeName
  text: string
  waitMs: number
  /** No name may be ordered until then. */
  stopsAll: boolean
}

/** Judges a failed order. `failures`: attempts that failed before. */
export function faultOf(error: unknown, failures: number): Fault {
  const waitMs = waits[failures] ?? longestMs
  const other = (code: HealthCodeName, text: string): Fault => ({ code, text, waitMs, stopsAll: false })
  const unknownName = (said: string) => other('TLS09', `The ACME server cannot look up the name: ${said}.`)
  const unproven = (said: string) =>
    other('TLS08', `The ACME server gets no answer of this platform at port 80 of the name: ${said}.`)
  if (!(error instanceof AcmeRefusal)) {
    const reason = error instanceof Error ? error.message : String(error)
    return other('TLS11', `The order failed: ${quoted(reason)}.`)
  }
  const said = quoted(error.message)
  switch (error.type) {
    case 'rateLimited':
      return {
        code: 'TLS10',
        text: `The ACME server has reached its rate limit: ${said}.`,
        waitMs: Math.min(Math.max(error.retryAfterMs ?? 0, hour), longestRetryMs),
        stopsAll: true,
      }
    case 'dns':
      return unknownName(said)
    case 'connection':
      // Not every server tells the two apart by the type.
      return isAboutNames.test(said) ? unknownName(said) : unproven(said)
    case 'incorrectResponse':
    case 'tls':
    case 'unauthorized':
      return unproven(said)
    case 'unreachable':
      return other('TLS11', `The ACME server does not answer: ${said}.`)
    default:
      return {
        ...other('TLS11', `The ACME server refused the order: ${said} (${error.type}).`),
        waitMs: Math.min(Math.max(error.retryAfterMs ?? 0, waitMs), longestRetryMs),
      }
  }
}

const quoted = (text: string) => `"${text.replace(/\s+/g, ' ').replace(/\.$/, '').slice(0, mostText)}"`
