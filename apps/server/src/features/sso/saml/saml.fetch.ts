import { lookup as resolve } from 'node:dns'
import { get as getPlain } from 'node:http'
import { get } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { fail } from '../../../platform/http/failure.ts'

const longest = 1024 * 1024
const waitMs = 10_000

/** Addresses of this machine and of networks that are not the internet (RFC 6890). */
const inner = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  inner.addSubnet(net, bits, 'ipv4')
for (const [net, bits] of [
  ['::', 96],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  inner.addSubnet(net, bits, 'ipv6')

const isInner = (address: string): boolean => inner.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Resolves names as ever, and refuses an address that is not of the internet: judged at the very look-up that is used. */
const guarded: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 4)
    const bad = addresses.find(({ address }) => isInner(address))
    if (bad) return callback(Object.assign(new Error('private'), { code: 'EPRIVATE' }), '', 4)
    const [first] = addresses
    if (options.all) return callback(null, addresses)
    return callback(null, first!.address, first!.family)
  })
}

const refuse = (why: string) => fail('invalid_request', why, { field: 'url' })

/**
 * Fetches a text from an address that somebody typed in. Without `allowPrivate` only from the internet, by HTTPS.
 * @throws Failure invalid_request
 */
export async function fetchText(address: string, allowPrivate: boolean): Promise<string> {
  const url = new URL(address)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (!allowPrivate && url.protocol !== 'https:')
    throw refuse('Use an https address, or say that it is in a private network')
  const privately = 'This address is of a private network. Allow it, or paste the metadata'
  if (!allowPrivate && isIP(host) !== 0 && isInner(host)) throw refuse(privately)
  const { promise, resolve: done, reject } = Promise.withResolvers<string>()
  const options = { signal: AbortSignal.timeout(waitMs), ...(allowPrivate ? {} : { lookup: guarded }) }
  const request = (url.protocol === 'https:' ? get : getPlain)(url, options, (response) => {
    if (response.statusCode !== 200) {
      response.destroy()
      return reject(refuse(`The address answered ${response.statusCode}; it must answer 200 with the metadata`))
    }
    const parts: Buffer[] = []
    let length = 0
    response.on('data', (part: Buffer) => {
      length += part.length
      parts.push(part)
      if (length <= longest) return
      response.destroy()
      reject(refuse('The answer is larger than 1 MB'))
    })
    response.on('end', () => done(Buffer.concat(parts).toString('utf8')))
    response.on('error', reject)
  })
  request.on('error', reject)
  return promise.catch((error: Error & { code?: string }) => {
    if (error.code === 'EPRIVATE') throw refuse(privately)
    if ('fields' in error) throw error
    throw refuse(`The address does not answer: ${error.code ?? error.message}`)
  })
}
