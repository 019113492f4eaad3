import { once } from 'node:events'
import { createServer as createPlainServer, type Server } from 'node:http'
import {
  createSecureContext,
  createServer as createTlsServer,
  type SecureContext,
  type SecureContextOptions,
  type TlsOptions,
} from 'node:tls'
import { callbackify } from 'node:util'
import type { Server as NetServer } from 'node:net'
import { ConfigError } from '../../config.error.ts'
import type { TlsConfig } from '../../config.tls.ts'
import { checkPort, faultOfPort } from '../http/port.ts'
import { redirectTo } from './redirect.ts'
import type { Certificate, Certificates } from './certificate.ts'

const handshakeMs = 20_000
/** Said here, so that no option of Node.js lowers it. */
const oldest = 'TLSv1.2'

type Endpoints = Pick<TlsConfig, 'host' | 'port' | 'redirectPort'>

export interface FrontOptions {
  tls: Endpoints
  certificates: Certificates
  baseUrl: string
  /** The hosts of upstreams are below it. */
  upstreamDomain: string
  /** Answers what comes over the encrypted connections. */
  server: Server
}

export type Front = Awaited<ReturnType<typeof openFront>>

/** Tries the ports for a moment. @throws ConfigError when the server could not listen there. */
export async function checkFront({ host, port, redirectPort }: Endpoints): Promise<void> {
  const wanted = [
    { host, port, setting: 'FORGE_TLS_PORT' },
    ...(redirectPort === undefined ? [] : [{ host, port: redirectPort, setting: 'FORGE_HTTP_REDIRECT_PORT' }]),
  ]
  for (const { setting, ...endpoint } of wanted)
    await checkPort(endpoint).catch((error: unknown) => {
      const fault = faultOfPort(error, endpoint, { host: 'FORGE_TLS_HOST', port: setting })
      throw fault === undefined ? error : new ConfigError([fault])
    })
}

/** Listens with TLS for a server of plain HTTP, and redirects those who come without. */
export async function openFront({ tls, certificates, server, ...names }: FrontOptions) {
  const front = createTlsServer({
    ...contextOf(certificates.status().certificate),
    ...(certificates.find && { SNICallback: byName(certificates.find) }),
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: handshakeMs,
    noDelay: true,
  })
  front.on('secureConnection', (socket) => server.emit('connection', socket))
  const unfollow = certificates.follow(() => front.setSecureContext(contextOf(certificates.status().certificate)))
  const redirect =
    tls.redirectPort === undefined
      ? undefined
      : createPlainServer(
          redirectTo(names, { authority: certificates.authority?.cert, challenge: certificates.challenge }),
        )
  const all: NetServer[] = redirect ? [front, redirect] : [front]
  try {
    await listen(front, tls.port, tls.host)
    if (redirect) await listen(redirect, tls.redirectPort!, tls.host)
  } catch (error) {
    for (const one of all) one.close()
    throw error
  }
  return {
    /** The encrypted connections come through it. */
    server: front,
    /** Accepts no connections any more. Those that are open belong to the server behind. */
    close(): void {
      unfollow()
      for (const one of all) one.close()
      redirect?.closeAllConnections()
    },
  }
}

const contextOf = ({ cert, key }: Certificate): SecureContextOptions => ({ cert, key, minVersion: oldest })

/** Chooses the certificate by the name that a client asks for. A name without one gets that of the console. */
function byName(find: NonNullable<Certificates['find']>): NonNullable<TlsOptions['SNICallback']> {
  const contexts = new WeakMap<Certificate, SecureContext>()
  const contextFor = (certificate: Certificate) => {
    const context = contexts.get(certificate) ?? createSecureContext(contextOf(certificate))
    contexts.set(certificate, context)
    return context
  }
  return callbackify(async (name: string) => {
    const certificate = await find(name).catch(() => undefined)
    return certificate && contextFor(certificate)
  })
}

async function listen(server: NetServer, port: number, host: string | undefined): Promise<void> {
  server.listen({ port, ...(host && { host }) })
  await once(server, 'listening')
}
