import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { networkInterfaces } from 'node:os'
import { TLSSocket } from 'node:tls'
import type { Trust } from '../../platform/proxy/index.ts'
import { ask, open } from './ask.ts'
import { fine, type Finding, off, warning } from '../../platform/health/check.ts'

const waitMs = 10_000
/** An answer that nobody holds back is here by then. */
const patienceMs = 2_000

/** The parts of an answer that streams. */
export const parts = [': first\n\n', ': second\n\n', ': last\n\n'] as const

/** Path of a request to the public address, as it reached this server. */
export interface Arrival {
  /** The address that connected. */
  peer: string
  /** It carried X-Forwarded-For. */
  forwarded: boolean
  /** From a proxy that is believed. */
  believed: boolean
  /** By TLS of the server itself, without a proxy. */
  direct: boolean
}

export type Arrivals = ReturnType<typeof createArrivals>

/** Requests of our own to the public address, recognised when they arrive: so the way in is seen, and not guessed. */
export function createArrivals(trust: Trust) {
  const awaited = new Map<string, (arrival: Arrival) => void>()
  const held = new Map<string, readonly Promise<void>[]>()

  return {
    /** Told of every probe that names an id. */
    note(request: IncomingMessage, id: string): void {
      awaited.get(id)?.({
        peer: request.socket.remoteAddress ?? '',
        forwarded: request.headers['x-forwarded-for'] !== undefined,
        believed: trust.viaProxy(request),
        direct: request.socket instanceof TLSSocket,
      })
    },

    /** When each further part of the answer to this probe is to be written; undefined: it is sent at once. */
    held: (id: string): readonly Promise<void>[] | undefined => held.get(id),

    /**
     * Does a part of an answer arrive before the next is written? The first one does not tell: it travels with the head.
     * Undefined when the request did not come back to this server.
     */
    async streams(baseUrl: string): Promise<boolean | undefined> {
      const id = randomBytes(16).toString('hex')
      const [second, last] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const { promise, resolve } = Promise.withResolvers<boolean | undefined>()
      held.set(id, [second.promise, last.promise])
      let timer = setTimeout(() => resolve(undefined), waitMs)
      awaited.set(id, () => {
        clearTimeout(timer)
        timer = setTimeout(() => resolve(false), patienceMs)
      })
      const call = open(`${baseUrl}/livez?arrival=${id}&held`)
      call.on('response', (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part
          if (text.includes(parts[0])) second.resolve()
          if (text.includes(parts[1])) resolve(true)
        })
        answer.on('error', () => {})
      })
      call.on('error', () => resolve(undefined)).end()
      const seen = await promise
      clearTimeout(timer)
      second.resolve()
      last.resolve()
      awaited.delete(id)
      held.delete(id)
      call.destroy()
      return seen
    },

    /** Undefined when the request did not come back to this server. */
    async look(baseUrl: string): Promise<Arrival | undefined> {
      const id = randomBytes(16).toString('hex')
      let seen: Arrival | undefined
      awaited.set(id, (arrival) => (seen = arrival))
      const answer = await ask(`${baseUrl}/livez?arrival=${id}`)
      awaited.delete(id)
      return answer.status === 0 ? undefined : seen
    },
  }
}

/** The size of the largest import of flows. */
const mostBytes = 32 * 1024 * 1024

/** Is a request of the largest size taken? Asks before it sends anything, and sends nothing. */
export function takesLargeBodies(baseUrl: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const call = open(`${baseUrl}/livez`, { expect: '100-continue', 'content-length': String(mostBytes) }, 'POST')
  const timer = setTimeout(() => resolve(true), patienceMs)
  call.on('continue', () => resolve(true))
  call.on('response', (answer) => {
    // The server itself speaks JSON, also where it refuses.
    resolve(answer.statusCode !== 413 || (answer.headers['content-type'] ?? '').includes('json'))
    answer.destroy()
  })
  call.on('error', () => resolve(true)).flushHeaders()
  return promise.finally(() => {
    clearTimeout(timer)
    call.destroy()
  })
}

const ownAddresses = () => [
  '127.0.0.1',
  '::1',
  ...Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address)),
]
/** Networks of whole continents: no reverse proxies have so many addresses. */
const isWide = (range: string) => {
  const [address = '', bits] = range.split('/')
  if (bits === undefined) return false
  // IPv4 addresses as IPv6 writes them have the last 32 bits alone.
  if (/^::ffff:/i.test(address)) return Number(bits) < 96 + 8
  return Number(bits) < (address.includes(':') ? 16 : 8)
}

/** Whether the address of a person is what it seems: the count of wrong passwords and the audit log rely on it. */
export function judgeArrival(
  arrival: Arrival | undefined,
  { trust, proxies, secure }: { trust: Trust; proxies: readonly string[]; secure: boolean },
): Finding {
  if (proxies.some(isWide)) return warning('PROXY03', 'X-Forwarded-For is believed from almost everywhere.')
  const own = ownAddresses().find(trust.believesAll)
  if (own !== undefined)
    return warning('PROXY03', `X-Forwarded-For is believed from this machine (${own}), so also from flows.`)
  if (!arrival) return off('The public address does not lead back to this server, so nothing is known.')
  const { peer, forwarded, believed, direct } = arrival
  if (forwarded && !believed) return warning('PROXY01', `X-Forwarded-For from ${peer} is ignored.`)
  if (direct && !forwarded && !believed) return fine('Requests reach this server directly, by TLS.')
  if (!forwarded && (believed || secure)) return warning('PROXY02', `${peer} sends no X-Forwarded-For.`)
  return fine(believed ? `X-Forwarded-For from ${peer} is believed.` : 'Requests arrive without X-Forwarded-For.')
}
