import proxyAddr from '@fastify/proxy-addr'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { sameSecret } from '../crypto.ts'

/** In this header a reverse proxy shows that a request comes through it. */
const proxySecretHeader = 'x-forge-proxy-secret'

export interface TrustOptions {
  /** Addresses and networks of the reverse proxies, as proxy-addr reads them. */
  proxies: readonly string[]
  /** With it only a request that carries it comes through a proxy, wherever it connects from. */
  secret?: string | undefined
}

export interface Trust {
  /** The address of the person, also behind trusted proxies; undefined once the connection is gone. */
  clientAddress(request: IncomingMessage): string | undefined
  /** Did this request come from a proxy that is believed? */
  viaProxy(request: IncomingMessage): boolean
  /** Is whoever connects from here believed, without having to know a secret? */
  believesAll(address: string): boolean
}

const plain = (address: string) => (address.startsWith('::ffff:') ? address.slice(7) : address)

/** Tells whether an address is one of these, or in one of these networks. @throws TypeError when an entry is neither. */
export function isIn(proxies: readonly string[]): (address: string) => boolean {
  if (proxies.length === 0) return () => false
  const matches = proxyAddr.compile([...proxies])
  return (address) => matches(address, 0)
}

const isLoopback = isIn(['loopback'])

/** Whether this is an address, a network by its bits, or the name of one; a network of everything is none. */
export function isProxyRange(text: string): boolean {
  const [address = '', bits] = text.split('/')
  if (bits !== undefined && !/^\d+$/.test(bits)) return false
  if (isIP(address) === 0 && !/^(loopback|linklocal|uniquelocal)$/.test(text)) return false
  try {
    isIn([text])
    return true
  } catch {
    return false
  }
}

/**
 * Decides whose forwarded addresses are trusted: proxies known by their address, or by a secret. Programs of
 * this machine reach this server from the loopback address, so a proxy on the same machine is only known for certain by the secret.
 */
export function createTrust({ proxies, secret }: TrustOptions): Trust {
  const listed = isIn(proxies)

  function viaProxy(request: IncomingMessage): boolean {
    const nearest = request.socket.remoteAddress
    if (nearest === undefined) return false
    if (secret === undefined) return listed(nearest)
    const given = request.headers[proxySecretHeader]
    return typeof given === 'string' && sameSecret(given, secret)
  }

  return {
    viaProxy,
    believesAll: (address) => secret === undefined && listed(address),
    clientAddress(request) {
      const first = viaProxy(request)
      // Behind the proxy that has the secret, a loopback address is a program of this machine that asked it.
      const further = (address: string) => listed(address) && (secret === undefined || !isLoopback(address))
      const chain = proxyAddr.all(request, (address, hop) => (hop === 0 ? first : further(address)))
      const found = chain.findLast((address) => address !== undefined && isIP(plain(address)) > 0)
      return found === undefined ? undefined : plain(found)
    },
  }
}

/** The address as limits count it: one customer has 2^64 addresses of IPv6, so there the network of 64 bits counts. */
export function addressGroup(address: string): string {
  if (isIP(address) !== 6) return address
  // The URL parser writes every spelling of an address in one way, with the longest run of zeros cut.
  const [head = '', tail] = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1).split('::')
  const groups = head.split(':').filter(Boolean)
  const rest = (tail ?? '').split(':').filter(Boolean)
  const zeros = tail === undefined ? 0 : 8 - groups.length - rest.length
  return `${[...groups, ...Array<string>(zeros).fill('0'), ...rest].slice(0, 4).join(':')}::/64`
}
