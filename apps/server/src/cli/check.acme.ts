import { readFileSync } from 'node:fs'
import { lookup } from 'node:dns/promises'
import { request } from 'node:https'
import { BlockList, isIPv6 } from 'node:net'
import { rootCertificates } from 'node:tls'
import { type AcmeConfig, letsEncrypt } from '../config.acme.ts'
import type { Config } from '../config.ts'
import type { Look } from './look.ts'

const waitMs = 10_000
const good = (seen: string): Look => ({ part: 'acme', ok: true, seen })
const bad = (seen: string, todo: string): Look => ({ part: 'acme', ok: false, seen, todo })

/** Looks at what an ACME server needs: its directory answers, it can look up the name, and it reaches port 80. */
export async function lookAtAcme(config: Config): Promise<Look[]> {
  const { tls, baseUrl } = config
  if (tls?.source.kind !== 'acme') return []
  const host = new URL(baseUrl).hostname
  const looks = [await directory(tls.source), port80(tls.redirectPort, host)]
  return tls.source.directory === letsEncrypt ? [...looks, await isPublic(host)] : looks
}

async function directory({ directory: address, caFile, email }: AcmeConfig): Promise<Look> {
  try {
    const found = await get(address, caFile)
    if (typeof found.newOrder === 'string') return good(`${address} answers. The account is of ${email}.`)
    return bad(`${address} is not the directory of an ACME server.`, 'Correct FORGE_TLS_ACME_DIRECTORY.')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return bad(
      `${address} cannot be used: ${message || code}.`,
      'Let this machine reach it. With an ACME server of your company, set FORGE_TLS_ACME_CA_FILE to its root certificate.',
    )
  }
}

function port80(redirectPort: number | undefined, host: string): Look {
  const seen = `The ACME server will ask port 80 of ${host} and of each instance; this server answers on port ${redirectPort}.`
  return redirectPort === 80 ? good(seen) : good(`${seen} Forward port 80 to it.`)
}

const inside = new BlockList()
for (const [network, bits] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  inside.addSubnet(network, bits)
inside.addSubnet('fc00::', 7, 'ipv6')
inside.addSubnet('fe80::', 10, 'ipv6')
inside.addAddress('::1', 'ipv6')

/** Let's Encrypt looks from the Internet. A name that nobody knows is reported with the other names. */
async function isPublic(host: string): Promise<Look> {
  const found = await lookup(host).catch(() => undefined)
  const todo = `Let's Encrypt needs a public name. In a network of your own set FORGE_TLS_ACME_DIRECTORY, or use FORGE_TLS_LOCAL_CA.`
  if (!found) return bad(`${host} cannot be looked up.`, todo)
  return inside.check(found.address, isIPv6(found.address) ? 'ipv6' : 'ipv4')
    ? bad(`${host} leads to ${found.address}, which the Internet cannot reach.`, todo)
    : good(`${host} leads to ${found.address}, a public address.`)
}

function get(address: string, caFile: string | undefined): Promise<Record<string, unknown>> {
  const ca = caFile && [...rootCertificates, readFileSync(caFile, 'utf8')]
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>()
  const call = request(address, { ...(ca && { ca }), timeout: waitMs, agent: false }, (response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (part: string) => (text += part))
    response.on('error', reject)
    response.on('end', () => {
      try {
        resolve(JSON.parse(text) as Record<string, unknown>)
      } catch {
        resolve({})
      }
    })
  })
  call.on('timeout', () => call.destroy(new Error('no answer within ten seconds')))
  call.on('error', reject)
  call.end()
  return promise
}
