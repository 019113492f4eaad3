import { healthCodes } from '@app/contract'
import { randomBytes } from 'node:crypto'
import { lookup as systemLookup } from 'node:dns'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { isIP, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Config } from '../config.ts'
import { checkAddress, checkNames } from '../features/health/index.ts'
import type { Finding } from '../platform/health/check.ts'
import type { Look } from './look.ts'

const waitMs = 5_000
const part = 'names'

/** The listener for requests under the names: the server that runs, its port for a moment, or nobody. */
export type Against = 'server' | 'port' | 'nothing'
export type Lookup = typeof systemLookup

interface Name {
  host: string
  /** The subject of the sentence. */
  what: string
  address: string
  /** The remedy for a name that is not known. */
  todo: string
}

const isLocal = (host: string) => /(^|\.)localhost$|^127\.|^\[?::1\]?$/.test(host)
const bare = (host: string) => host.replace(/[[\]]/g, '')

/** Tries the name of the console and one of an instance, as a browser would: are they known, and do they lead here? */
export async function lookAtNames(config: Config, against: Against, lookup: Lookup = systemLookup): Promise<Look[]> {
  const ear = against === 'port' ? await listen(config) : undefined
  try {
    return await Promise.all(namesOf(config).map((name, at) => lookAt(name, at === 0)))
  } finally {
    ear?.close()
  }

  async function lookAt(name: Name, isConsole: boolean): Promise<Look> {
    const { host, what } = name
    if (isLocal(host)) return { part, ok: true, seen: `${what}: browsers on this machine resolve it.` }
    const found = await resolved(host, lookup)
    if (found === undefined)
      return { part, ok: false, seen: `${what}: this machine does not know ${host}.`, todo: name.todo }
    if (against === 'server') return judged(what, await (isConsole ? checkAddress(config.baseUrl) : below(config)))
    return ear ? arrival(name, found, ear, lookup) : { part, ok: true, seen: `${what}: leads to ${found}.` }
  }
}

function namesOf({ baseUrl, instanceDomain, instancePorts }: Config): Name[] {
  const { hostname, protocol } = new URL(baseUrl)
  const own: Name = {
    host: hostname,
    what: `the console, ${baseUrl}`,
    address: baseUrl,
    todo: 'Add it to the name service, or set FORGE_BASE_URL.',
  }
  // Instances on ports of their own have the name of the console.
  if (instancePorts) return [own]
  const { host, hostname: name } = new URL(`${protocol}//check-${randomBytes(4).toString('hex')}.${instanceDomain}`)
  const wildcard = `*.${instanceDomain.replace(/:\d+$/, '')}`
  const instance: Name = {
    host: name,
    what: `instances, below ${instanceDomain}`,
    address: `${protocol}//${host}`,
    todo: `Add ${wildcard} to the name service (a wildcard record), or set FORGE_INSTANCE_DOMAIN. Without wildcard names set FORGE_INSTANCE_PORTS.`,
  }
  return [own, instance]
}

async function below({ baseUrl, instanceDomain }: Config): Promise<Finding> {
  return checkNames(baseUrl, instanceDomain)
}

function judged(what: string, { state, code, seen }: Finding): Look {
  return state === 'ok' || code === undefined
    ? { part, ok: true, seen: `${what}: leads here.` }
    : { part, ok: false, seen: `${what}: ${seen}`, todo: healthCodes[code].todo }
}

function resolved(host: string, lookup: Lookup): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  lookup(bare(host), {}, (error, address) => resolve(error ? undefined : String(address)))
  return promise
}

/** Hears which hosts arrive at the port of the server. */
interface Ear {
  heard: Set<string>
  /** Encrypted connections tell names alone, and no addresses. */
  isTls: boolean
  close(): void
}

async function listen({ host, port, tls }: Config): Promise<Ear> {
  const heard = new Set<string>()
  const server: Server = tls
    ? // Without a certificate, which may not exist yet, the handshake fails: the name was heard by then.
      createTlsServer({
        SNICallback(name, done) {
          heard.add(name)
          done(null)
        },
      })
    : createServer((asked, answer) => {
        heard.add(`${asked.headers.host}${asked.url}`)
        answer.writeHead(204).end()
      })
  server.on('tlsClientError', () => {})
  const at = tls ? { port: tls.port, ...(tls.host && { host: tls.host }) } : { host, port }
  server.listen(at)
  await once(server, 'listening')
  return { heard, isTls: tls !== undefined, close: () => void server.close() }
}

/** Asks under a name, and looks whether that arrived at the port. */
async function arrival({ host, what, address }: Name, found: string, ear: Ear, lookup: Lookup): Promise<Look> {
  const good: Look = { part, ok: true, seen: `${what}: leads here (${found}).` }
  // A client does not send an address as a name.
  if (ear.isTls && isIP(bare(host)) > 0) return { part, ok: true, seen: `${what}: leads to ${found}.` }
  const path = `/${randomBytes(8).toString('hex')}`
  const status = await ask(`${address}${path}`, lookup)
  const { host: expected } = new URL(address)
  if (ear.heard.has(ear.isTls ? host : `${expected}${path}`)) return good
  const changed = [...ear.heard].find((one) => one.endsWith(path))
  if (changed !== undefined)
    return {
      part,
      ok: false,
      seen: `${what}: arrives with the Host header ${changed.slice(0, -path.length)}.`,
      todo: 'Make the reverse proxy pass the Host header on as it was.',
    }
  return {
    part,
    ok: false,
    seen: `${what}: leads to ${found}, and not to this server: ${status ? `it answers ${status}` : 'nothing answers'}.`,
    todo: ear.isTls
      ? 'Let the name and its port lead to this machine. If only this machine cannot reach it, as behind some routers, the set-up page tells what browsers reach.'
      : 'Let it lead to a reverse proxy that passes it on to FORGE_PORT, or to this machine with FORGE_HOST=0.0.0.0. If only this machine cannot reach it, as behind some routers, the set-up page tells what browsers reach.',
  }
}

/** The status of the answer; undefined when there is none. */
function ask(address: string, lookup: Lookup): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>()
  const make = address.startsWith('https:') ? tlsRequest : request
  const call = make(address, { rejectUnauthorized: false, agent: false, timeout: waitMs, lookup }, (answer) => {
    answer.resume()
    resolve(answer.statusCode)
  })
  call.on('timeout', () => call.destroy())
  call.on('error', () => resolve(undefined))
  call.on('close', () => resolve(undefined))
  call.end()
  return promise
}
