import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { networkInterfaces } from 'node:os'
import type { Trust } from '../../platform/proxy/index.ts'
import { ask } from './ask.ts'
import { fine, type Finding, off, warning } from '../../platform/health/check.ts'

/** How a request to the public address reached this server. */
export interface Arrival {
  /** The address that connected. */
  peer: string
  /** It carried X-Forwarded-For. */
  forwarded: boolean
  /** From a proxy that is believed. */
  believed: boolean
}

export type Arrivals = ReturnType<typeof createArrivals>

/** Requests of our own to the public address, recognised when they arrive: so the way in is seen, and not guessed. */
export function createArrivals(trust: Trust) {
  const awaited = new Map<string, (arrival: Arrival) => void>()

  return {
    /** Told of every probe that names an id. */
    note(request: IncomingMessage, id: string): void {
      awaited.get(id)?.({
        peer: request.socket.remoteAddress ?? '',
        forwarded: request.headers['x-forwarded-for'] !== undefined,
        believed: trust.viaProxy(request),
      })
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

const ownAddresses = () => [
  '127.0.0.1',
  '::1',
  ...Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address)),
]
/** Networks of whole continents: no reverse proxies have so many addresses. */
const isWide = (range: string) => {
  const [address = '', bits] = range.split('/')
  return bits !== undefined && Number(bits) < (address.includes(':') ? 16 : 8)
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
  const { peer, forwarded, believed } = arrival
  if (forwarded && !believed) return warning('PROXY01', `X-Forwarded-For from ${peer} is ignored.`)
  if (!forwarded && (believed || secure)) return warning('PROXY02', `${peer} sends no X-Forwarded-For.`)
  return fine(believed ? `X-Forwarded-For from ${peer} is believed.` : 'Requests arrive without X-Forwarded-For.')
}
